/** Latency statistics with the field names of a report. All values are 0 when nothing was measured. */
export interface LatencySummary {
  readonly count: number;
  readonly min_ms: number;
  readonly max_ms: number;
  readonly avg_ms: number;
  readonly p50_ms: number;
  readonly p95_ms: number;
}

/** Returns the value at rank `p·(n − 1)`, `p` from 0 to 1, interpolated between ranks. `NaN` for an empty list. */
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

/** Rounds to three decimals: anything below is measurement noise and makes reports hard to read. */
export function round(value: number): number {
  return Math.round(value * 1000) / 1000;
}
