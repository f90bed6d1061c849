// @ts-check
/** Prints one JSON line per figure on stdout, and remarks for people on stderr. */

/** Whether sizes are reduced: to check that everything runs, not for meaningful figures. */
export const isQuick = process.argv.includes('--quick');

/**
 * Prints one figure. `aim` is a bound such as `>= 0.7` on `ratio`.
 *
 * @param {{ bench: string, ratio: number, aim?: string } & Record<string, unknown>} figure
 */
export function print(figure) {
  const { ratio, aim } = figure;
  const verdict = aim === undefined || isQuick ? {} : { met: isMet(ratio, aim) };
  const line = { ...figure, ...verdict, ...(isQuick ? { quick: true } : {}) };
  process.stdout.write(`${JSON.stringify(toShort(line))}\n`);
}

/** @param {string} text */
export function remark(text) {
  process.stderr.write(`bench: ${text}\n`);
}

/**
 * @param {number} ratio
 * @param {string} aim
 */
function isMet(ratio, aim) {
  const bound = Number(aim.slice(2));
  return aim.startsWith('>=') ? ratio >= bound : ratio <= bound;
}

/**
 * Rounds to three significant digits; more would suggest false precision.
 *
 * @param {unknown} value
 * @returns {unknown}
 */
function toShort(value) {
  if (typeof value === 'number') return Math.abs(value) >= 1000 ? Math.round(value) : Number(value.toPrecision(3));
  if (value === null || typeof value !== 'object') return value;
  if (Array.isArray(value)) return value.map(toShort);
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, toShort(inner)]));
}
