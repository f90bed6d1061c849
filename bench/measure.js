// @ts-check
/**
 * Comparable figures: a fixed amount of work, alternating sides, and a garbage collection in between.
 *
 * A machine never behaves the same for two minutes. So no side is measured alone: every round runs each side once, in
 * alternating order, and the result is the ratio within a round.
 */

/** @param {readonly number[]} values */
export function toMedian(values) {
  return toPercentile(values, 0.5);
}

/**
 * The smallest value that is not exceeded by `share` of all values.
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
 * Runs every side once per round and returns each side's figures, round by round. The first round only warms up.
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
 * The median of the ratios within each round, and their range.
 *
 * @param {readonly number[]} ours
 * @param {readonly number[]} theirs
 */
export function toRatio(ours, theirs) {
  const ratios = ours.map((figure, round) => figure / (theirs[round] ?? Number.NaN));
  return { ratio: toMedian(ratios), lowest: Math.min(...ratios), highest: Math.max(...ratios) };
}

/**
 * Compares our delays with those of the earlier implementation.
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

/** Runs a garbage collection, so that a figure does not include the garbage of the previous one. */
export function collect() {
  if (!globalThis.gc) throw new Error('run with node --expose-gc');
  globalThis.gc();
}

/** A clock that all processes of this machine share, in ms. */
export function sharedNow() {
  return Number(process.hrtime.bigint()) / 1e6;
}
