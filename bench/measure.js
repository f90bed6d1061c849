// @ts-check
/**
 * Figures that can be compared: fixed work, the two sides by turns, rubbish collected between.
 *
 * A machine is never the same for two minutes. So no side is measured alone: every round runs each of them once,
 * in changing order, and what counts is the ratio inside a round.
 */

/** @param {readonly number[]} values */
export function toMedian(values) {
  return toPercentile(values, 0.5);
}

/**
 * The smallest value that `share` of all values do not exceed.
 *
 * @param {readonly number[]} values
 * @param {number} share 0..1
 */
export function toPercentile(values, share) {
  const sorted = [...values].sort((a, b) => a - b);
  const value = sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)];
  if (value === undefined) throw new Error('there is nothing to take a percentile of');
  return value;
}

/**
 * Runs every side once per round and returns what each gave, round by round. The first round only warms up.
 *
 * @template {string} Side
 * @param {number} rounds
 * @param {Record<Side, () => number | Promise<number>>} sides each runs its work once and returns one figure
 * @returns {Promise<Record<Side, number[]>>}
 */
export async function interleave(rounds, sides) {
  const names = /** @type {Side[]} */ (Object.keys(sides));
  const figures = /** @type {Record<Side, number[]>} */ ({});
  for (const name of names) figures[name] = [];
  for (let round = 0; round <= rounds; round++) {
    for (const name of round % 2 === 0 ? names : names.toReversed()) {
      collect();
      const figure = await sides[name]();
      if (round > 0) figures[name].push(figure);
    }
  }
  return figures;
}

/**
 * The median of the ratios inside each round, and how far they lie apart.
 *
 * @param {readonly number[]} ours
 * @param {readonly number[]} theirs
 */
export function toRatio(ours, theirs) {
  const ratios = ours.map((figure, round) => figure / (theirs[round] ?? Number.NaN));
  return { ratio: toMedian(ratios), lowest: Math.min(...ratios), highest: Math.max(...ratios) };
}

/**
 * Our delays beside those of the way it was done before.
 *
 * @param {readonly number[]} waits
 * @param {readonly number[]} naiveWaits
 */
export function toDelays(waits, naiveWaits) {
  return {
    ratio: toMedian(naiveWaits) / toMedian(waits),
    aim: '>= 20',
    ratioP99: toPercentile(naiveWaits, 0.99) / toPercentile(waits, 0.99),
    p50Ms: toMedian(waits),
    p99Ms: toPercentile(waits, 0.99),
    naiveP50Ms: toMedian(naiveWaits),
    naiveP99Ms: toPercentile(naiveWaits, 0.99),
  };
}

/** Collects what is unreachable; a figure must not pay for the rubbish of the one before. */
export function collect() {
  if (!globalThis.gc) throw new Error('run with node --expose-gc');
  globalThis.gc();
}

/** A time all processes of this machine share, in ms. */
export function sharedNow() {
  return Number(process.hrtime.bigint()) / 1e6;
}
