// @ts-check
/**
 * Goes through everything an inline engine writes, and is killed at one named point on the way.
 *
 * node crash-victim.js DIR POINT PHASE; the point is armed when the phase begins, so that it is not met by a write
 * that had nothing to write. POINT `none` goes all the way and notes the points it passed.
 */
import { armCrashPoint, recordCrashPoints, until } from 'holdfast/testing';
import { openCrashEngine } from './crash-engine.js';

const [dir = '', point = 'none', armIn = 'start'] = process.argv.slice(2);
const recording = point === 'none' ? recordCrashPoints() : undefined;

phase('start');
const { engine, store, journal } = await openCrashEngine(dir);
await engine.start();

phase('pay');
const pay = await submit('pay');
await engine.outcome(pay);

phase('build');
const build = await submit('build');
await seen(build, 'parked');
phase('answer');
await engine.answer(build, { q1: { action: 'accept', content: { ship: true } } });
journal.note('answered', build);
await engine.outcome(build);

phase('hang');
const hang = await submit('hang');
await seen(hang, 'progress');
if ((await engine.cancel(hang)).cancelled) journal.note('cancelled', hang);

phase('flaky');
await engine.outcome(await submit('flaky'));

phase('brief');
const brief = await submit('brief');
await until(async () => (await engine.get(brief)).outcome?.kind === 'expired', { what: 'the sweep' });

await until(async () => (await store.outbox.take({ topics: ['bell'], max: 1, holdMs: 0 })).nextDueAt === undefined);

phase('long');
const long = await submit('long');
await seen(long, 'progress');
await engine.close();
await store.close();
if (recording) for (const name of recording.names) journal.note('point', name);

/** @param {string} name */
function phase(name) {
  if (name === armIn && point !== 'none') armCrashPoint(point);
}

/** @param {string} tool */
async function submit(tool) {
  const { task } = await engine.submit(tool, {}, { deliver: [{ topic: 'bell' }], idempotencyKey: tool });
  journal.note('submitted', tool, task.taskId);
  return task.taskId;
}

/**
 * @param {string} taskId
 * @param {string} type
 */
async function seen(taskId, type) {
  for await (const event of engine.watch(taskId)) if (event.type === type) return;
}
