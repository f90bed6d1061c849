import { describe, expect, it } from 'vitest';
import { fits, tryAsPatterns, tryEveryLength, tryMadeToFit } from './glob-properties.ts';

// Many times as often: test/real/security/globs.test.ts.
describe('a glob', () => {
  it('[SEC-381] matches what the same pattern matches as a regular expression', () => tryAsPatterns(5000));

  it('[SEC-381] does so at every length, with one star', () => tryEveryLength(500));

  it('[SEC-381] matches what was made to fit it', () => tryMadeToFit(1500));

  it('[SEC-380] is tried a few times per character, whatever its stars', () => {
    const long = 'a'.repeat(4000);
    const many = ['*a'.repeat(400), '*?'.repeat(400), '*[a-z]'.repeat(150), `*${'a'.repeat(990)}`];
    for (const pattern of [...many, `*${'?'.repeat(990)}`, `*${'[!b]'.repeat(240)}*`]) {
      expect(fits(`${pattern}b*`, long)).toBe(false);
      expect(fits(pattern, long)).toBe(true);
    }
  });
});
