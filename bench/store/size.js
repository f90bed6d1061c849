// @ts-check
/** What does each verb cost with 1,000,000 stored tasks, compared with 1,000? */
import { join } from 'node:path';
import { createEngine, openSqliteStore } from 'holdfast';
import { currentProcess } from '../../dist/process/process-ref.js';
import { makeTaskId } from '../../dist/task/id.js';
import { interleave, toMedian, toRatio } from '../measure.js';
import { isQuick, print, remark } from '../report.js';
import { withTempDir } from '../temp-dir.js';
import { fillStore } from './fill.js';

/** @typedef {Awaited<ReturnType<typeof openSide>>} Side */

const SMALL = 1000;
const LARGE = isQuick ? 20_000 : 1_000_000;
const ROUNDS = isQuick ? 3 : 11;
const IDENTITY = 'filled-with-old-tasks-';
const CLAIMED = isQuick ? 50 : 200;
const WORKER = 'a-worker-of-the-bench-0000';

/**
 * What is measured: each runs its work once and returns the ms per operation.
 *
 * @type {Record<string, { times: number, run: (side: Side, times: number) => Promise<number> }>}
 */
const VERBS = {
  'get, the newest': { times: 2000, run: (side, times) => timeGets(side, side.newest, times) },
  'get, any': { times: 2000, run: (side, times) => timeGets(side, side.ids, times) },
  'list, first page of 100': { times: 60, run: (side, times) => timeLists(side, {}, times) },
  'list, what waits': { times: 60, run: (side, times) => timeLists(side, { status: 'queued' }, times) },
  'list, failed ones': { times: 60, run: (side, times) => timeLists(side, { status: 'failed', limit: 20 }, times) },
  claim: { times: CLAIMED, run: timeClaims },
  cycle: { times: isQuick ? 100 : 400, run: (side, times) => timeCycles(side, times, 1) },
  'cycle, 32 at once': { times: isQuick ? 320 : 1600, run: (side, times) => timeCycles(side, times, 32) },
};

await withTempDir(async (dir) => {
  const small = await openSide(join(dir, 'small', 'store.db'), SMALL);
  const large = await openSide(join(dir, 'large', 'store.db'), LARGE);
  for (const [verb, { times, run }] of Object.entries(VERBS)) {
    if (verb === 'cycle') await Promise.all([small.engine.start(), large.engine.start()]);
    const figures = await interleave(ROUNDS, { large: () => run(large, times), small: () => run(small, times) });
    print({
      bench: 'size',
      verb,
      stored: LARGE,
      against: SMALL,
      ...toRatio(figures.large, figures.small),
      aim: '<=1.2',
      largeMs: toMedian(figures.large),
      smallMs: toMedian(figures.small),
      times,
      rounds: ROUNDS,
    });
  }
  for (const { engine, store } of [small, large]) {
    await engine.close();
    await store.close();
  }
});

/**
 * @param {string} path
 * @param {number} count
 */
async function openSide(path, count) {
  const start = performance.now();
  const ids = await fillStore(path, { count, identity: IDENTITY });
  remark(`filled with ${count} tasks in ${((performance.now() - start) / 1000).toFixed(1)} s`);
  const store = await openSqliteStore({ path });
  const tools = { noop: { run: () => 'done' } };
  const engine = await createEngine({ name: 'bench', store, identity: IDENTITY, concurrency: 32, tools });
  const build = { id: 'bench', at: 0 };
  const place = {
    workerId: WORKER,
    identity: 'claims',
    kind: /** @type {const} */ ('inline'),
    build,
    leaseMs: 600_000,
  };
  await store.workers.register({ ...place, process: currentProcess() });
  for (let i = 0; i < 20; i++) await store.tasks.create(toNewTask('nobody'), { queueLimit: 100 });
  return { store, engine, ids, newest: ids.slice(-20) };
}

/**
 * @param {Side} side
 * @param {readonly string[]} ids
 * @param {number} times
 */
async function timeGets({ store }, ids, times) {
  const order = Array.from({ length: times }, () => ids[Math.floor(Math.random() * ids.length)] ?? '');
  const start = performance.now();
  for (const taskId of order) {
    if ((await store.tasks.get({ taskId }))?.taskId !== taskId) throw new Error(`task ${taskId} is not there`);
  }
  return (performance.now() - start) / times;
}

/**
 * @param {Side} side
 * @param {Partial<import('holdfast').TaskFilter>} filter
 * @param {number} times
 */
async function timeLists({ engine }, filter, times) {
  let found = 0;
  const start = performance.now();
  for (let i = 0; i < times; i++) found += (await engine.list(filter)).tasks.length;
  const ms = (performance.now() - start) / times;
  if (found === 0) throw new Error('nothing was found');
  return ms;
}

/**
 * Claims tasks one at a time, from a queue that is filled before and emptied after.
 *
 * @param {Side} side
 * @param {number} times
 */
async function timeClaims({ store }, times) {
  await Promise.all(
    Array.from({ length: times }, () => store.tasks.create(toNewTask('claims'), { queueLimit: times })),
  );
  const start = performance.now();
  const leases = [];
  for (let i = 0; i < times; i++) {
    const [claimed] = await store.tasks.claim({ worker: WORKER, identity: 'claims', free: { noop: 1 }, max: 1 });
    if (!claimed) throw new Error('the queue ran dry');
    leases.push({ taskId: claimed.task.taskId, fence: claimed.task.fence });
  }
  const ms = (performance.now() - start) / times;
  const outcome = { kind: /** @type {const} */ ('result'), value: 'done' };
  await Promise.all(leases.map((lease) => store.tasks.settle(lease, { outcome })));
  return ms;
}

/** @param {string} identity whose workers may claim the task */
function toNewTask(identity) {
  const who = { tool: 'noop', args: { year: 2025 }, principal: 'local', identity };
  const limits = { ttlMs: 3_600_000, pollIntervalMs: 1000, idempotent: false, maxAttempts: 1, deliver: [] };
  return { taskId: makeTaskId(Date.now()), ...who, ...limits };
}

/**
 * @param {Side} side
 * @param {number} times
 * @param {number} lanes
 */
async function timeCycles({ engine }, times, lanes) {
  let left = times;
  const lane = async () => {
    while (left-- > 0) {
      const { task } = await engine.submit('noop', { year: 2025 });
      const outcome = await engine.outcome(task.taskId);
      if (outcome.kind !== 'result') throw new Error(`task ${task.taskId} ended as ${outcome.kind}`);
    }
  };
  const start = performance.now();
  await Promise.all(Array.from({ length: lanes }, lane));
  return (performance.now() - start) / times;
}
