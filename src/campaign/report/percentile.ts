/** How long calls took, in the fields of a report. All are 0 when nothing was measured. */
export interface LatencySummary {
  readonly count: number;
  readonly min_ms: number;
  readonly max_ms: number;
  readonly avg_ms: number;
  readonly p50_ms: number;
  readonly p95_ms: number;
}

/** The value at rank `p·(n − 1)`, `p` from 0 to 1; between two ranks it is interpolated. `NaN` of nothing. */
export function percentile(values: readonly number[], p: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  const rank = Math.min(Math.max(p, 0), 1) * (sorted.length - 1);
  const below = sorted[Math.floor(rank)] ?? Number.NaN;
  const above = sorted[Math.ceil(rank)] ?? Number.NaN;
  return below + (above - below) * (rank - Math.floor(rank));
}

export function summarizeLatency(values: readonly number[]): LatencySummary {
  if (values.length === 0) return { count: 0, min_ms: 0, max_ms: 0, avg_ms: 0, p50_ms: 0, p95_ms: 0 };
  const sum = values.reduce((total, value) => total + value, 0);
  return {
    count: values.length,
    min_ms: round(percentile(values, 0)),
    max_ms: round(percentile(values, 1)),
    avg_ms: round(sum / values.length),
    p50_ms: round(percentile(values, 0.5)),
    p95_ms: round(percentile(values, 0.95)),
  };
}

/** To a thousandth: what lies below is noise of the machine, and makes reports hard to read. */
export function round(value: number): number {
  return Math.round(value * 1000) / 1000;
}
