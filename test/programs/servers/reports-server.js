// @ts-check
/**
 * A server with one tool of every kind, for the tests with real clients.
 *
 * node reports-server.js DIR [http]; the store lies in DIR, where runs of tools are noted too. What tools print must not
 * reach the client.
 */
import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import { createServer } from 'holdfast';
import { z } from 'zod';
import { openOwnStore } from '../stores/own-store.js';
import { workFor } from '../workers/work-for.js';

const [dir = '', transport = 'stdio'] = process.argv.slice(2);
const server = createServer({
  name: 'reports',
  version: '1.0.0',
  store: await openOwnStore(dir),
  identity: 'reports',
  // Where its log of prompts may lie.
  promptRoots: [dir],
  asyncTask: { optional: 'asked' },
  idleMs: 500,
  leaseMs: 3000,
  // Slow calls become tasks soon, so that tests are quick.
  inlineMs: 200,
});

// However long the worker takes to start, quick calls are answered at once.
const PATIENT = { inlineMs: 60_000 };

/** @param {string} what */
const note = (what) => appendFileSync(join(dir, 'runs.txt'), `${what}\n`);

server.tool('greet', {
  description: 'Greets somebody at once',
  task: 'never',
  input: z.object({ name: z.string() }),
  run({ name }) {
    console.log('greeting');
    return `Hello, ${name}!`;
  },
});

server.tool('render', {
  description: 'Takes as long as it is told',
  idempotent: true,
  input: z.object({ ms: z.number(), label: z.string().optional() }),
  async run({ ms, label = 'report' }, task) {
    note(`render ${label} ${task.attempt}`);
    for (let part = 1; part <= 4; part++) {
      await workFor(ms / 4, task.signal);
      await task.progress(part / 4, `Part ${part} of 4`);
    }
    console.log('rendered');
    return `${label} rendered`;
  },
});

server.tool('print', {
  description: 'Takes as long as it is told and may not be repeated',
  input: z.object({ ms: z.number() }),
  async run({ ms }, task) {
    note(`print ${task.attempt}`);
    await workFor(ms, task.signal);
    return 'printed';
  },
});

server.tool('publish', {
  description: 'Asks before it publishes',
  async run(_args, task) {
    note(`publish ${task.attempt}`);
    const { really } = await task.ask({ message: 'Really?', schema: z.object({ really: z.boolean() }) });
    return really ? 'published' : 'kept';
  },
});

server.tool('sign', {
  description: 'Asks two questions at once',
  async run(_args, task) {
    const [{ name }, { place }] = await Promise.all([
      task.ask({ key: 'name', message: 'Who signs?', schema: z.object({ name: z.string() }) }),
      task.ask({ key: 'place', message: 'Where?', schema: z.object({ place: z.string() }) }),
    ]);
    return `signed by ${name} in ${place}`;
  },
});

server.tool('order', {
  description: 'Asks for a number before its task is made',
  task: 'always',
  upfront: () => ({ copies: { message: 'How many?', schema: z.object({ copies: z.number() }) } }),
  async run(_args, task) {
    note(`order ${task.attempt}`);
    const { copies } = /** @type {{ copies: number }} */ (task.upfront.copies);
    return `${copies} copies ordered`;
  },
});

server.tool('jam', {
  description: 'Fails as a task: with an error of the protocol, or with a result that says so',
  task: 'always',
  input: z.object({ politely: z.boolean().default(false) }),
  run({ politely }) {
    if (politely) return { content: [{ type: 'text', text: 'paper jam' }], isError: true };
    throw Object.assign(new Error('paper jam'), { code: -32050 });
  },
});

server.tool('fail', {
  description: 'Fails',
  ...PATIENT,
  run() {
    throw new Error('no ink');
  },
});

server.tool('summary', {
  description: 'Has an output schema',
  ...PATIENT,
  output: z.object({ pages: z.number() }),
  run: () => ({ pages: 12 }),
});

if (transport === 'http') {
  const { url } = await server.listen({ port: Number(process.env.PORT ?? 0), unprotected: true });
  process.stdout.write(`${url}\n`);
} else {
  await server.serveStdio();
}
