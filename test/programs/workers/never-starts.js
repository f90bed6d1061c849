// @ts-check
/** A program that starts its engine only where it is not a worker: `never-starts.js <folder>`. */
import { join } from 'node:path';
import { createEngine, isWorker, openSqliteStore } from 'holdfast';

const [folder = ''] = process.argv.slice(2);
const engine = await createEngine({
  name: 'never-starts',
  store: await openSqliteStore({ path: join(folder, 'tasks.db') }),
  workers: 'detached',
  startMs: 300,
  tools: { where: { run: async () => ({ pid: process.pid, isWorker }) } },
});
// Without this a worker would end at once.
const busy = setInterval(() => {}, 1000);
if (!isWorker) {
  await engine.start();
  await engine.submit('where');
  process.stdin.resume().once('end', () => {
    clearInterval(busy);
    void engine.close();
  });
}
