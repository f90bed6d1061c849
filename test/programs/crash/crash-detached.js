// @ts-check
/**
 * The same story with a detached worker: this program is both the server and, run again by the engine, its worker.
 * One of the two is killed once at a named point.
 *
 * node crash-detached.js DIR server|worker POINT; POINT `none` goes all the way and notes the points passed.
 */
import { isWorker } from 'holdfast';
import { armCrashPoint, recordCrashPoints } from 'holdfast/testing';
import { openCrashEngine } from './crash-engine.js';
import { openJournal } from './crash-journal.js';

const [dir = '', role = 'server', point = 'none'] = process.argv.slice(2);
const me = isWorker ? 'worker' : 'server';
openJournal(dir).note('pid', process.pid);
if (point === 'none') {
  const { names } = recordCrashPoints();
  process.on('exit', () => {
    for (const name of names) openJournal(dir).note('point', `${me}/${name}`);
  });
} else if (me === role && (me === 'server' || openJournal(dir).first('armed'))) {
  armCrashPoint(point);
}

const { engine, store, journal } = await openCrashEngine(dir, { workers: 'detached', startMs: 5000, parkMs: 1e9 });
await engine.start();

const submit = async (/** @type {string} */ tool) => {
  const { task } = await engine.submit(tool, {}, { deliver: [{ topic: 'bell' }], idempotencyKey: tool });
  journal.note('submitted', tool, task.taskId);
  return task.taskId;
};
const pay = await submit('pay');
const build = await submit('build');
const hang = await submit('hang');
for await (const event of engine.watch(build)) {
  if (event.type !== 'asked') continue;
  await engine.answer(build, { q1: { action: 'accept', content: { ship: true } } });
  journal.note('answered', build);
}
for await (const event of engine.watch(hang)) {
  if (event.type !== 'progress') continue;
  // Its worker may have died before: then it has ended as interrupted, and there was nothing to cancel.
  const { cancelled } = await engine.cancel(hang);
  if (cancelled) journal.note('cancelled', hang);
}
await engine.outcome(pay);
await engine.close();
await store.close();
