// @ts-check
/**
 * A program whose worker takes its time before it starts the engine: `slow-start.js <folder>`.
 *
 * The worker notes its pid in `<folder>/workers.txt` and waits there for the file `go`. The server submits one task.
 */
import { appendFileSync, existsSync } from 'node:fs';
import { join } from 'node:path';
import { createEngine, isWorker, openSqliteStore } from 'holdfast';
import { until } from 'holdfast/testing';

const [folder = ''] = process.argv.slice(2);
const store = await openSqliteStore({ path: join(folder, 'tasks.db') });
const engine = await createEngine({
  name: 'slow-start',
  store,
  workers: 'detached',
  // Far longer than any test waits: what is found out only by waiting for it is not found out.
  startMs: 600_000,
  superviseMs: 50,
  idleMs: 200,
  tools: { where: { idempotent: true, run: async () => ({ pid: process.pid, isWorker }) } },
});
if (isWorker) {
  appendFileSync(join(folder, 'workers.txt'), `${process.pid}\n`);
  await until(() => existsSync(join(folder, 'go')), { timeoutMs: 600_000 });
}
await engine.start();
const { task } = await engine.submit('where', {}, { idempotencyKey: 'where' });
process.stdout.write(`${task.taskId}\n`);
process.stdin.resume().once('end', () => void close());

async function close() {
  await engine.close();
  await store.close();
}
