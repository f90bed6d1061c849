import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isTaskError } from '../../src/errors.ts';
import { DEFAULT_TTL_MS, MAX_TTL_MS, parseTtl, toExpiry } from '../../src/task/ttl.ts';

describe('a time to live', () => {
  it('is null or any whole number of milliseconds up to a year', () => {
    expect(parseTtl(null)).toBeNull();
    expect(parseTtl(DEFAULT_TTL_MS)).toBe(3_600_000);
    fc.assert(fc.property(fc.integer({ min: 0, max: MAX_TTL_MS }), (ttlMs) => parseTtl(ttlMs) === ttlMs));
  });

  it.each([
    -1,
    0.5,
    MAX_TTL_MS + 1,
    Number.NaN,
    Number.POSITIVE_INFINITY,
    Number.NEGATIVE_INFINITY,
    '60000',
    undefined,
    true,
    {},
    [5],
    10n,
  ])('is never %s', (value) => {
    const error = catchError(() => parseTtl(value));
    expect(isTaskError(error, 'INVALID_TTL')).toBe(true);
    expect(String(error)).toContain(`${MAX_TTL_MS}`);
  });

  it('counts from the end of the work', () => {
    expect(toExpiry(1_000_000, 500)).toBe(1_000_500);
    expect(toExpiry(1_000_000, 0)).toBe(1_000_000);
  });

  it('that is null never runs out', () => {
    expect(toExpiry(1_000_000, null)).toBeUndefined();
  });
});

function catchError(run: () => unknown): unknown {
  try {
    return run();
  } catch (error) {
    return error;
  }
}
