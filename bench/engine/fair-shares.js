// @ts-check
/** How long does a quiet principal wait while another floods the queue, compared with an empty queue? */
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { createEngine, openSqliteStore } from 'holdfast';
import { sharedNow, toMedian, toPercentile, toRatio } from '../measure.js';
import { isQuick, print } from '../report.js';
import { withTempDir } from '../temp-dir.js';

const ROUNDS = isQuick ? 1 : 7;
const SAMPLES = isQuick ? 20 : 200;
const FLOOD = isQuick ? 100 : 900;
const FLOOD_MS = 200;

await withTempDir(async (dir) => {
  const flooded = await openSide(join(dir, 'flooded', 'store.db'));
  const empty = await openSide(join(dir, 'empty', 'store.db'));
  await flooded.flood();
  const rounds = [];
  for (let round = 0; round < ROUNDS; round++) rounds.push(await runRound(flooded, empty));
  const queued = await flooded.countQueued();
  if (queued < FLOOD / 2) throw new Error(`the flood has run dry: ${queued} tasks are left`);
  const flood = { p50: rounds.map((one) => one.flooded.p50), p99: rounds.map((one) => one.flooded.p99) };
  const calm = { p50: rounds.map((one) => one.empty.p50), p99: rounds.map((one) => one.empty.p99) };
  print({
    bench: 'fair-shares',
    ...toRatio(flood.p99, calm.p99),
    ratioP50: toRatio(flood.p50, calm.p50).ratio,
    aim: '<=1.5',
    p99Ms: toMedian(flood.p99),
    p99EmptyMs: toMedian(calm.p99),
    p50Ms: toMedian(flood.p50),
    p50EmptyMs: toMedian(calm.p50),
    queued,
    samples: SAMPLES,
    rounds: ROUNDS,
  });
  await flooded.close();
  await empty.close();
});

/** @typedef {Awaited<ReturnType<typeof openSide>>} Side */

/**
 * @param {Side} flooded
 * @param {Side} empty
 */
async function runRound(flooded, empty) {
  const waits = { flooded: /** @type {number[]} */ ([]), empty: /** @type {number[]} */ ([]) };
  for (let i = 0; i < SAMPLES; i++) {
    // Random pauses, so that samples do not synchronize with the ends of the flood's tasks.
    await setTimeout(Math.random() * 15);
    const sides = i % 2 === 0 ? ['flooded', 'empty'] : ['empty', 'flooded'];
    for (const side of /** @type {('flooded' | 'empty')[]} */ (sides)) {
      waits[side].push(await (side === 'flooded' ? flooded : empty).takeSample());
    }
  }
  return { flooded: toFigures(waits.flooded), empty: toFigures(waits.empty) };
}

/** @param {readonly number[]} waits */
function toFigures(waits) {
  return { p50: toMedian(waits), p99: toPercentile(waits, 0.99) };
}

/** @param {string} path */
async function openSide(path) {
  const store = await openSqliteStore({ path });
  /** @type {Map<string, (at: number) => void>} */
  const starts = new Map();
  const engine = await createEngine({
    name: 'bench',
    identity: 'bench',
    store,
    shutdownGraceMs: 0,
    tools: {
      quick: { run: (/** @type {{ id: string }} */ { id }) => starts.get(id)?.(sharedNow()) },
      long: {
        idempotent: true,
        // The flooding principal submits the next task as soon as one has ended.
        run: (_args, task) => setTimeout(FLOOD_MS, undefined, { signal: task.signal }).finally(() => submitNext()),
      },
    },
  });
  await engine.start();
  let isFlooding = false;
  const submitLong = () => engine.submit('long', {}, { principal: 'flooding' });
  const submitNext = () => {
    if (isFlooding) void submitLong();
  };

  return {
    /** Fills the queue, and keeps it full from then on. */
    async flood() {
      isFlooding = true;
      await Promise.all(Array.from({ length: FLOOD }, submitLong));
    },
    async countQueued() {
      return (await store.tasks.backlog(engine.identity)).queued;
    },
    /** The time from the call of `submit` to the tool's first line. */
    async takeSample() {
      const id = String(Math.random());
      const started = new Promise((resolve) => starts.set(id, resolve));
      const begin = sharedNow();
      await engine.submit('quick', { id }, { principal: 'quiet' });
      const at = /** @type {number} */ (await started);
      starts.delete(id);
      return at - begin;
    },
    async close() {
      isFlooding = false;
      await setTimeout(2 * FLOOD_MS);
      await engine.close();
      await store.close();
    },
  };
}
