// @ts-check
/**
 * A server of slow tools for clients that know nothing of tasks.
 *
 * node plain-server.js DIR [http]; the store lies in DIR, where runs of tools are noted too. Options of the server are
 * read from DIR/options.json, with `crashAt` naming a point where the first serving process is killed, and `host` its address.
 */
import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createServer, isWorker } from 'holdfast';
import { armCrashPoint, until } from 'holdfast/testing';
import { z } from 'zod';
import { openJournal } from '../crash/crash-journal.js';
import { openOwnStore } from '../stores/own-store.js';
import { workFor } from '../workers/work-for.js';

const [dir = '', transport = 'stdio'] = process.argv.slice(2);
const settings = join(dir, 'options.json');
const { crashAt, host, ...options } = existsSync(settings) ? JSON.parse(readFileSync(settings, 'utf8')) : {};

const server = createServer({
  name: 'plain',
  version: '1.0.0',
  store: await openOwnStore(dir),
  identity: 'plain',
  idleMs: 500,
  leaseMs: 3000,
  ...options,
  // Who serves others than its own machine must say who they are.
  ...(host && { verify: () => ({ issuer: 'network', subject: 'anybody' }) }),
});

/** @param {string} what */
const note = (what) => appendFileSync(join(dir, 'runs.txt'), `${what}\n`);

server.tool('work', {
  description: 'Works silently for as long as it is told',
  input: z.object({ ms: z.number(), label: z.string().default('work') }),
  async run({ ms, label }, task) {
    note(`${label} ${task.attempt}`);
    await workFor(ms, task.signal);
    return `${label} done`;
  },
});

server.tool('gate', {
  description: 'Works until the file of its gate is there',
  input: z.object({ name: z.string() }),
  async run({ name }, task) {
    note(`gate ${name} ${task.attempt}`);
    await until(() => task.signal.aborted || existsSync(join(dir, `open-${name}`)), { timeoutMs: 110_000 });
    return `gate ${name} is open`;
  },
});

server.tool('look', {
  description: 'The same, in the serving process',
  idempotent: true,
  quickMs: 600_000,
  input: z.object({ name: z.string() }),
  async run({ name }, task) {
    note(`look ${name} ${task.taskId === '' ? 'quick' : 'task'}`);
    await until(() => task.signal.aborted || existsSync(join(dir, `open-${name}`)), { timeoutMs: 110_000 });
    return `saw ${name}`;
  },
});

if (crashAt !== undefined && !isWorker && openJournal(dir).first('armed')) armCrashPoint(crashAt);

if (transport === 'http') {
  const { url, close } = await server.listen({ port: 0, ...(host ? { host } : { unprotected: true }) });
  const stop = async () => {
    await close();
    await server.close();
    process.exit();
  };
  process.once('SIGTERM', () => void stop());
  process.stdout.write(`${url}\n`);
} else {
  await server.serveStdio();
}
