import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { toLearnedMs, toMedian, toRemainingMs } from '../../src/task/estimate.ts';

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
    expect(toRemainingMs({ startedAt: 0 }, 4000)).toBeUndefined();
  });

  it('is measured from the progress when there is no estimate', () => {
    expect(toRemainingMs({ startedAt: 0, progress: { value: 0.25 } }, 1000)).toBe(3000);
  });

  it('[HOSTS-330] goes by the progress alone once a tenth is done, whatever was estimated', () => {
    for (const estimateMs of [1000, 56_000, 100_000, 3_600_000]) {
      const left = (value: number, now: number) =>
        toRemainingMs({ startedAt: 0, estimateMs, progress: { value } }, now);
      expect([left(0.1, 10_000), left(0.5, 50_000), left(0.8, 80_000)]).toEqual([90_000, 50_000, 20_000]);
      expect(left(0.48, 50_000)).toBe(54_167);
    }
  });

  it('[TASK-12] [HOSTS-331] trusts the first progress more the further it is, and the longer the work has gone on', () => {
    const left = (value: number, now: number) =>
      toRemainingMs({ startedAt: 0, estimateMs: 100_000, progress: { value } }, now);
    // By the estimate 98 s are left, and 18 s by progress that is ten times as fast.
    expect([0.0001, 0.025, 0.05, 0.1].map((value) => left(value, 2000))).toEqual([117_900, 93_000, 68_000, 18_000]);
    expect([left(0.5, 0), left(0.5, 500), left(0.5, 1000)]).toEqual([100_000, 50_000, 1000]);
  });

  it('[HOSTS-331] is not told of the first two per cent where there is no estimate', () => {
    const left = (value: number) => toRemainingMs({ startedAt: 0, progress: { value } }, 2000);
    expect([left(0.0001), left(0.019), left(0.02)]).toEqual([undefined, undefined, 98_000]);
  });

  it('[HOSTS-332] is unknown once the work has taken longer than the estimate and tells no progress', () => {
    expect(toRemainingMs({ startedAt: 0, estimateMs: 9000 }, 9000)).toBeUndefined();
    expect(toRemainingMs({ startedAt: 0, estimateMs: 9000 }, 20_000)).toBeUndefined();
    // The estimate is refuted: what little progress there is counts alone.
    expect(toRemainingMs({ startedAt: 0, estimateMs: 9000, progress: { value: 0.05 } }, 20_000)).toBe(380_000);
  });

  it('[HOSTS-333] does not count the time that the work waited for answers, also for several at once', () => {
    const answer = { action: 'accept' } as const;
    const questions = [
      { askedAt: 20_000, answeredAt: 60_000, answer },
      { askedAt: 10_000, answeredAt: 40_000, answer },
      { askedAt: 70_000, answeredAt: 1_000_000, answer },
    ];
    // At work from 0 to 10 s and from 60 s to 70 s.
    const answered = { startedAt: 0, questions, status: 'working' } as const;
    expect(toRemainingMs({ ...answered, progress: { value: 0.4 } }, 1_000_000)).toBe(30_000);
    expect(toRemainingMs({ ...answered, estimateMs: 25_000 }, 1_000_000)).toBe(5000);
  });

  it('[FIRST-404] is unknown while somebody has to answer, whatever was learned or done', () => {
    const waiting = { startedAt: 0, questions: [{ askedAt: 10 }], estimateMs: 900, progress: { value: 0.5 } };
    expect(toRemainingMs({ ...waiting, status: 'input_required' }, 20)).toBeUndefined();
    // Parked, and nobody at work.
    expect(toRemainingMs({ ...waiting, status: 'queued' }, 20)).toBeUndefined();
  });

  it('[HOSTS-333] does not count the time in the queue, before the work has begun and after it went back', () => {
    expect(toRemainingMs({ status: 'queued', updatedAt: 0, estimateMs: 9000 }, 500_000)).toBe(9000);
    const back = { status: 'queued', startedAt: 100_000, updatedAt: 110_000 } as const;
    expect(toRemainingMs({ ...back, progress: { value: 0.5 } }, 500_000)).toBe(10_000);
  });

  it('is unknown of what has ended', () => {
    expect(toRemainingMs({ status: 'failed', startedAt: 0, progress: { value: 0.5 } }, 5000)).toBeUndefined();
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

describe('what a run teaches', () => {
  it('is how long it ran', () => {
    expect(toLearnedMs({ attempt: 3, startedAt: 0, updatedAt: 500 }, 70)).toBe(70);
  });

  it('[FIRST-405] is the work before it was parked and after, without the time that somebody was waited for', () => {
    const answer = { action: 'accept' } as const;
    const questions = [{ askedAt: 10_000, answeredAt: 90_000, answer }];
    const parked = { attempt: 1, startedAt: 0, updatedAt: 90_000, questions };
    expect(toLearnedMs(parked, 500)).toBe(10_500);
    // Begun again after a loss: what was repeated is not known.
    expect(toLearnedMs({ ...parked, attempt: 2 }, 500)).toBeUndefined();
  });
});
