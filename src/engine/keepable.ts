const MOST = 1e12;

/**
 * The same number, or the largest one that can be kept: about thirty years in ms.
 *
 * `Infinity` is a fair way to say "no limit", but stores keep whole numbers, and must still do so when a time is added.
 */
export function toKeepable(value: number): number {
  return Math.min(value, MOST);
}
