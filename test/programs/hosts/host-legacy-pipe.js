// @ts-check
/**
 * Runs a server as if it knew nothing of 2026-07-28: `server/discover` is not passed on.
 *
 * node host-legacy-pipe.js PROGRAM ARGS…
 */
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';

const child = spawn(process.execPath, process.argv.slice(2), { stdio: ['pipe', 'inherit', 'inherit'] });
child.on('exit', (code) => process.exit(code ?? 1));
const lines = createInterface({ input: process.stdin });
lines.on('line', (line) => {
  const { id, method } = JSON.parse(line);
  if (method !== 'server/discover') return void child.stdin.write(`${line}\n`);
  const error = { code: -32601, message: 'Method not found' };
  process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', id, error })}\n`);
});
lines.on('close', () => child.stdin.end());
