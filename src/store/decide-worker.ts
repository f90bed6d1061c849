/** What the worker registry decides, without saying where it is kept. */
import type { Build, WorkerInfo, WorkerState } from './worker-contract.ts';

export interface ReserveDecision {
  /** The worker that keeps the place; without one the place is free. */
  readonly holder: WorkerInfo | undefined;
  /** Workers of older builds that are to drain because the place was given away. */
  readonly drain: readonly WorkerInfo[];
}

/** One detached worker per identity has the place; a draining one has given it up. */
export function decideReserve(sameIdentity: readonly WorkerInfo[], build: Build): ReserveDecision {
  const inPlace = sameIdentity.filter((worker) => worker.kind === 'detached' && worker.state !== 'draining');
  const holder = inPlace.find((worker) => worker.build.id === build.id || worker.build.at >= build.at);
  return { holder, drain: holder ? [] : inPlace };
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
