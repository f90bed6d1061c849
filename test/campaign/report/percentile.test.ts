import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { percentile, summarizeLatency } from '../../../src/campaign/report/percentile.ts';

describe('percentiles', () => {
  it('[BAD-500] lie at rank p·(n − 1), between two ranks in proportion', () => {
    expect(percentile([4, 1, 3, 2], 0.5)).toBe(2.5);
    expect(percentile([10, 20, 30, 40, 50], 0.95)).toBeCloseTo(48, 10);
    expect(percentile([7], 0.95)).toBe(7);
    expect(percentile([1, 2], -1)).toBe(1);
    expect(percentile([1, 2], 2)).toBe(2);
    expect(percentile([], 0.5)).toBeNaN();
  });

  it('[BAD-500] never leave the range of the values, and rise with p', () => {
    const values = fc.array(fc.integer({ min: -1000, max: 1000 }), { minLength: 1 });
    fc.assert(
      fc.property(values, fc.double({ min: 0, max: 1, noNaN: true }), (all, p) => {
        const value = percentile(all, p);
        expect(value).toBeGreaterThanOrEqual(Math.min(...all));
        expect(value).toBeLessThanOrEqual(percentile(all, Math.min(1, p + 0.1)) + 1e-9);
      }),
    );
  });

  it('[BAD-500] a summary has the fields of a report', () => {
    expect(summarizeLatency([1, 2, 3, 4.0004])).toEqual({
      count: 4,
      min_ms: 1,
      max_ms: 4,
      avg_ms: 2.5,
      p50_ms: 2.5,
      p95_ms: 3.85,
    });
    expect(summarizeLatency([])).toEqual({ count: 0, min_ms: 0, max_ms: 0, avg_ms: 0, p50_ms: 0, p95_ms: 0 });
  });
});
