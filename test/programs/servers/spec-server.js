// @ts-check
/**
 * A server on stdio whose one tool is waited for longer than any test takes.
 *
 * node spec-server.js DIR; the store lies in DIR, where the run of the tool is noted too.
 */
import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import { createServer, openSqliteStore } from 'holdfast';

const [dir = ''] = process.argv.slice(2);
const store = await openSqliteStore({ path: join(dir, 'tasks.db') });
const server = createServer({
  name: 'spec',
  version: '1.0.0',
  identity: 'spec',
  workers: 'inline',
  shutdownGraceMs: 500,
  store,
});

server.tool('hold', {
  inlineMs: 600_000,
  run: (_args, { signal }) =>
    new Promise((_, reject) => {
      appendFileSync(join(dir, 'runs.txt'), 'hold\n');
      signal.addEventListener('abort', () => reject(signal.reason));
    }),
});

await server.serveStdio();
await server.close();
await store.close();
