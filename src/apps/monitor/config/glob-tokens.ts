/** The tokens of a shell pattern. */

/** Matches any text. */
export const STAR = 'star';

export interface CharSet {
  readonly isNegated: boolean;
  readonly ranges: readonly Range[];
}

export type Range = readonly [first: number, last: number];

/** A token that matches one character. */
export type OneChar = number | 'any' | CharSet;

export type Token = OneChar | typeof STAR;

export function toCodePoints(text: string): readonly number[] {
  return Array.from(text, (char) => char.codePointAt(0) ?? 0);
}

export function fitsOne(token: OneChar, char: number): boolean {
  if (typeof token === 'number') return token === char;
  if (token === 'any') return true;
  return token.ranges.some(([first, last]) => char >= first && char <= last) !== token.isNegated;
}

export function toTokens(pattern: string): readonly Token[] {
  const tokens: Token[] = [];
  for (let at = 0; at < pattern.length; ) {
    const set = pattern[at] === '[' ? findSet(pattern, at) : undefined;
    if (set !== undefined) {
      const token = toSet(set);
      // A range such as [z-a] is invalid; the pattern then matches only itself.
      if (token === undefined) return toCodePoints(pattern);
      tokens.push(token);
      at += set.length + 2;
      continue;
    }
    const char = pattern.codePointAt(at) as number;
    tokens.push(toToken(char));
    at += char > 0xffff ? 2 : 1;
  }
  return tokens;
}

function toToken(char: number): Token {
  if (char === ASTERISK) return STAR;
  return char === QUESTION_MARK ? 'any' : char;
}

/** Returns the text between the brackets of the set that begins here, if there is one. */
function findSet(pattern: string, open: number): string | undefined {
  const first = open + (pattern[open + 1] === '!' ? 2 : 1);
  // A set has at least one character, so `]` can be its first.
  const close = pattern.indexOf(']', first + 1);
  return close === -1 ? undefined : pattern.slice(open + 1, close);
}

function toSet(set: string): CharSet | undefined {
  const isNegated = set.startsWith('!');
  const chars = toCodePoints(isNegated ? set.slice(1) : set);
  const ranges: Range[] = [];
  for (let at = 0; at < chars.length; ) {
    const isRange = chars[at + 1] === DASH && at + 2 < chars.length;
    const first = chars[at] as number;
    const last = isRange ? (chars[at + 2] as number) : first;
    if (last < first) return undefined;
    ranges.push([first, last]);
    at += isRange ? 3 : 1;
  }
  return { isNegated, ranges };
}

const ASTERISK = 0x2a;
const QUESTION_MARK = 0x3f;
const DASH = 0x2d;
