import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { toMedian, toRemainingMs } from '../../src/task/estimate.ts';

describe('the median', () => {
  it('is the middle value, or the mean of the two in the middle', () => {
    expect(toMedian([])).toBeUndefined();
    expect(toMedian([7])).toBe(7);
    expect(toMedian([9, 1, 5])).toBe(5);
    expect(toMedian([4, 1, 3, 2])).toBe(2.5);
  });

  it('sorts by size, not by text', () => {
    expect(toMedian([100, 9, 20])).toBe(20);
  });

  it('has as many values below as above it, whatever the order', () => {
    fc.assert(
      fc.property(fc.array(fc.nat({ max: 1000 }), { minLength: 1, maxLength: 20 }), (values) => {
        const before = [...values];
        const median = toMedian(values) ?? expect.unreachable();
        expect(values).toEqual(before);
        expect(values.filter((value) => value < median).length).toBeLessThanOrEqual(values.length / 2);
        expect(values.filter((value) => value > median).length).toBeLessThanOrEqual(values.length / 2);
      }),
    );
  });

  it('is not moved by one run that took very long', () => {
    expect(toMedian([10, 11, 12, 13, 1_000_000])).toBe(12);
  });
});

describe('the time left', () => {
  it('is the estimate before the work has begun', () => {
    expect(toRemainingMs({ estimateMs: 9000 }, 5)).toBe(9000);
    expect(toRemainingMs({}, 5)).toBeUndefined();
  });

  it('is what is left of the estimate while there is no progress', () => {
    expect(toRemainingMs({ startedAt: 0, estimateMs: 9000 }, 4000)).toBe(5000);
    expect(toRemainingMs({ startedAt: 0, estimateMs: 9000 }, 20_000)).toBe(0);
    expect(toRemainingMs({ startedAt: 0 }, 4000)).toBeUndefined();
  });

  it('is measured from the progress when there is no estimate', () => {
    expect(toRemainingMs({ startedAt: 0, progress: { value: 0.25 } }, 1000)).toBe(3000);
  });

  it('[TASK-12] trusts the progress more the further it is', () => {
    const left = (value: number) => toRemainingMs({ startedAt: 0, estimateMs: 10_000, progress: { value } }, 5000);
    expect([left(0.1), left(0.5), left(1)]).toEqual([9000, 5000, 0]);
  });

  it('ignores a progress that has no total', () => {
    expect(toRemainingMs({ startedAt: 0, estimateMs: 9000, progress: { value: 42 } }, 4000)).toBe(5000);
  });

  it('is never negative, not even when the clock was set back', () => {
    const running = fc.record(
      {
        startedAt: fc.nat(),
        estimateMs: fc.nat(),
        progress: fc.record({ value: fc.double({ min: -1, max: 2, noNaN: true }) }),
      },
      { requiredKeys: [] },
    );
    fc.assert(
      fc.property(running, fc.nat(), (task, now) => {
        const left = toRemainingMs(task, now);
        if (left !== undefined) expect(left).toBeGreaterThanOrEqual(0);
      }),
    );
  });

  it('is nothing once the progress is complete', () => {
    expect(toRemainingMs({ startedAt: 0, progress: { value: 1 } }, 5000)).toBe(0);
  });
});
