// @ts-check
/**
 * A server as agents have it in their configuration, with nothing said of who it is.
 *
 * node hosted-server.js DIR; the store lies in DIR, where runs of tools are noted too. Options of the server are read from
 * DIR/options.json.
 */
import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createServer, openSqliteStore } from 'holdfast';
import { until } from 'holdfast/testing';
import { z } from 'zod';
import { workFor } from '../workers/work-for.js';

const [dir = ''] = process.argv.slice(2);
const settings = join(dir, 'options.json');
const target = process.env.TARGET ?? 'none';

const server = createServer({
  name: 'hosted',
  version: '1.0.0',
  store: await openSqliteStore({ path: join(dir, 'tasks.db') }),
  idleMs: 500,
  leaseMs: 3000,
  ...(existsSync(settings) ? JSON.parse(readFileSync(settings, 'utf8')) : {}),
});

/** @param {string} what */
const note = (what) => appendFileSync(join(dir, 'runs.txt'), `${what}\n`);

server.tool('build', {
  description: 'Works until the file `built` is there',
  input: z.object({ what: z.string() }),
  async run({ what }, task) {
    note(`build ${what}`);
    await until(() => task.signal.aborted || existsSync(join(dir, 'built')), { timeoutMs: 90_000 });
    return `${what} is built`;
  },
});

server.tool('pack', {
  description: 'Takes as long as it is told, silently',
  input: z.object({ ms: z.number() }),
  async run({ ms }, task) {
    note('pack');
    await workFor(ms, task.signal);
    return 'packed';
  },
});

server.tool('deploy', {
  description: 'Asks before it deploys',
  async run(_args, task) {
    note('deploy');
    const { sure } = await task.ask({ message: 'Deploy on a Friday?', schema: z.object({ sure: z.boolean() }) });
    return sure ? 'deployed' : 'kept back';
  },
});

server.tool('whoami', {
  description: 'Says where it works',
  run() {
    note(`whoami ${target}`);
    return `works on ${target}`;
  },
});

await server.serveStdio();
