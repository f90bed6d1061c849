// @ts-check
/**
 * Comes after a crash: finishes everything that is in the store, and prints what it finds.
 *
 * node crash-survivor.js DIR [inline|detached]
 */
import { OPERATOR } from 'holdfast';
import { until } from 'holdfast/testing';
import { openCrashEngine } from './crash-engine.js';

const [dir = '', workers = 'inline'] = process.argv.slice(2);
const { engine, store } = await openCrashEngine(dir, {
  workers: workers === 'detached' ? 'detached' : 'inline',
  sweepMs: 1e9,
});
await engine.start();

const { tasks } = await engine.list({}, { principal: OPERATOR });
await Promise.all(tasks.map((task) => finish(task.taskId)));
await until(async () => (await store.outbox.take({ topics: ['bell'], max: 1, holdMs: 0 })).nextDueAt === undefined, {
  what: 'the outbox to be empty',
});
await until(async () => (await store.workers.list()).every((worker) => worker.kind === 'inline'), {
  what: 'detached workers to leave',
});

const report = [];
for (const { taskId } of tasks) {
  const task = await engine.get(taskId);
  report.push({ ...task, events: await store.tasks.events(taskId, 0, 10_000) });
}
await engine.close();
await store.close();
console.log(JSON.stringify(report));

/** @param {string} taskId */
async function finish(taskId) {
  for await (const event of engine.watch(taskId)) {
    const { tool, questions } = await engine.get(taskId);
    if (tool === 'hang' && event.type === 'progress') await engine.cancel(taskId);
    if (event.type !== 'asked') continue;
    const open = questions.find((question) => question.key === event.key && question.answer === undefined);
    if (open) await engine.answer(taskId, { [open.key]: { action: 'accept', content: { ship: true } } });
  }
}
