// @ts-check
/** What do 10,000 tasks that wait for an answer cost, held in memory or parked? */
import { join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout } from 'node:timers/promises';
import { createEngine, openSqliteStore } from 'holdfast';
import { collect } from '../measure.js';
import { isQuick, print } from '../report.js';
import { withTempDir } from '../temp-dir.js';

const HOW = process.argv[2] === 'parked' ? 'parked' : 'in-memory';
const TASKS = isQuick ? 1000 : 10_000;
// Longer than the 30 seconds after which a waiter polls even without a notification.
const WINDOW_MS = isQuick ? 2000 : 35_000;
const QUESTION = {
  message: 'Publish it?',
  schema: { type: 'object', properties: { confirm: { type: 'boolean' } }, required: ['confirm'] },
};

await withTempDir(async (dir) => {
  const store = await openSqliteStore({ path: join(dir, 'store.db') });
  const engine = await createEngine({
    name: 'bench',
    store,
    queueLimit: TASKS,
    parkMs: 1000,
    shutdownGraceMs: 0,
    // Only an idempotent tool is parked.
    tools: { ask: { idempotent: HOW === 'parked', run: (_args, task) => task.ask(QUESTION) } },
  });
  await engine.start();
  await warmUp(engine);
  const before = await observe();
  await Promise.all(Array.from({ length: TASKS }, (_, year) => engine.submit('ask', { year })));
  await untilSettled(store, engine.identity);
  const after = await observe();
  print({
    bench: 'waiting',
    how: HOW,
    tasks: TASKS,
    ratio: after.cpuPercent / before.cpuPercent,
    cpuPercent: after.cpuPercent,
    cpuPercentWithout: before.cpuPercent,
    longestBlockMs: after.longestBlockMs,
    longestBlockMsWithout: before.longestBlockMs,
    heapBytesPerTask: (after.heap - before.heap) / TASKS,
    rssBytesPerTask: (after.rss - before.rss) / TASKS,
    windowMs: WINDOW_MS,
  });
  await engine.close();
  await store.close();
});

/** Runs one task from submit to its end, so that the first figures do not include compilation. */
async function warmUp(/** @type {import('holdfast').Engine} */ engine) {
  const { task } = await engine.submit('ask', { year: -1 });
  for await (const event of engine.watch(task.taskId)) {
    if (event.type === 'asked')
      await engine.answer(task.taskId, { q1: { action: 'accept', content: { confirm: true } } });
  }
}

/** Waits until every task waits as it should; parked tasks have no lease. */
async function untilSettled(/** @type {import('holdfast').Store} */ store, /** @type {string} */ identity) {
  for (;;) {
    const { queued, leased } = await store.tasks.backlog(identity);
    const { tasks } = await store.tasks.list({ status: 'working', limit: 1 });
    if (queued === 0 && tasks.length === 0 && leased === (HOW === 'parked' ? 0 : TASKS)) return;
    await setTimeout(100);
  }
}

/** Memory after a garbage collection, then processor time (all threads) over a window in which nothing happens. */
async function observe() {
  await setTimeout(1500);
  collect();
  collect();
  const { heapUsed: heap, rss } = process.memoryUsage();
  const delay = monitorEventLoopDelay({ resolution: 10 });
  delay.enable();
  const start = process.cpuUsage();
  const startedAt = performance.now();
  await setTimeout(WINDOW_MS);
  const { user, system } = process.cpuUsage(start);
  delay.disable();
  const cpuPercent = (user + system) / 10 / (performance.now() - startedAt);
  return { heap, rss, cpuPercent, longestBlockMs: delay.max / 1e6 - 10 };
}
