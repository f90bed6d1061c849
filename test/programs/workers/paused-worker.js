// @ts-check
/**
 * A worker that is paused in the middle of a tool and does not know it: when it goes on it tries everything an
 * attempt can write.
 *
 * node paused-worker.js DIR TOOL
 */
import { join } from 'node:path';
import { createEngine, openSqliteStore } from 'holdfast';
import { openJournal } from '../crash/crash-journal.js';

const [dir = '', given] = process.argv.slice(2);
const tool = given === 'again' ? 'again' : 'once';
const journal = openJournal(dir);
const store = await openSqliteStore({ path: join(dir, 'tasks.db') });

/** @param {import('holdfast').TaskContext} task */
async function run(task) {
  journal.note('taken', task.taskId, process.pid);
  process.kill(process.pid, 'SIGSTOP');
  const attempts = [
    () => task.progress(0.99, 'too late'),
    () => task.step('late', () => 'late'),
    () => task.ask({ key: 'late', message: 'Too late?', schema: { type: 'object', properties: {} } }),
    () => task.spawn('sleep', ['1000']),
  ];
  for (const attempt of attempts) await attempt().catch((error) => journal.note('refused', error.code));
  return 'from the old worker';
}

const engine = await createEngine({
  name: 'paused',
  identity: 'paused',
  store,
  leaseMs: 500,
  superviseMs: 1e9,
  onError: () => {},
  tools: {
    again: { idempotent: true, run: (_args, task) => run(task) },
    once: { run: (_args, task) => run(task) },
  },
});
await engine.start();
const { task } = await engine.submit(tool);
const outcome = await engine.outcome(task.taskId);
await engine.close();
await store.close();
console.log(JSON.stringify(outcome));
