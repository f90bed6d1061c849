// @ts-check
/**
 * A server with one tool of every kind, for the tests with real clients.
 *
 * node reports-server.js DIR [http]; the store lies in DIR, where runs of tools are noted too.
 */
import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import { createServer, openSqliteStore } from 'holdfast';
import { z } from 'zod';

const [dir = '', transport = 'stdio'] = process.argv.slice(2);
const server = createServer({
  name: 'reports',
  version: '1.0.0',
  store: await openSqliteStore({ path: join(dir, 'tasks.db') }),
  identity: 'reports',
  idleMs: 500,
  leaseMs: 3000,
});

/** @param {string} what */
const note = (what) => appendFileSync(join(dir, 'runs.txt'), `${what}\n`);

/** @param {number} ms @param {AbortSignal} signal */
const work = (ms, signal) =>
  new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, ms);
    signal.addEventListener('abort', () => {
      clearTimeout(timer);
      reject(signal.reason);
    });
  });

server.tool('greet', {
  description: 'Greets somebody at once',
  task: 'never',
  input: z.object({ name: z.string() }),
  run: ({ name }) => `Hello, ${name}!`,
});

server.tool('render', {
  description: 'Takes as long as it is told',
  idempotent: true,
  input: z.object({ ms: z.number(), label: z.string().optional() }),
  async run({ ms, label = 'report' }, task) {
    note(`render ${label} ${task.attempt}`);
    for (let part = 1; part <= 4; part++) {
      await work(ms / 4, task.signal);
      await task.progress(part / 4, `Part ${part} of 4`);
    }
    // What tools print must not reach the client.
    console.log('rendered');
    return `${label} rendered`;
  },
});

server.tool('publish', {
  description: 'Asks before it publishes',
  async run(_args, task) {
    const { really } = await task.ask({ message: 'Really?', schema: z.object({ really: z.boolean() }) });
    return really ? 'published' : 'kept';
  },
});

server.tool('fail', {
  description: 'Fails',
  run() {
    throw new Error('no ink');
  },
});

server.tool('summary', {
  description: 'Has an output schema',
  output: z.object({ pages: z.number() }),
  run: () => ({ pages: 12 }),
});

if (transport === 'http') {
  const { url } = await server.listen({ port: 0 });
  process.stdout.write(`${url}\n`);
} else {
  await server.serveStdio();
}
