import { describe, expect, it } from 'vitest';
import { judgeDrift, measureDrift } from '../../../src/campaign/soak/drift.ts';
import { type Sample, Timeline } from '../../../src/campaign/soak/timeline.ts';

const MIB = 1024 * 1024;

/** A run of so many seconds with one call and one sample in each. */
function toTimeline(
  seconds: number,
  sample: (at: number) => Omit<Sample, 'at'>,
  latency = (_at: number) => 10,
): Timeline {
  const timeline = new Timeline();
  for (let at = 0; at <= seconds; at += 1) {
    timeline.latencies.push({ at, value: latency(at) });
    timeline.samples.push({ at, ...sample(at) });
  }
  return timeline;
}

const find = (timeline: Timeline, maxDrift?: number) => judgeDrift(measureDrift(timeline, { maxDrift }));

describe('drift', () => {
  it('[BAD-507] compares the last window with the first after the warm-up, by name', () => {
    const timeline = toTimeline(
      1000,
      (at) => ({
        server_rss_bytes: (50 + at / 10) * MIB,
        worker_rss_bytes: 50 * MIB,
        server_descriptors: 20 + at / 100,
        database_bytes: 4 * MIB + at * 4096,
      }),
      (at) => 10 + at / 10,
    );
    const { values, from_s: fromS, window_s: windowS } = measureDrift(timeline);
    expect([fromS, windowS]).toEqual([200, 266.667]);
    // From second 200 on, and from second 734 on.
    expect(values.rss?.ratio).toBeCloseTo(173.4 / 120, 2);
    expect(find(timeline).map((failure) => failure.split(':')[0])).toEqual([
      'latency_p95_drift_exceeds_limit',
      'rss_drift_exceeds_limit',
      'descriptors_drift_exceeds_limit',
      'database_drift_exceeds_limit',
    ]);
  });

  it('[BAD-507] is not seen in a server that stays as it is, nor in the noise of a machine', () => {
    expect(find(toTimeline(1000, () => ({ server_rss_bytes: 90 * MIB, database_bytes: 3 * MIB })))).toEqual([]);
    const noisy = toTimeline(
      1000,
      (at) => ({ server_rss_bytes: (20 + at / 200) * MIB, server_descriptors: at < 500 ? 5 : 7 }),
      (at) => 2 + at / 300,
    );
    expect(measureDrift(noisy).values.latency_p95?.ratio).toBeGreaterThan(1.1);
    expect(find(noisy)).toEqual([]);
  });

  it('[BAD-507] is told from memory that rises and falls', () => {
    const sawtooth = (at: number) => (50 + (at % 190) / 2) * MIB;
    expect(find(toTimeline(1000, (at) => ({ server_rss_bytes: sawtooth(at) })))).toEqual([]);
    const leak = toTimeline(1000, (at) => ({ server_rss_bytes: sawtooth(at) + (at / 20) * MIB }));
    expect(find(leak)).toEqual([expect.stringMatching(/^rss_drift/)]);
  });

  it('[BAD-507] of a short run is told and judged only when a limit was given', () => {
    const timeline = toTimeline(60, (at) => ({ server_rss_bytes: (50 + at) * MIB }));
    expect(measureDrift(timeline)).toMatchObject({ judged: false, values: { rss: { ratio: expect.any(Number) } } });
    expect(find(timeline)).toEqual([]);
    expect(find(timeline, 1.2)).toEqual([expect.stringMatching(/^rss_drift_exceeds_limit:1\.\d\d>1\.20$/)]);
  });

  it('[BAD-507] is measured after the last kill: what runs then is another process', () => {
    const timeline = toTimeline(1000, (at) => ({ server_rss_bytes: (at < 300 ? 50 : 100) * MIB }));
    expect(find(timeline)).toEqual([expect.stringMatching(/^rss_drift/)]);
    timeline.kills.push({ what: 'server', at: 299, recovery_ms: 1000 });
    expect(find(timeline)).toEqual([]);
  });
});
