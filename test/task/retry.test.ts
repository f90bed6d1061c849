import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { DEFAULT_RETRY, toRetryDelay } from '../../src/task/retry.ts';

const policy = { maxAttempts: 5, firstDelayMs: 1000, maxDelayMs: 60_000 };

describe('the delay before the next attempt', () => {
  it('[TASK-11] doubles with every attempt up to the longest', () => {
    const longest = (attempt: number) => toRetryDelay(policy, attempt, () => 1);
    expect([1, 2, 3, 4, 5, 6, 7, 8].map(longest)).toEqual([1000, 2000, 4000, 8000, 16_000, 32_000, 60_000, 60_000]);
  });

  it('is at least half of its window', () => {
    expect([1, 2, 3].map((attempt) => toRetryDelay(policy, attempt, () => 0))).toEqual([500, 1000, 2000]);
  });

  it('is a whole number within its window for every attempt and policy', () => {
    const policies = fc.record({
      maxAttempts: fc.integer({ min: 1, max: 100 }),
      firstDelayMs: fc.integer({ min: 0, max: 1_000_000 }),
      maxDelayMs: fc.integer({ min: 0, max: 1_000_000_000 }),
    });
    const random = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });
    fc.assert(
      fc.property(policies, fc.nat({ max: 5000 }), random, (one, attempt, value) => {
        const delay = toRetryDelay(one, attempt, () => value);
        expect(Number.isSafeInteger(delay)).toBe(true);
        expect(delay).toBeGreaterThanOrEqual(0);
        expect(delay).toBeLessThanOrEqual(one.maxDelayMs);
      }),
    );
  });

  it('is nothing under a policy without delay, however many attempts there were', () => {
    expect(toRetryDelay({ maxAttempts: 10_000, firstDelayMs: 0, maxDelayMs: 60_000 }, 2000)).toBe(0);
  });

  it('never shrinks from one attempt to the next by more than its jitter', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 50 }), (attempt) => {
        const [now, next] = [toRetryDelay(policy, attempt, () => 0.5), toRetryDelay(policy, attempt + 1, () => 0.5)];
        expect(next).toBeGreaterThanOrEqual(now);
      }),
    );
  });

  it('differs between tasks that failed together', () => {
    const delays = new Set(Array.from({ length: 50 }, () => toRetryDelay(DEFAULT_RETRY, 5)));
    expect(delays.size).toBeGreaterThan(10);
  });
});
