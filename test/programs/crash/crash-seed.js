// @ts-check
/**
 * Dies in the middle of its work, so that somebody else has a dead worker to recover: one task that may be run
 * again, one that may not and has a program running, and one that waits for an answer.
 *
 * node crash-seed.js DIR [stop]; with `stop` it does not die, and only stops for good.
 */
import { openCrashEngine } from './crash-engine.js';

const [dir = '', how = 'die'] = process.argv.slice(2);
const { engine, journal } = await openCrashEngine(dir, { parkMs: 1e9 });
await engine.start();
for (const [tool, type] of [
  ['long', 'progress'],
  ['hang', 'progress'],
  ['build', 'asked'],
]) {
  const { task } = await engine.submit(
    tool ?? '',
    {},
    { deliver: [{ topic: 'bell' }], idempotencyKey: `seed-${tool}` },
  );
  journal.note('submitted', tool ?? '', task.taskId);
  for await (const event of engine.watch(task.taskId)) if (event.type === type) break;
}
journal.note('seeded', process.pid);
process.kill(process.pid, how === 'stop' ? 'SIGSTOP' : 'SIGKILL');
