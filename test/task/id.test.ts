import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { makeTaskId, makeToken } from '../../src/task/id.ts';

const TOKEN = /^[0-9a-v]{26}$/;

describe('a token', () => {
  it('[TASK-08] has 26 characters of five bits each, which is more than 128', () => {
    for (let n = 0; n < 100; n++) expect(makeToken()).toMatch(TOKEN);
    expect(26 * Math.log2(32)).toBeGreaterThanOrEqual(128);
  });

  it('[TASK-08] uses every letter of its alphabet in every place, so no bit is fixed', () => {
    const tokens = Array.from({ length: 2000 }, makeToken);
    for (let place = 0; place < 26; place++) {
      expect(new Set(tokens.map((token) => token[place])).size).toBe(32);
    }
  });

  it('is never made twice', () => {
    expect(new Set(Array.from({ length: 20_000 }, makeToken)).size).toBe(20_000);
  });
});

describe('a task id', () => {
  it('is its time in ten characters and a token', () => {
    const id = makeTaskId(Date.UTC(2030, 0, 1));
    expect(id).toHaveLength(36);
    expect(Number.parseInt(id.slice(0, 10), 32)).toBe(Date.UTC(2030, 0, 1));
    expect(id.slice(10)).toMatch(TOKEN);
  });

  it('sorts by time as text, until the year 10889', () => {
    const times = fc.nat({ max: 2 ** 48 - 1 });
    fc.assert(
      fc.property(times, times, (one, other) => {
        fc.pre(one !== other);
        expect(makeTaskId(one) < makeTaskId(other)).toBe(one < other);
      }),
    );
  });

  it('differs from others of the same millisecond', () => {
    expect(new Set(Array.from({ length: 1000 }, () => makeTaskId(5))).size).toBe(1000);
  });

  it('keeps its form on a clock before 1970 or between two milliseconds', () => {
    expect(makeTaskId(-5).slice(0, 10)).toBe('0000000000');
    expect(makeTaskId(33.9).slice(0, 10)).toBe('0000000011');
  });
});
