/**
 * Shell patterns with the semantics of Python's `fnmatchcase`: `*` and `?` also match slashes, case matters, and only `*`, `?`,
 * `[set]` and `[!set]` are special.
 *
 * Patterns come from clients, so they are not compiled to regular expressions, which can take exponential time with a few stars.
 * Instead all possible matches are tracked at once as bits (an NFA): each character of the text costs the same, one step for
 * every 32 characters of the pattern.
 */
import { fitsOne, type OneChar, STAR, type Token, toTokens } from './glob-tokens.ts';

/** Whether a text, given as code points, matches. */
export type Glob = (text: readonly number[]) => boolean;

/** Bit n is set when the text so far matches the first n positions of the pattern; a star is not a position. */
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

/** Consumes one character; returns whether a match is still possible. */
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

/** Bits of the positions that have a star, where any character leaves the state unchanged. */
function toLoops(tokens: readonly Token[], places: number): Bits {
  const loops = toBits(places);
  let place = 0;
  for (const token of tokens) {
    if (token === STAR) setBit(loops, place);
    else place += 1;
  }
  return loops;
}

/**
 * Returns the positions that a character matches. All characters between two borders match the same positions, so these are
 * computed once per interval.
 */
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

/** Sorted code points at which some position starts or stops matching. */
function toBorders(places: readonly OneChar[]): readonly number[] {
  const borders = new Set([0]);
  for (const place of places) {
    if (place === 'any') continue;
    const ranges = typeof place === 'number' ? [[place, place] as const] : place.ranges;
    for (const [first, last] of ranges) borders.add(first).add(last + 1);
  }
  return [...borders].sort((a, b) => a - b);
}

/** Returns the index of the last border that is not above the character. */
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
