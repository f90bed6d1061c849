// @ts-check
/** How long does it take from the call of `submit` to the tool's first line, in this process or in a warm detached worker? */
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { createEngine, isWorker, openSqliteStore } from 'holdfast';
import { sharedNow, toMedian, toPercentile } from '../measure.js';
import { isQuick, print, remark } from '../report.js';
import { withTempDir } from '../temp-dir.js';
import { openByHand } from './by-hand.js';

/** @typedef {import('holdfast').Engine} Engine */

const DIR = 'HOLDFAST_BENCH_DIR';
const MODE = process.argv[2] === 'detached' ? 'detached' : 'inline';

/** A worker that has just had work polls more often; one that has been idle for a while, less often. */
const PACES = [
  { pace: 'busy', samples: isQuick ? 30 : 400, pauseMs: 0 },
  { pace: 'quiet', samples: isQuick ? 1 : 10, pauseMs: 10_500 },
];

// The worker runs this same program: it needs the same directory, and must not remove it.
if (isWorker) await openEngine(process.env[DIR] ?? '');
else await withTempDir(measure);

/** @param {string} dir */
async function measure(dir) {
  process.env[DIR] = dir;
  const { engine, store } = await openEngine(dir);
  const byHand = await openByHand(join(dir, 'by-hand', 'store.db'));
  for (let i = 0; i < 20; i++) await takeSample(engine);
  for (const { pace, samples, pauseMs } of PACES) {
    const waits = [];
    const afterSubmit = [];
    const commits = [];
    for (let i = 0; i < samples; i++) {
      // Random pauses, so that samples do not synchronize with the worker's polls.
      await setTimeout(pauseMs + Math.random() * 15);
      commits.push(timeCommit(byHand));
      const { waitMs, afterSubmitMs } = await takeSample(engine);
      waits.push(waitMs);
      afterSubmit.push(afterSubmitMs);
    }
    const commitMs = toMedian(commits);
    print({
      bench: 'pickup',
      workers: MODE,
      pace,
      ratio: toMedian(waits) / commitMs,
      ratioP99: toPercentile(waits, 0.99) / commitMs,
      p50Ms: toMedian(waits),
      p99Ms: toPercentile(waits, 0.99),
      p50AfterSubmitMs: toMedian(afterSubmit),
      commitMs,
      samples,
    });
  }
  await untilWorkersGone(store);
  await engine.close();
  await store.close();
  byHand.close();
}

/** @param {string} dir */
async function openEngine(dir) {
  const store = await openSqliteStore({ path: join(dir, 'engine', 'store.db') });
  const tools = { now: { run: () => sharedNow() } };
  const engine = await createEngine({ name: 'bench', store, workers: MODE, idleMs: 3000, tools });
  await engine.start();
  return { engine, store };
}

/**
 * The time from the call of `submit` to the tool's first line, and the part of it after `submit` had resolved.
 *
 * @param {Engine} engine
 */
async function takeSample(engine) {
  const calledAt = sharedNow();
  const { task } = await engine.submit('now');
  const submittedAt = sharedNow();
  const outcome = await engine.outcome(task.taskId);
  if (outcome.kind !== 'result') throw new Error(`task ${task.taskId} ended as ${outcome.kind}`);
  const begunAt = Number(outcome.value);
  return { waitMs: begunAt - calledAt, afterSubmitMs: Math.max(0, begunAt - submittedAt) };
}

/** @param {Awaited<ReturnType<typeof openByHand>>} byHand */
function timeCommit(byHand) {
  const start = performance.now();
  byHand.create({});
  return performance.now() - start;
}

/** Waits until the detached worker has exited, which it does when it is idle. @param {import('holdfast').Store} store */
async function untilWorkersGone(store) {
  if (MODE === 'inline') return;
  remark('waiting for the worker to end');
  while ((await store.workers.list()).length > 0) await setTimeout(100);
}
