/**
 * Shell patterns as Python's `fnmatchcase` reads them: `*` and `?` also match slashes, case counts, and nothing is
 * special but `*`, `?`, `[set]` and `[!set]`.
 *
 * Patterns come from clients, so they are not made into regular expressions, which take exponential time on a few
 * stars. All ways to match are followed at once, one bit for each: a character of the text costs the same whatever came
 * before, one step for every 32 characters of the pattern.
 */
import { fitsOne, type OneChar, STAR, type Token, toTokens } from './glob-tokens.ts';

/** Whether a text, by its code points, fits. */
export type Glob = (text: readonly number[]) => boolean;

/** Bit n stands for a text that fits the first n places of the pattern; a star is no place. */
type Bits = Uint32Array;

export function createGlob(pattern: string): Glob {
  const tokens = toTokens(pattern);
  const places = tokens.filter((token) => token !== STAR);
  const loops = toLoops(tokens, places.length);
  const getSteps = createSteps(places);
  return (text) => {
    const reached = toBits(places.length);
    setBit(reached, 0);
    for (const char of text) if (!move(reached, getSteps(char), loops)) return false;
    return hasBit(reached, places.length);
  };
}

/** Takes one character in; says whether there is still a way to match. */
function move(reached: Bits, steps: Bits, loops: Bits): boolean {
  let carry = 0;
  let isAlive = 0;
  for (let at = 0; at < reached.length; at++) {
    const before = reached[at] ?? 0;
    const after = (((before << 1) | carry) & (steps[at] ?? 0)) | (before & (loops[at] ?? 0));
    carry = before >>> 31;
    reached[at] = after;
    isAlive |= after;
  }
  return isAlive !== 0;
}

/** Where a star stands, any character leaves a text where it is. */
function toLoops(tokens: readonly Token[], places: number): Bits {
  const loops = toBits(places);
  let place = 0;
  for (const token of tokens) {
    if (token === STAR) setBit(loops, place);
    else place += 1;
  }
  return loops;
}

/** The places that a character fits. Characters between two that the pattern names are all alike, and looked at once. */
function createSteps(places: readonly OneChar[]): (char: number) => Bits {
  const borders = toBorders(places);
  const known: Bits[] = [];
  return (char) => {
    const at = findBorder(borders, char);
    const steps = known[at] ?? toSteps(places, char);
    known[at] = steps;
    return steps;
  };
}

function toSteps(places: readonly OneChar[], char: number): Bits {
  const steps = toBits(places.length);
  for (const [at, place] of places.entries()) if (fitsOne(place, char)) setBit(steps, at + 1);
  return steps;
}

/** Every character at which a place begins or ceases to fit, in order. */
function toBorders(places: readonly OneChar[]): readonly number[] {
  const borders = new Set([0]);
  for (const place of places) {
    if (place === 'any') continue;
    const ranges = typeof place === 'number' ? [[place, place] as const] : place.ranges;
    for (const [first, last] of ranges) borders.add(first).add(last + 1);
  }
  return [...borders].sort((a, b) => a - b);
}

/** The last border that is not above the character. */
function findBorder(borders: readonly number[], char: number): number {
  let low = 0;
  let high = borders.length - 1;
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if ((borders[middle] ?? 0) <= char) low = middle;
    else high = middle - 1;
  }
  return low;
}

function toBits(places: number): Bits {
  return new Uint32Array(Math.floor(places / 32) + 1);
}

function setBit(bits: Bits, at: number): void {
  const word = Math.floor(at / 32);
  bits[word] = (bits[word] ?? 0) | (1 << (at % 32));
}

function hasBit(bits: Bits, at: number): boolean {
  return ((bits[Math.floor(at / 32)] ?? 0) & (1 << (at % 32))) !== 0;
}
