// @ts-check
/** How many tasks per second go from submit to complete, compared with the same transactions written by hand? */
import { join } from 'node:path';
import { createEngine, openSqliteStore } from 'holdfast';
import { interleave, toMedian, toRatio } from '../measure.js';
import { isQuick, print } from '../report.js';
import { withTempDir } from '../temp-dir.js';
import { openByHand } from './by-hand.js';

const ARGS = { path: '/var/reports/2025/index.html', pages: [1, 2, 3] };
const ROUNDS = isQuick ? 3 : 11;
const CASES = [
  { concurrency: 1, cycles: isQuick ? 100 : 500, aim: '>=0.7' },
  { concurrency: 32, cycles: isQuick ? 320 : 1600, aim: '>=2' },
];

await withTempDir(async (dir) => {
  const store = await openSqliteStore({ path: join(dir, 'engine', 'store.db') });
  const engine = await createEngine({
    name: 'bench',
    store,
    concurrency: 32,
    tools: { noop: { run: (args) => args } },
  });
  const byHand = await openByHand(join(dir, 'by-hand', 'store.db'));
  await engine.start();
  for (const { concurrency, cycles, aim } of CASES) {
    const figures = await interleave(ROUNDS, {
      engine: () => toRate(cycles, () => runEngine(engine, cycles, concurrency)),
      byHand: () => toRate(cycles, () => runByHand(byHand, cycles)),
    });
    print({
      bench: 'cycle',
      concurrency,
      ...toRatio(figures.engine, figures.byHand),
      aim,
      enginePerSecond: toMedian(figures.engine),
      byHandPerSecond: toMedian(figures.byHand),
      cycles,
      rounds: ROUNDS,
    });
  }
  await engine.close();
  await store.close();
  byHand.close();
});

/**
 * @param {number} cycles
 * @param {() => void | Promise<void>} run
 */
async function toRate(cycles, run) {
  const start = performance.now();
  await run();
  return (cycles * 1000) / (performance.now() - start);
}

/**
 * @param {import('holdfast').Engine} engine
 * @param {number} cycles
 * @param {number} lanes
 */
async function runEngine(engine, cycles, lanes) {
  let left = cycles;
  const lane = async () => {
    while (left-- > 0) {
      const { task } = await engine.submit('noop', ARGS);
      const outcome = await engine.outcome(task.taskId);
      if (outcome.kind !== 'result') throw new Error(`task ${task.taskId} ended as ${outcome.kind}`);
    }
  };
  await Promise.all(Array.from({ length: lanes }, lane));
}

/**
 * @param {Awaited<ReturnType<typeof openByHand>>} byHand
 * @param {number} cycles
 */
function runByHand(byHand, cycles) {
  for (let i = 0; i < cycles; i++) {
    byHand.create(ARGS);
    const task = byHand.claim();
    byHand.settle(task, task.args);
  }
}
