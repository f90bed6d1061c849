/** What the worker registry decides, independent of where it is stored. */
import type { Build, ProcessRef, Silence, SilentLook, WorkerInfo, WorkerState } from './contracts/worker-contract.ts';

/** Whether the place of the detached worker is free. */
export interface ReserveDecision {
  /** The worker that keeps the place; `undefined` when the place is free. */
  readonly holder: WorkerInfo | undefined;
  /** Workers of older builds that must drain because the place was given away. */
  readonly drain: readonly WorkerInfo[];
}

/**
 * One detached worker per identity and machine has the place; a draining worker no longer counts. A request without
 * `starter` counts as being on the same machine as every worker.
 */
export function decideReserve(
  sameIdentity: readonly WorkerInfo[],
  { build, starter }: { readonly build: Build; readonly starter?: ProcessRef },
): ReserveDecision {
  const inPlace = sameIdentity.filter(
    (worker) => worker.kind === 'detached' && worker.state !== 'draining' && isOnSameMachine(worker, starter),
  );
  const holder = inPlace.find((worker) => worker.build.id === build.id || worker.build.at >= build.at);
  return { holder, drain: holder ? [] : inPlace };
}

/** Whether a worker runs on the same machine as a process, as far as both machines are known. */
export function isOnSameMachine({ process, starter }: WorkerInfo, other: ProcessRef | undefined): boolean {
  const own = process ?? starter;
  return own === undefined || other === undefined || isSameMachine(own, other);
}

/**
 * Whether two processes run, or ran, on one machine. Machines and containers may share a name, but never a boot id; a
 * process of an earlier boot is on no machine that could do its work now.
 */
function isSameMachine(one: ProcessRef, other: ProcessRef): boolean {
  if (one.host !== other.host) return false;
  const [boot, otherBoot] = [toBootId(one), toBootId(other)];
  return boot === undefined || otherBoot === undefined || boot === otherBoot;
}

/** The boot id: start times begin with it on systems that provide it. */
function toBootId({ startTime }: ProcessRef): string | undefined {
  const [boot, ticks] = startTime.split('/');
  return ticks === undefined ? undefined : boot;
}

/** A worker may leave only when it holds no lease; one that leaves because it is idle also waits for an empty queue. */
export function canRetire(
  worker: { readonly state: WorkerState; readonly leased: number; readonly queued: number },
  options: { readonly ifIdle: boolean },
): boolean {
  if (worker.leased > 0) return false;
  return !options.ifIdle || worker.state === 'draining' || worker.queued === 0;
}

/** The next `until`. It changes even when two heartbeats fall into one millisecond or the clock was set back. */
export function toUntil(now: number, leaseMs: number, previous?: number): number {
  const until = now + leaseMs;
  return until === previous ? until + 1 : until;
}

/** The stored silence of a worker; valid as long as both `until` and `sign` are unchanged. */
export interface SilenceRow extends Silence {
  readonly until: number;
  readonly sign?: string;
}

/** The result of one more observation of a silent worker. */
export interface SilenceDecision {
  readonly row: SilenceRow;
  /** Whether this observation marks the worker as stalled. */
  readonly hasStalled: boolean;
}

/** Adds one observation to what was stored before. */
export function decideSilence(before: SilenceRow | undefined, look: SilentLook, now: number): SilenceDecision {
  const { until, by, sign, stallMs } = look;
  const isSame = before !== undefined && before.until === until && before.sign === sign;
  const looks = before?.looks ?? 0;
  const named = sign === undefined ? {} : { sign };
  if (!isSame) return { row: { until, ...named, silentMs: 0, looks: looks + 1, since: now, by }, hasStalled: false };
  const addedMs = before.looks === look.after ? Math.max(0, Math.floor(look.toWatchedMs())) : 0;
  const silentMs = before.silentMs + addedMs;
  const row = { ...before, silentMs, looks: addedMs > 0 ? looks + 1 : looks, by };
  const hasStalled = before.stalledMs === undefined && silentMs >= stallMs;
  return { row: hasStalled ? { ...row, stalledMs: silentMs } : row, hasStalled };
}

/** The part of a silence that is shown outside the store. */
export function toSilence({ silentMs, looks, since, by, stalledMs }: SilenceRow): Silence {
  return { silentMs, looks, since, by, ...(stalledMs !== undefined && { stalledMs }) };
}
