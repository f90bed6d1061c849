// @ts-check
/**
 * A server with every method there is and tools that end at once, for tests that send nonsense.
 *
 * node wire-server.js DIR [http]; the store lies in DIR. Run with --expose-gc: `usage` looks at what is really held.
 */
import { join } from 'node:path';
import { completable, ResourceTemplate } from '@modelcontextprotocol/server';
import { createServer, openSqliteStore } from 'holdfast';
import { z } from 'zod';

const [dir = '', transport = 'stdio'] = process.argv.slice(2);
const store = await openSqliteStore({ path: join(dir, 'tasks.db') });
const server = createServer({
  name: 'wire',
  version: '1.0.0',
  store,
  identity: 'wire',
  workers: 'inline',
  shutdownGraceMs: 500,
  parkMs: 100,
  // Nobody comes back for most of the tasks that random calls make.
  queueLimit: 1_000_000,
});

/** A tool that gets no answer has done its work; other errors would be faults of the server. @param {unknown} error */
const toRefusal = (error) => {
  if (/** @type {{ code?: unknown }} */ (error).code === 'QUESTION_DECLINED') return 'nobody was sure';
  throw error;
};

server.tool('greet', {
  task: 'never',
  input: z.object({ name: z.string() }),
  run: ({ name }) => `Hello, ${name}!`,
});

server.tool('add', {
  input: { type: 'object', properties: { a: { type: 'number' }, b: { type: 'number' } }, required: ['a', 'b'] },
  run: ({ a, b }) => String(Number(a) + Number(b)),
});

server.tool('job', {
  task: 'always',
  input: z.looseObject({ label: z.string().optional() }),
  run: ({ label = 'job' }) => `${label} done`,
});

server.tool('confirm', {
  inlineMs: 0,
  idempotent: true,
  async run(_args, task) {
    const asked = task.ask({ key: 'sure', message: 'Sure?', schema: z.object({ sure: z.boolean() }) });
    return asked.then(({ sure }) => `sure: ${sure}`, toRefusal);
  },
});

server.tool('sign', {
  // Clients of 2025-11-25 are asked when the work begins, and nobody is there who would answer.
  upfront: () => ({ name: { message: 'Who signs?', schema: z.object({ name: z.string() }) } }),
  run: (_args, task) => `signed: ${JSON.stringify(task.upfront)}`,
});

server.tool('shout', {
  task: 'never',
  input: z.object({ bytes: z.number() }),
  run: ({ bytes }) => 'A'.repeat(bytes),
});

server.tool('usage', {
  task: 'never',
  output: z.object({ heapBytes: z.number() }),
  run() {
    globalThis.gc?.();
    return { heapBytes: process.memoryUsage().heapUsed };
  },
});

server.mcp((mcp) => {
  const names = (/** @type {string | undefined} */ start) =>
    ['ada', 'bob'].filter((name) => name.startsWith(start ?? ''));
  mcp.registerPrompt('hello', { argsSchema: z.object({ name: completable(z.string(), names) }) }, ({ name }) => ({
    messages: [{ role: 'user', content: { type: 'text', text: `Hello, ${name}` } }],
  }));
  mcp.registerResource('note', 'wire://note', {}, (uri) => ({ contents: [{ uri: uri.href, text: 'a note' }] }));
  const template = new ResourceTemplate('wire://notes/{name}', { list: undefined, complete: { name: names } });
  const flood = new ResourceTemplate('wire://flood/{bytes}', { list: undefined });
  mcp.registerResource('flood', flood, {}, (uri, { bytes }) => ({
    contents: [{ uri: uri.href, text: 'A'.repeat(Number(bytes)) }],
  }));
  mcp.registerResource('notes', template, {}, (uri) => ({ contents: [{ uri: uri.href, text: 'one of many' }] }));
});

if (transport === 'http') {
  const { url } = await server.listen({ port: 0, unprotected: true });
  process.stdout.write(`${url}\n`);
  process.once('SIGTERM', () => void close());
} else {
  await server.serveStdio();
  await close();
}

async function close() {
  await server.close();
  await store.close();
  process.exit();
}
