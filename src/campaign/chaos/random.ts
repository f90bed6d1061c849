/** Pseudo-random numbers that are the same for the same seed, on every machine and in every version of Node. */
export interface Random {
  /** A number from 0 (inclusive) to 1 (exclusive). */
  next(): number;
  /** A whole number, both ends included. */
  whole(from: number, to: number): number;
  pick<T>(list: readonly T[]): T;
  /** Picks an entry with a probability proportional to its weight. */
  weigh<T>(entries: readonly (readonly [T, number])[]): T;
}

/** mulberry32: small, and good enough to distribute faults. */
export function createRandom(seed: number): Random {
  let state = seed >>> 0;
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const whole = (from: number, to: number) => from + Math.floor(next() * (to - from + 1));
  const pick = <T>(list: readonly T[]) => list[whole(0, list.length - 1)] as T;
  return {
    next,
    whole,
    pick,
    weigh<T>(entries: readonly (readonly [T, number])[]) {
      let left = next() * entries.reduce((sum, [, weight]) => sum + weight, 0);
      for (const [value, weight] of entries) {
        left -= weight;
        if (left < 0) return value;
      }
      return (entries[0] as readonly [T, number])[0];
    },
  };
}
