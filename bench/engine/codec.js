// @ts-check
/**
 * What does a codec cost? Whole cycles of an engine with AES-GCM, compared with cycles without a codec.
 *
 * node --expose-gc bench/engine/codec.js [--quick]
 */
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { aesGcmCodec, createEngine, openSqliteStore } from 'holdfast';
import { interleave, toMedian, toRatio } from '../measure.js';
import { isQuick, print } from '../report.js';
import { withTempDir } from '../temp-dir.js';

const ARGS = { path: '/srv/www/index.html', pages: [1, 2, 3] };
const ROUNDS = isQuick ? 3 : 21;
const CASES = [
  { concurrency: 1, cycles: isQuick ? 100 : 500 },
  { concurrency: 32, cycles: isQuick ? 320 : 1600 },
];

await withTempDir(async (dir) => {
  const codec = aesGcmCodec({ keys: [{ id: 'k1', key: randomBytes(32) }] });
  const coded = await open(join(dir, 'coded', 'store.db'), { codec });
  const plain = await open(join(dir, 'plain', 'store.db'));
  for (const { concurrency, cycles } of CASES) {
    const figures = await interleave(ROUNDS, {
      coded: () => toRate(coded.engine, cycles, concurrency),
      plain: () => toRate(plain.engine, cycles, concurrency),
    });
    print({
      bench: 'codec',
      concurrency,
      ...toRatio(figures.coded, figures.plain),
      aim: '>=0.9',
      codedPerSecond: toMedian(figures.coded),
      plainPerSecond: toMedian(figures.plain),
      cycles,
      rounds: ROUNDS,
    });
  }
  await coded.close();
  await plain.close();
});

/**
 * @param {string} path
 * @param {Partial<import('holdfast').EngineOptions>} options
 */
async function open(path, options = {}) {
  const store = await openSqliteStore({ path });
  const tools = { noop: { run: (/** @type {unknown} */ args) => args } };
  const engine = await createEngine({ name: 'bench', store, concurrency: 32, tools, ...options });
  await engine.start();
  return {
    engine,
    async close() {
      await engine.close();
      await store.close();
    },
  };
}

/**
 * @param {import('holdfast').Engine} engine
 * @param {number} cycles
 * @param {number} lanes
 */
async function toRate(engine, cycles, lanes) {
  const start = performance.now();
  let left = cycles;
  const lane = async () => {
    while (left-- > 0) {
      const { task } = await engine.submit('noop', ARGS);
      const outcome = await engine.outcome(task.taskId);
      if (outcome.kind !== 'result') throw new Error(`task ${task.taskId} ended as ${outcome.kind}`);
    }
  };
  await Promise.all(Array.from({ length: lanes }, lane));
  return (cycles * 1000) / (performance.now() - start);
}
