// @ts-check
/**
 * How long does it take until a worker elsewhere, connected only through PostgreSQL, has started a task or seen its
 * cancellation?
 */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { chmod } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { createEngine } from 'holdfast';
import { openPostgresStore } from 'holdfast/postgres';
import pg from 'pg';
import { makeCluster } from '../../scripts/servers/postgres-cluster.mjs';
import { sharedNow, toMedian, toPercentile } from '../measure.js';
import { isQuick, print } from '../report.js';
import { withTempDir } from '../temp-dir.js';

/** @typedef {import('holdfast').Engine} Engine */
/** @typedef {import('node:child_process').ChildProcess} ChildProcess */

const SAMPLES = isQuick ? 20 : 400;
const URL_NAME = 'HOLDFAST_BENCH_URL';
const PARTS = { name: 'bench', identity: 'bench' };

if (process.send) await work();
else await withTempDir(measure);

/** The worker: reports when a tool has started, and when it has seen its cancellation. */
async function work() {
  const say = (/** @type {string} */ what) => process.send?.({ what, at: sharedNow() });
  const hold = (/** @type {unknown} */ _args, /** @type {{ signal: AbortSignal }} */ { signal }) =>
    new Promise((_resolve, reject) => {
      say('begun');
      signal.addEventListener('abort', () => {
        say('heard');
        reject(signal.reason);
      });
    });
  const store = await openPostgresStore({ url: process.env[URL_NAME] ?? '' });
  const engine = await createEngine({ ...PARTS, store, workers: 'inline', tools: { hold: { run: hold } } });
  await engine.start();
  say('ready');
}

/** @param {string} dir */
async function measure(dir) {
  // The server runs as another user if this is run as root.
  await chmod(dir, 0o755);
  const cluster = await makeCluster(join(dir, 'cluster'), { isDurable: true });
  const url = cluster.url();
  const worker = fork(fileURLToPath(import.meta.url), { env: { ...process.env, [URL_NAME]: url } });
  await hear(worker, 'ready');
  const store = await openPostgresStore({ url });
  const tools = { hold: { run: () => null } };
  const engine = await createEngine({ ...PARTS, store, workers: 'none', tools });
  await engine.start();
  const hand = new pg.Client({ connectionString: url });
  await hand.connect();
  await hand.query('CREATE TABLE by_hand (at float8)');
  for (let i = 0; i < 20; i++) await takeSample(engine, worker);
  /** @type {{ begunMs: number, heardMs: number, commitMs: number }[]} */
  const samples = [];
  for (let i = 0; i < SAMPLES; i++) {
    // Random pauses, so that samples do not synchronize with anything that polls.
    await setTimeout(Math.random() * 15);
    const commitMs = await timeCommit(hand);
    samples.push({ ...(await takeSample(engine, worker)), commitMs });
  }
  const commitMs = toMedian(samples.map((sample) => sample.commitMs));
  for (const [what, waits] of /** @type {const} */ ([
    ['begun elsewhere', samples.map(({ begunMs }) => begunMs)],
    ['cancel heard elsewhere', samples.map(({ heardMs }) => heardMs)],
  ])) {
    const [p50Ms, p99Ms] = [toMedian(waits), toPercentile(waits, 0.99)];
    print({ bench: 'far', what, ratio: p50Ms / commitMs, p50Ms, p99Ms, p99AimMs: 50, commitMs, samples: SAMPLES });
  }
  await hand.end();
  await engine.close();
  await store.close();
  worker.kill('SIGKILL');
  await cluster.stop('immediate');
}

/**
 * The time from `submit` to the tool's first line in the worker, and from `cancel` to its abort.
 * @param {Engine} engine @param {ChildProcess} worker
 */
async function takeSample(engine, worker) {
  const begun = hear(worker, 'begun');
  const submittedAt = sharedNow();
  const { task } = await engine.submit('hold', {});
  const begunMs = (await begun) - submittedAt;
  const heard = hear(worker, 'heard');
  const cancelledAt = sharedNow();
  await engine.cancel(task.taskId);
  const heardMs = (await heard) - cancelledAt;
  await engine.outcome(task.taskId);
  return { begunMs, heardMs };
}

/** The time at which the worker reported it. @param {ChildProcess} worker @param {string} what @returns {Promise<number>} */
async function hear(worker, what) {
  for (;;) {
    const [said] = await once(worker, 'message');
    if (said.what === what) return said.at;
  }
}

/** The duration of one transaction with a sync, in ms. @param {pg.Client} hand */
async function timeCommit(hand) {
  const start = performance.now();
  await hand.query('INSERT INTO by_hand VALUES (1)');
  return performance.now() - start;
}
