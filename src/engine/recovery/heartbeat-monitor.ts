import type { Clock } from '../../clock.ts';
import { currentHost } from '../../process/process-ref.ts';
import type { Store } from '../../store/contract.ts';
import type { WorkerInfo } from '../../store/contracts/worker-contract.ts';
import { BEATS_PER_LEASE } from '../heartbeat/heartbeat.ts';
import { readPulse, toPulseFile } from '../heartbeat/pulse.ts';

export interface HeartbeatMonitorOptions {
  readonly store: Store;
  readonly clock: Clock;
  readonly leaseMs: number;
  readonly superviseMs: number;
  readonly startMs: number;
}

/** What this process has observed of a worker since its last heartbeat. */
interface WatchState {
  readonly until: number;
  readonly at: number;
  readonly stallMs: number;
  /** When it was first found stopped, if every pass since has found it stopped. */
  stoppedAt: number | undefined;
  /** The last observation that the store accepted, and how many it had then. */
  last: { readonly at: number; readonly looks: number } | undefined;
}

// The longest wait for a worker, however far a clock was set back since its last heartbeat.
const MAX_TIMEOUT_MS = 3_600_000;

/**
 * Watches workers that send no heartbeat, until it is certain that they are not coming back.
 *
 * - quiet:   it has sent no heartbeat for a while; the time in which a process watches it is summed up in the store.
 * - stalled: that sum has reached its lease, on a shared store half of it. It is marked, and its tasks get an event.
 * - lost:    it has been watched for another heartbeat interval since.
 *
 * A heartbeat or a pulse meanwhile restarts all this. What counts is the time between two of our observations that the
 * store accepted without a long wait: while we cannot write, the worker cannot either. Wall clocks only decide when to
 * start watching. Time in which we did not observe hardly counts: what stopped us (a blocked thread, a suspended machine)
 * may have stopped the worker too.
 */
export class HeartbeatMonitor {
  readonly #options: HeartbeatMonitorOptions;
  readonly #watched = new Map<string, WatchState>();
  readonly #name = `${currentHost()} ${process.pid}`;

  constructor(options: HeartbeatMonitorOptions) {
    this.#options = options;
  }

  /** Forgets all workers except these. */
  forgetOthers(workers: readonly WorkerInfo[]): void {
    const ids = new Set(workers.map(({ workerId }) => workerId));
    for (const workerId of this.#watched.keys()) if (!ids.has(workerId)) this.#watched.delete(workerId);
  }

  /** Called when the store could not be read: the time since the last observation does not count. */
  discardInterval(): void {
    for (const seen of this.#watched.values()) seen.last = undefined;
  }

  /** Observes a worker whose process may exist. Throws when the store does not accept the observation. */
  async check(worker: WorkerInfo, isStopped: boolean): Promise<'beating' | 'quiet' | 'lost'> {
    const seen = this.#toWatchState(worker, isStopped);
    if (!this.#isSuspect(worker, seen)) return 'beating';
    const { store, clock } = this.#options;
    const { workerId, until } = worker;
    const { last, stallMs } = seen;
    const sign = readPulse(toPulseFile(store, workerId));
    // Time counts only from an observation that the store accepted.
    seen.last = undefined;
    const silence = await store.workers.observe({
      ...{ workerId, until, by: this.#name, stallMs, toWatchedMs: this.#createWatchedTime(worker, last?.at) },
      ...(last && { after: last.looks }),
      ...(sign !== undefined && { sign }),
    });
    if (silence === undefined) return 'beating';
    seen.last = { at: clock.monotonic(), looks: silence.looks };
    const { silentMs, stalledMs = Infinity } = silence;
    // Not by others' observations alone: it may have come back since, and has until our next observation to show it.
    return last && silentMs >= stalledMs + this.#toBeatInterval(worker) ? 'lost' : 'quiet';
  }

  /** Whether it has been found stopped for so long that no store is needed to know that it does not respond. */
  isStoppedForLong(worker: WorkerInfo): boolean {
    const { stoppedAt, stallMs = Infinity } = this.#watched.get(worker.workerId) ?? {};
    return (
      stoppedAt !== undefined && this.#options.clock.monotonic() - stoppedAt >= stallMs + this.#toBeatInterval(worker)
    );
  }

  #toWatchState(worker: WorkerInfo, isStopped: boolean): WatchState {
    const { workerId, until } = worker;
    const now = this.#options.clock.monotonic();
    const before = this.#watched.get(workerId);
    const seen =
      before?.until === until
        ? before
        : { until, at: now, stallMs: this.#toTimeout(worker), stoppedAt: undefined, last: undefined };
    seen.stoppedAt = isStopped ? (seen.stoppedAt ?? now) : undefined;
    this.#watched.set(workerId, seen);
    return seen;
  }

  /** Whether to observe it: nothing is written about workers that send heartbeats. */
  #isSuspect(worker: WorkerInfo, seen: WatchState): boolean {
    if (worker.silence !== undefined || seen.stoppedAt !== undefined) return true;
    const { store, clock } = this.#options;
    const halfMs = this.#toHalfLease(worker);
    return store.time().now >= worker.until - halfMs || clock.monotonic() >= seen.at + halfMs;
  }

  #createWatchedTime(worker: WorkerInfo, since: number | undefined): () => number {
    const { clock, superviseMs } = this.#options;
    const calledAt = clock.monotonic();
    const beatMs = this.#toBeatInterval(worker);
    const maxMs = Math.max(beatMs, 2 * superviseMs);
    return () => {
      // A worker that waits for the store this long would have sent no heartbeat in that time either.
      const hasWaited = clock.monotonic() - calledAt > beatMs;
      return hasWaited || since === undefined ? 0 : Math.min(calledAt - since, maxMs);
    };
  }

  #toBeatInterval(worker: WorkerInfo): number {
    return Math.min(worker.leaseMs ?? this.#options.leaseMs, MAX_TIMEOUT_MS) / BEATS_PER_LEASE;
  }

  /**
   * How long it may be silent. A worker of another program or build may have a longer lease than ours, and then beats
   * less often.
   */
  #toTimeout(worker: WorkerInfo): number {
    const { store, leaseMs, startMs } = this.#options;
    if (worker.state === 'starting') return startMs;
    const itsLeaseMs = worker.leaseMs ?? worker.until - store.time().now;
    const timeoutMs = Math.max(leaseMs, Math.min(itsLeaseMs, MAX_TIMEOUT_MS));
    // Such a worker stops by itself when it cannot renew, so its silence before it became a suspect counts, too.
    return store.isShared ? timeoutMs - this.#toHalfLease(worker) : timeoutMs;
  }

  /** Half of its lease: after that long without a heartbeat a worker is a suspect. */
  #toHalfLease(worker: WorkerInfo): number {
    return Math.min(worker.leaseMs ?? this.#options.leaseMs, MAX_TIMEOUT_MS) / 2;
  }
}
