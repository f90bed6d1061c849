// @ts-check
/**
 * A server whose time stands still until it is told to move, and whose worker starts when it may: `late-worker.js <folder>`.
 *
 * The worker notes its pid in `<folder>/workers.txt` and waits there for the file `go`. The server submits one task.
 * Every line on its stdin is a number of milliseconds to move on by, and is answered by one line when that is done. What
 * `onWorkers` is told is noted in `<folder>/changes.txt`.
 */
import { appendFileSync, existsSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { createEngine, isWorker, openSqliteStore } from 'holdfast';
import { createFakeClock, until } from 'holdfast/testing';

const [folder = ''] = process.argv.slice(2);
const fake = createFakeClock(Date.now());
const store = await openSqliteStore({ path: join(folder, 'tasks.db') });
const engine = await createEngine({
  name: 'late-worker',
  store,
  workers: 'detached',
  startMs: 10_000,
  idleMs: 200,
  ...(isWorker ? {} : { clock: fake }),
  onWorkers: (change) => appendFileSync(join(folder, 'changes.txt'), `${JSON.stringify(change)}\n`),
  tools: { where: { run: async () => ({ pid: process.pid, isWorker }) } },
});
if (isWorker) {
  appendFileSync(join(folder, 'workers.txt'), `${process.pid}\n`);
  await until(() => existsSync(join(folder, 'go')), { timeoutMs: 600_000 });
}
await engine.start();
const { task } = await engine.submit('where');
process.stdout.write(`${task.taskId}\n`);
for await (const line of createInterface({ input: process.stdin })) {
  await fake.advance(Number(line));
  process.stdout.write('moved\n');
}
await engine.close();
await store.close();
