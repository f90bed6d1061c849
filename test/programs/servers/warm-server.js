// @ts-check
/**
 * A server on stdio whose worker starts when it may: `warm-server.js <folder>`.
 *
 * The worker notes its pid in `<folder>/workers.txt` and waits there for the file `go`.
 */
import { appendFileSync, existsSync } from 'node:fs';
import { join } from 'node:path';
import { createServer, isWorker, openSqliteStore } from 'holdfast';
import { until } from 'holdfast/testing';

const [folder = ''] = process.argv.slice(2);
if (isWorker) {
  appendFileSync(join(folder, 'workers.txt'), `${process.pid}\n`);
  await until(() => existsSync(join(folder, 'go')), { timeoutMs: 600_000 });
}
const store = await openSqliteStore({ path: join(folder, 'tasks.db') });
const server = createServer({ name: 'warm', version: '1.0.0', store, idleMs: 200, inlineMs: 60_000 });
server.tool('instant', {
  description: 'Answers at once',
  run: () => (isWorker ? 'from the worker' : 'from the server'),
});
await server.serveStdio();
await server.close();
await store.close();
