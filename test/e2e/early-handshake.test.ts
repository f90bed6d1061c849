/** What is answered before everything is loaded is what would be answered afterwards. */

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { dirname } from 'node:path';
import { createInterface } from 'node:readline';
import { describe, expect, it } from 'vitest';
import { builtPath } from '../programs/program-path.js';

/** With a registration of one's own only the SDK knows what is offered, and answers everything. */
const PROGRAM = `
  import { createMemoryStore, createServer } from 'holdfast';
  const store = createMemoryStore();
  const server = createServer({ name: 'early', version: '2.0.0', title: 'Early', instructions: 'Be quick', store, workers: 'inline' });
  server.tool('add', { run: () => 'done' });
  if (process.argv.includes('late')) server.mcp(() => {});
  await server.serveStdio();
  await server.close();
`;

/** From there `holdfast` is the package as programs of tests have it. */
const PLACE = dirname(dirname(builtPath('index.js')));

const META = 'io.modelcontextprotocol/';
const CLIENT = { name: 'x', version: '1', title: 'X' };
const CAPABILITIES = {
  roots: { listChanged: true },
  elicitation: { form: {}, url: {} },
  extensions: { [`${META}tasks`]: {} },
};
const ENVELOPE = {
  [`${META}protocolVersion`]: '2026-07-28',
  [`${META}clientInfo`]: CLIENT,
  [`${META}clientCapabilities`]: CAPABILITIES,
};

const initialize = (protocolVersion: string, more: object = {}) => ({
  id: 1,
  method: 'initialize',
  params: { protocolVersion, capabilities: CAPABILITIES, clientInfo: CLIENT, ...more },
});
const discover = (id: number) => ({ id, method: 'server/discover', params: { _meta: ENVELOPE } });
const list = (meta?: object) => ({ id: 9, method: 'tools/list', params: meta ? { _meta: meta } : {} });

/** All that a server answers to messages that lie in its pipe when it starts, by id. */
async function talk(messages: readonly { id: number }[], when: 'early' | 'late') {
  const child = spawn(process.execPath, ['--input-type=module', '-e', PROGRAM, when], {
    stdio: ['pipe', 'pipe', 'inherit'],
    cwd: PLACE,
  });
  const ended = once(child, 'exit');
  const answers: { id?: number | null }[] = [];
  const lines = createInterface({ input: child.stdout });
  const all = new Promise<void>((resolve) => {
    lines.on('line', (line) => {
      answers.push(JSON.parse(line));
      if (answers.length === messages.length) resolve();
    });
  });
  for (const message of messages) child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  await all;
  child.stdin.end();
  await ended;
  return answers.sort((one, other) => Number(one.id) - Number(other.id));
}

describe('a server that is still loading', () => {
  it.each([
    ['initialize', [initialize('2025-11-25'), list()]],
    ['initialize of a version that nobody knows', [initialize('1999-01-01'), list()]],
    ['initialize with what the SDK refuses', [initialize('2025-11-25', { clientInfo: { name: 5 } })]],
    ['initialize with what the SDK ignores', [initialize('2024-11-05', { more: 1, _meta: { progressToken: 1 } })]],
    ['server/discover, twice', [discover(1), discover(2), list(ENVELOPE)]],
    ['server/discover, and then initialize', [discover(1), { ...initialize('2025-11-25'), id: 2 }, list()]],
  ])('[HOSTS-221] answers %s once, as it does when it is loaded', { timeout: 60_000 }, async (_what, messages) => {
    const [early, late] = await Promise.all([talk(messages, 'early'), talk(messages, 'late')]);
    expect(early).toEqual(late);
    expect(early.map(({ id }) => id)).toEqual(messages.map(({ id }) => id));
  });
});

it('[HOSTS-222] a server whose store cannot be opened ends with the reason', { timeout: 60_000 }, async () => {
  const program = `
    import { createServer } from 'holdfast';
    const server = createServer({ name: 'early', version: '1.0.0' });
    server.tool('add', { run: () => 'done' });
    await server.serveStdio().catch((error) => {
      console.error(error.code);
      process.exitCode = 3;
    });`;
  // A file cannot hold a directory.
  const env = { ...process.env, HOLDFAST_DIR: process.execPath };
  const child = spawn(process.execPath, ['--input-type=module', '-e', program], { stdio: 'pipe', env, cwd: PLACE });
  const ended = once(child, 'exit');
  let said = '';
  child.stderr.on('data', (chunk) => {
    said += String(chunk);
  });
  child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...initialize('2025-11-25') })}\n`);
  // Its stdin stays open: nothing else ends it.
  expect((await ended)[0]).toBe(3);
  expect(said).toMatch(/^[A-Z_]+$/m);
});
