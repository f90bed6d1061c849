import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
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
const fits = (pattern: string, of: string) => createGlob(pattern)(toCodePoints(of));

describe('a glob', () => {
  it('[SEC-381] matches what the same pattern matches as a regular expression', () => {
    const agree = (pattern: string, of: string) => {
      expect(fits(pattern, of)).toBe(toPattern(pattern).test(of));
    };
    fc.assert(fc.property(glob, text, agree), { numRuns: 5000 });
  });

  it('[SEC-381] does so at every length, with one star', () => {
    const long = fc.string({ unit: fc.constantFrom('a', 'b', '?', '[ab]', '[!a]', ']'), maxLength: 70 });
    const agree = (head: string, tail: string, of: string) => {
      const pattern = `${head}*${tail}`;
      for (const one of [of, `${of}${of}`, tail, `${head}${of}${tail}`]) {
        expect(fits(pattern, one)).toBe(toPattern(pattern).test(one));
      }
    };
    fc.assert(fc.property(long, long, long, agree), { numRuns: 500 });
  });

  it('[SEC-381] matches what was made to fit it', () => {
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
    fc.assert(fc.property(made, isFound), { numRuns: 1500 });
  });

  it('[SEC-380] is tried a few times per character, whatever its stars', () => {
    const long = 'a'.repeat(4000);
    const many = ['*a'.repeat(400), '*?'.repeat(400), '*[a-z]'.repeat(150), `*${'a'.repeat(990)}`];
    for (const pattern of [...many, `*${'?'.repeat(990)}`, `*${'[!b]'.repeat(240)}*`]) {
      expect(fits(`${pattern}b*`, long)).toBe(false);
      expect(fits(pattern, long)).toBe(true);
    }
  });
});
