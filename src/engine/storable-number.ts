const MAX_STORED = 1e12;

/**
 * Returns the number, capped at the largest one that can be stored: about thirty years in ms.
 *
 * `Infinity` is a fair way to say "no limit", but stores hold whole numbers, and must still do so when a time is added.
 */
export function toStorableNumber(value: number): number {
  return Math.min(value, MAX_STORED);
}
