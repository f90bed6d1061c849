// @ts-check
/**
 * A server on stdio that speaks one dialect more: see `test/dialects/toy`.
 *
 * node toy-tools.js DIR; the store and the notes of runs lie in DIR, where the file `open` ends the work.
 */
import { appendFileSync, existsSync } from 'node:fs';
import { join } from 'node:path';
import { createServer, openSqliteStore } from 'holdfast';
import { until } from 'holdfast/testing';
import { z } from 'zod';
import { toyServer } from '../../dialects/toy/toy-server.js';

const [dir = ''] = process.argv.slice(2);
const server = createServer({
  name: 'toys',
  version: '1.0.0',
  store: await openSqliteStore({ path: join(dir, 'tasks.db') }),
  identity: 'toys',
  idleMs: 500,
  leaseMs: 3000,
  dialects: [{ name: 'toy', server: async () => toyServer }],
});

server.tool('build', {
  input: z.object({ what: z.string() }),
  idempotent: true,
  async run({ what }, task) {
    await task.step('build', async () => {
      appendFileSync(join(dir, 'runs.txt'), `${what}\n`);
      return true;
    });
    await task.progress(0.5);
    await until(() => existsSync(join(dir, 'open')) || task.signal.aborted, { what: 'the gate', timeoutMs: 60_000 });
    return `${what} is built`;
  },
});

await server.serveStdio();
await server.close();
