/**
 * Drift: a server's resource use at the end compared with the start.
 *
 * The time after the last kill is divided into windows of equal length; the last is compared with the first. Nothing from before
 * a kill is compared, because it belongs to another process.
 */
import { percentile, round } from '../report/percentile.ts';
import type { Point } from '../report/thin.ts';
import type { Sample, Timeline } from './timeline.ts';

export interface DriftValue {
  readonly first: number;
  readonly last: number;
  readonly ratio: number;
}

export type DriftName = 'latency_p95' | 'rss' | 'descriptors' | 'database';

export interface Drift {
  /** The limit for every ratio. */
  readonly max_drift: number;
  /** Whether a ratio above the limit is a failure. A run of seconds is judged only when a limit was given. */
  readonly judged: boolean;
  readonly from_s: number;
  readonly window_s: number;
  readonly values: Readonly<Partial<Record<DriftName, DriftValue>>>;
}

export interface DriftOptions {
  /** @default 1.1, judged only in a run that is long enough */
  readonly maxDrift?: number | undefined;
}

const DEFAULT_MAX_DRIFT = 1.1;
/** Few and therefore long windows: a garbage collector may take minutes from one low to the next. */
const WINDOWS = 3;
/** A shorter period is judged only when a limit was given: memory may rise for minutes before it is collected. */
const JUDGED_AFTER_S = 600;
/** The share of the period in which a new process grows to its normal size. */
const WARM_UP_SHARE = 0.2;

/** Smaller differences are noise of the machine and the garbage collector, whatever their ratio. */
const NOISE: Readonly<Record<DriftName, number>> = {
  latency_p95: 5,
  rss: 8 * 1024 * 1024,
  descriptors: 2,
  database: 256 * 1024,
};

export function measureDrift(timeline: Timeline, { maxDrift }: DriftOptions = {}): Drift {
  const until = Math.max(timeline.latencies.at(-1)?.at ?? 0, timeline.samples.at(-1)?.at ?? 0);
  const lastKill = timeline.kills.reduce((at, kill) => Math.max(at, kill.at + (kill.recovery_ms ?? 0) / 1000), 0);
  const from = lastKill + (until - lastKill) * WARM_UP_SHARE;
  const windowS = (until - from) / WINDOWS;
  const compare = (points: readonly Point[], p: number) => compareWindows(points, { from, until, windowS, p });
  const of = (read: (sample: Sample) => number | undefined, p = 0.5) => compare(toPoints(timeline.samples, read), p);
  const values = {
    latency_p95: compare(timeline.latencies, 0.95),
    // The minimum: unused memory is released late, but a leak is never released.
    rss: of(({ server_rss_bytes: server, worker_rss_bytes: worker }) => add(server, worker), 0),
    descriptors: of(({ server_descriptors: server, worker_descriptors: worker }) => add(server, worker)),
    database: of(({ database_bytes: bytes }) => bytes),
  };
  return {
    max_drift: maxDrift ?? DEFAULT_MAX_DRIFT,
    judged: maxDrift !== undefined || until - lastKill >= JUDGED_AFTER_S,
    from_s: round(from),
    window_s: round(windowS),
    values: Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)),
  };
}

/** Returns the failures of a drift, by their report names. */
export function judgeDrift({ judged, max_drift: limit, values }: Drift): string[] {
  if (!judged) return [];
  return (Object.entries(values) as [DriftName, DriftValue][])
    .filter(([name, { first, last, ratio }]) => ratio > limit && last - first > NOISE[name])
    .map(([name, { ratio }]) => `${name}_drift_exceeds_limit:${ratio.toFixed(2)}>${limit.toFixed(2)}`);
}

interface Windows {
  readonly from: number;
  readonly until: number;
  readonly windowS: number;
  readonly p: number;
}

function compareWindows(points: readonly Point[], { from, until, windowS, p }: Windows): DriftValue | undefined {
  const first = points.filter(({ at }) => at >= from && at < from + windowS);
  const last = points.filter(({ at }) => at >= until - windowS);
  if (first.length === 0 || last.length === 0) return undefined;
  const [before, after] = [first, last].map((window) => percentile(toValues(window), p)) as [number, number];
  return { first: round(before), last: round(after), ratio: round(before === 0 ? 1 : after / before) };
}

function toPoints(samples: readonly Sample[], read: (sample: Sample) => number | undefined): Point[] {
  return samples.flatMap((sample) => {
    const value = read(sample);
    return value === undefined ? [] : [{ at: sample.at, value }];
  });
}

function toValues(points: readonly Point[]): number[] {
  return points.map(({ value }) => value);
}

function add(a: number | undefined, b: number | undefined): number | undefined {
  return a === undefined && b === undefined ? undefined : (a ?? 0) + (b ?? 0);
}
