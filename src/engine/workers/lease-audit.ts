import type { Clock } from '../../clock.ts';
import type { Store } from '../../store/contract.ts';
import type { Lease } from '../../store/contracts/task-contract.ts';
import type { RunningAttempt } from '../attempts/attempt.ts';
import { isCurrentLease } from '../attempts/lease.ts';

export interface LeaseAuditOptions {
  readonly store: Store;
  readonly clock: Clock;
  readonly workerId: string;
  readonly leaseMs: number;
  /** Returns the attempts that are not over yet. */
  running(): readonly RunningAttempt[];
  /** Checks whether an attempt still holds its task. */
  check(attempt: RunningAttempt): void;
  report(error: unknown): void;
}

/** While nothing runs and nothing went wrong, only one pass in this many compares; passes are one lease apart. */
const IDLE_PASSES = 10;
const REMEMBERED = 10_000;
const LOST = 'the store lost how it ended; this work may not be repeated';

/**
 * Compares what a worker runs with the leases that the store records for it.
 *
 * A database that fails over may lose its newest commits, and a response may be lost on the way. Then an attempt may run
 * whose task the store has given to another, and a task may be leased to a worker that does not know of it and would keep
 * it for ever, because its heartbeat continues. The first is stopped. The second is given back once it was found twice; if it had
 * started here and may not be repeated, it ends as interrupted.
 *
 * Only where machines share a store: one on this machine loses nothing while its processes live.
 */
export class LeaseAudit {
  readonly #options: LeaseAuditOptions;
  readonly #begun = new Set<string>();
  #suspects = new Set<string>();
  #isTroubled = false;
  #passes = 0;
  #cancel: (() => void) | undefined;
  #isStopped = false;

  constructor(options: LeaseAuditOptions) {
    this.#options = options;
  }

  start(): void {
    if (this.#options.store.isShared === true && !this.#isStopped) this.#arm();
  }

  stop(): void {
    this.#isStopped = true;
    this.#cancel?.();
  }

  /** Called when something went wrong with the store: the next pass compares in any case, even if nothing runs. */
  requirePass(): void {
    this.#isTroubled = true;
  }

  /** Called when an attempt starts. */
  note(lease: Lease): void {
    this.#begun.add(toName(lease));
    const [oldest] = this.#begun;
    if (this.#begun.size > REMEMBERED && oldest !== undefined) this.#begun.delete(oldest);
  }

  #arm(): void {
    const { clock, leaseMs, report } = this.#options;
    this.#cancel = clock.after(leaseMs, () => {
      void this.pass()
        .catch(report)
        .finally(() => {
          if (!this.#isStopped) this.#arm();
        });
    });
  }

  /** Compares once, if that is due. */
  async pass(): Promise<void> {
    const { store, workerId, check, running } = this.#options;
    const isDue = this.#isTroubled || running().length > 0 || this.#passes % IDLE_PASSES === 0;
    this.#passes += 1;
    if (!isDue) return;
    this.#isTroubled = false;
    const leases = await store.workers.leases(workerId);
    const held = new Set(leases.map(toName));
    const attempts = running();
    for (const attempt of attempts) if (!attempt.hasConcluded && !held.has(toName(attempt.lease))) check(attempt);
    const names = new Set(attempts.map(({ lease }) => toName(lease)));
    const unknown = leases.filter((lease) => !names.has(toName(lease)));
    for (const lease of unknown) if (this.#suspects.has(toName(lease))) await this.#giveBack(lease);
    this.#suspects = new Set(unknown.map(toName));
    if (unknown.length > 0) this.requirePass();
  }

  async #giveBack(lease: Lease): Promise<void> {
    const { store } = this.#options;
    const { tasks } = store;
    const task = await tasks.get({ taskId: lease.taskId });
    if (this.#isStopped || task === undefined || !isCurrentLease(task, lease)) return;
    if (this.#begun.has(toName(lease)) && !task.idempotent) {
      await tasks.settle(lease, { outcome: { kind: 'interrupted', reason: LOST } });
      return;
    }
    const runAt = store.time().now;
    await tasks.release(lease, { how: 'requeue', reason: 'handed-back', runAt, countsAsAttempt: false });
  }
}

function toName({ taskId, fence }: Lease): string {
  return `${taskId} ${fence}`;
}
