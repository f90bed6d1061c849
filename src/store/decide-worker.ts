/** What the worker registry decides, without saying where it is kept. */
import type { Build, ProcessRef, Silence, SilentLook, WorkerInfo, WorkerState } from './contracts/worker-contract.ts';

/** Who gets the place of the detached worker. */
export interface ReserveDecision {
  /** The worker that keeps the place; without one the place is free. */
  readonly holder: WorkerInfo | undefined;
  /** Workers of older builds that are to drain because the place was given away. */
  readonly drain: readonly WorkerInfo[];
}

/**
 * One detached worker per identity and machine has the place; a draining one has given it up. Who asks without saying from
 * where counts as on the machine of every other.
 */
export function decideReserve(
  sameIdentity: readonly WorkerInfo[],
  { build, starter }: { readonly build: Build; readonly starter?: ProcessRef },
): ReserveDecision {
  const inPlace = sameIdentity.filter(
    (worker) => worker.kind === 'detached' && worker.state !== 'draining' && isBeside(worker, starter),
  );
  const holder = inPlace.find((worker) => worker.build.id === build.id || worker.build.at >= build.at);
  return { holder, drain: holder ? [] : inPlace };
}

/** Whether a worker is on the machine of a process, as far as is known of both. */
export function isBeside({ process, starter }: WorkerInfo, other: ProcessRef | undefined): boolean {
  const own = process ?? starter;
  return own === undefined || other === undefined || isSameMachine(own, other);
}

/**
 * Whether two processes are, or were, on one machine. Machines and containers may share a name, but never a boot; a process of
 * an earlier boot is on none that could do its work now.
 */
function isSameMachine(one: ProcessRef, other: ProcessRef): boolean {
  if (one.host !== other.host) return false;
  const [boot, otherBoot] = [toBoot(one), toBoot(other)];
  return boot === undefined || otherBoot === undefined || boot === otherBoot;
}

/** Start times begin with the boot where the system tells it. */
function toBoot({ startTime }: ProcessRef): string | undefined {
  const [boot, ticks] = startTime.split('/');
  return ticks === undefined ? undefined : boot;
}

/** A worker leaves only with empty hands; one that leaves for idleness also waits for an empty queue. */
export function canRetire(
  worker: { readonly state: WorkerState; readonly leased: number; readonly queued: number },
  options: { readonly ifIdle: boolean },
): boolean {
  if (worker.leased > 0) return false;
  return !options.ifIdle || worker.state === 'draining' || worker.queued === 0;
}

/** The next `until`. It moves even when two heartbeats fall into one millisecond or the clock was set back. */
export function toUntil(now: number, leaseMs: number, previous?: number): number {
  const until = now + leaseMs;
  return until === previous ? until + 1 : until;
}

/** What is kept of a silence; it holds as long as both `until` and `sign` stay what they are. */
export interface SilenceRow extends Silence {
  readonly until: number;
  readonly sign?: string;
}

/** What one more look at a silent worker says. */
export interface SilenceDecision {
  readonly row: SilenceRow;
  /** It is marked with this look. */
  readonly hasStalled: boolean;
}

/** What one more look makes of what was observed before. */
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

/** What others are told of it. */
export function toSilence({ silentMs, looks, since, by, stalledMs }: SilenceRow): Silence {
  return { silentMs, looks, since, by, ...(stalledMs !== undefined && { stalledMs }) };
}
