import type { Clock } from '../clock.ts';
import { endGroup } from '../process/process-group.ts';
import { isAlive } from '../process/process-ref.ts';
import type { Store } from '../store/contract.ts';
import type { Recovered } from '../store/task-contract.ts';
import type { WorkerInfo } from '../store/worker-contract.ts';
import { DEFAULT_RETRY, toRetryDelay } from '../task/retry.ts';
import { BEATS_PER_LEASE } from './heartbeat.ts';

export interface SupervisorOptions {
  readonly store: Store;
  readonly clock: Clock;
  readonly leaseMs: number;
  /** How often `pass` is called. */
  readonly superviseMs: number;
  /** How long a reserved worker may take to register. */
  readonly startMs: number;
  report(error: unknown): void;
}

const GROUP_GRACE_MS = 500;

// However far a clock was set back since a worker last beat, it is not waited for longer than this.
const LONGEST_PATIENCE_MS = 3_600_000;

/**
 * Finds dead workers and gives their tasks a future.
 *
 * A worker is dead when its process is gone, or when its heartbeat has not moved for a whole lease as measured by
 * our own steady clock. Wall clocks can only add to our patience, so one that jumps kills no worker. Time in which we
 * did not look ourselves hardly counts: what stopped us (a blocked thread, a paused machine) may have stopped it too.
 *
 * Any process does this for the whole store; `recover` is atomic, so doing it twice does nothing.
 */
export class Supervisor {
  readonly #options: SupervisorOptions;
  readonly #seen = new Map<string, { until: number; silentMs: number; patienceMs: number }>();
  #lastPass: number | undefined;

  constructor(options: SupervisorOptions) {
    this.#options = options;
  }

  /** Looks once at every worker; returns what became of the tasks of the dead ones. */
  async pass(): Promise<Recovered[]> {
    const workers = await this.#options.store.workers.list();
    for (const workerId of this.#seen.keys()) {
      if (!workers.some((worker) => worker.workerId === workerId)) this.#seen.delete(workerId);
    }
    const watchedMs = this.#toWatched();
    const recovered: Recovered[] = [];
    for (const worker of workers) {
      const reason = this.#whyDead(worker, watchedMs);
      if (reason === undefined) continue;
      try {
        recovered.push(...(await this.#bury(worker, reason)));
      } catch (error) {
        this.#options.report(error);
      }
    }
    return recovered;
  }

  /** How much of the time since the last pass may be held against a silent worker. */
  #toWatched(): number {
    const { clock, leaseMs, superviseMs } = this.#options;
    const now = clock.monotonic();
    const passedMs = now - (this.#lastPass ?? now);
    this.#lastPass = now;
    return Math.min(passedMs, Math.max(leaseMs / BEATS_PER_LEASE, 2 * superviseMs));
  }

  #whyDead(worker: WorkerInfo, watchedMs: number): string | undefined {
    if (worker.process && isAlive(worker.process) === false) return 'its worker process ended';
    const seen = this.#seen.get(worker.workerId);
    if (seen?.until !== worker.until) {
      this.#seen.set(worker.workerId, { until: worker.until, silentMs: 0, patienceMs: this.#toPatience(worker) });
      return undefined;
    }
    seen.silentMs += watchedMs;
    const patienceMs = worker.state === 'starting' ? this.#options.startMs : seen.patienceMs;
    return seen.silentMs >= patienceMs ? 'its worker stopped responding' : undefined;
  }

  /** A worker of another program or build may have a longer lease than ours, and then beats less often. */
  #toPatience(worker: WorkerInfo): number {
    const leftMs = worker.until - this.#options.clock.now();
    return Math.max(this.#options.leaseMs, Math.min(leftMs, LONGEST_PATIENCE_MS));
  }

  async #bury(worker: WorkerInfo, reason: string): Promise<Recovered[]> {
    const { store } = this.#options;
    const { workerId, until } = worker;
    // What the dead worker started must be gone before its tasks can run again.
    for (const group of await store.workers.groups(workerId)) await endGroup(group, { graceMs: GROUP_GRACE_MS });
    const toDelayMs = (attempt: number) => toRetryDelay(DEFAULT_RETRY, attempt);
    return (await store.tasks.recover({ workerId, until, reason, toDelayMs })) ?? [];
  }
}
