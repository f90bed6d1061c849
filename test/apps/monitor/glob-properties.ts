/** What is true of every glob, tried with as many as there is time for. */
import fc from 'fast-check';
import { expect } from 'vitest';
import { createGlob } from '../../../src/apps/monitor/config/glob.ts';
import { toCodePoints } from '../../../src/apps/monitor/config/glob-tokens.ts';

/** The same patterns as regular expressions: right for short ones, and slow without end for some long ones. */
function toPattern(glob: string): RegExp {
  const token = /\*+|\?|\[(!?[\s\S][^\]]*)\]|[\\^$.+()[\]{}|/]/g;
  const source = glob.replace(token, (found, set: string | undefined) => {
    if (found.startsWith('*')) return '.*';
    if (found === '?') return '.';
    if (set === undefined) return `\\${found}`;
    return set === '!' ? '\\[!\\]' : toSet(set);
  });
  return compile(source) ?? compile(glob.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&')) ?? /$^/;
}

function toSet(set: string): string {
  const isNegated = set.startsWith('!');
  return `[${isNegated ? '^' : ''}${(isNegated ? set.slice(1) : set).replace(/[\\^[\]]/g, '\\$&')}]`;
}

function compile(source: string): RegExp | undefined {
  try {
    return new RegExp(`^(?:${source})$`, 'su');
  } catch {
    return undefined;
  }
}

const CHARS = ['*', '?', '[', ']', '!', '-', '^', '\\', '/', '.', '\n', 'a', 'b', 'c', '😀', '\ud83d', '$', '|'];
const toText = (maxLength: number) => fc.string({ unit: fc.constantFrom(...CHARS), maxLength });
const glob = toText(9);
const text = toText(9);
export const fits = (pattern: string, of: string) => createGlob(pattern)(toCodePoints(of));

/** Short ones match what the same pattern matches as a regular expression. */
export function tryAsPatterns(numRuns: number): void {
  const agree = (pattern: string, of: string) => {
    expect(fits(pattern, of)).toBe(toPattern(pattern).test(of));
  };
  fc.assert(fc.property(glob, text, agree), { numRuns });
}

/** So do long ones, with one star. */
export function tryEveryLength(numRuns: number): void {
  const long = fc.string({ unit: fc.constantFrom('a', 'b', '?', '[ab]', '[!a]', ']'), maxLength: 70 });
  const agree = (head: string, tail: string, of: string) => {
    const pattern = `${head}*${tail}`;
    for (const one of [of, `${of}${of}`, tail, `${head}${of}${tail}`]) {
      expect(fits(pattern, one)).toBe(toPattern(pattern).test(one));
    }
  };
  fc.assert(fc.property(long, long, long, agree), { numRuns });
}

/** What was made to fit is matched. */
export function tryMadeToFit(numRuns: number): void {
  const part = fc.oneof(
    fc.tuple(fc.constant('*'), text),
    fc.tuple(fc.constant('?'), fc.constantFrom('a', '/', '😀', '\n')),
    fc.tuple(fc.constant('[a-c]'), fc.constantFrom('a', 'b', 'c')),
    fc.tuple(fc.constant('[!a-c]'), fc.constantFrom('d', '/', '😀')),
    fc.constantFrom('a', '.', '/', '😀').map((char) => [char, char] as const),
  );
  const made = fc.array(part, { maxLength: 12 });
  const isFound = (parts: readonly (readonly [string, string])[]) => {
    const [pattern, of] = [parts.map(([one]) => one).join(''), parts.map(([, one]) => one).join('')];
    expect(fits(pattern, of)).toBe(true);
  };
  fc.assert(fc.property(made, isFound), { numRuns });
}
