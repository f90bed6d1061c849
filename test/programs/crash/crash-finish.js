// @ts-check
/** What comes after a crash: finishes everything that is in the store, and says what it finds. */
import { OPERATOR } from 'holdfast';
import { until } from 'holdfast/testing';
import { openCrashEngine } from './crash-engine.js';

/**
 * @param {string} dir
 * @param {'inline' | 'detached'} workers
 * @param {NodeJS.ProcessEnv} [env] where the store is
 * @returns {Promise<(import('holdfast').Task & { events: readonly import('holdfast').TaskEvent[] })[]>}
 */
export async function finishCrashed(dir, workers, env) {
  const { engine, store } = await openCrashEngine(dir, { workers, sweepMs: 1e9 }, env);
  await engine.start();

  const { tasks } = await engine.list({}, { principal: OPERATOR });
  await Promise.all(tasks.map((task) => finish(engine, task.taskId)));
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
  return report;
}

/**
 * @param {import('holdfast').Engine} engine
 * @param {string} taskId
 */
async function finish(engine, taskId) {
  for await (const event of engine.watch(taskId)) {
    const { tool, questions } = await engine.get(taskId);
    if (tool === 'hang' && event.type === 'progress') await engine.cancel(taskId);
    if (event.type !== 'asked') continue;
    const open = questions.find((question) => question.key === event.key && question.answer === undefined);
    if (open) await engine.answer(taskId, { [open.key]: { action: 'accept', content: { ship: true } } });
  }
}
