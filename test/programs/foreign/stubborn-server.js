// @ts-check
/**
 * A server on stdio that nobody gets rid of: it goes on when its input ends and when it is told to end.
 *
 * node stubborn-server.js DIR; it starts a helper, and a daemon in a session of its own, and notes all pids in DIR.
 */
import { spawn } from 'node:child_process';
import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

const [dir = ''] = process.argv.slice(2);
process.on('SIGTERM', () => {});
setInterval(() => {}, 60_000);

/** @param {string} what @param {number | undefined} pid */
const note = (what, pid) => appendFileSync(join(dir, 'runs.txt'), `${what} ${pid}\n`);
note('server', process.pid);
note('helper', spawn('sleep', ['600'], { stdio: 'ignore' }).pid);
note('daemon', spawn('sleep', ['600'], { stdio: 'ignore', detached: true }).pid);

const initialized = {
  protocolVersion: '2025-11-25',
  capabilities: { tools: {} },
  serverInfo: { name: 'stubborn', version: '1.0.0' },
};
createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method } = JSON.parse(line);
  if (id === undefined) return;
  const error = { code: -32601, message: 'Method not found' };
  const answer = method === 'initialize' ? { result: initialized } : { error };
  process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', id, ...answer })}\n`);
});
// Nobody reads any more.
process.stdout.on('error', () => {});
