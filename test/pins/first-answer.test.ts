/** What is loaded before a server on stdio has given its first answer. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';

/** Notes the URL of every module that is loaded; Node 20 has hooks in a thread of their own. */
const HOOK = `
  import { appendFileSync } from 'node:fs';
  export async function load(url, context, next) {
    appendFileSync(process.env.NOTES, url + '\\n');
    return next(url, context);
  }`;

/** A server that says what had been loaded when its first answer left, and then ends. */
const PROGRAM = `
  import { register } from 'node:module';
  register('data:text/javascript,' + encodeURIComponent(process.env.HOOK));
  const { createServer } = await import('holdfast');
  const { z } = await import('zod');
  const { Writable } = await import('node:stream');
  const { copyFileSync } = await import('node:fs');
  const write = Writable.prototype.write;
  Writable.prototype.write = function (chunk, ...rest) {
    if (this === process.stdout) copyFileSync(process.env.NOTES, process.env.NOTES + '.first');
    return Reflect.apply(write, this, [chunk, ...rest]);
  };
  const server = createServer({ name: 'first', version: '1.0.0' });
  server.tool('add', { input: z.object({ a: z.number() }), run: ({ a }) => String(a + 1) });
  await server.serveStdio();
  await server.close();
`;

const INITIALIZE = {
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'x', version: '1' } },
};

async function listLoaded(): Promise<string[]> {
  const dir = await mkdtemp(join(tmpdir(), 'holdfast-first-'));
  onTestFinished(() => rm(dir, { recursive: true }));
  const notes = join(dir, 'notes');
  const env = { ...process.env, HOOK, NOTES: notes, HOLDFAST_DIR: dir };
  const child = spawn(process.execPath, ['--input-type=module', '-e', PROGRAM], {
    stdio: ['pipe', 'pipe', 'inherit'],
    env,
  });
  const ended = once(child, 'exit');
  child.stdin.write(`${JSON.stringify(INITIALIZE)}\n`);
  await once(child.stdout, 'data');
  child.stdin.end();
  await ended;
  return (await readFile(`${notes}.first`, 'utf8')).split('\n');
}

it('[HOSTS-220] the first answer needs no SQLite, no engine, no HTTP and nothing of the SDK', {
  timeout: 60_000,
}, async () => {
  const loaded = await listLoaded();
  const has = (pattern: RegExp) => loaded.filter((url) => pattern.test(url));
  expect(has(/\/dist\/server\/server\.js$/)).toHaveLength(1);
  expect(has(/\/dist\/sqlite\/|sqlite-store|@photostructure/)).toEqual([]);
  expect(has(/@modelcontextprotocol/)).toEqual([]);
  expect(has(/\/dist\/engine\/(engine|task-worker|serving)\.js$/)).toEqual([]);
  expect(has(/\/dist\/(server\/(http-handler|http-serving|node-http|listen)|host\/.*)\.js$/)).toEqual([]);
});
