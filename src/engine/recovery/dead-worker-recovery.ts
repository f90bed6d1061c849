import { TaskError } from '../../errors.ts';
import { endProcess } from '../../process/end-process.ts';
import { isAlive } from '../../process/process-ref.ts';
import type { Store } from '../../store/contract.ts';
import type { DeadWorker } from '../../store/contracts/task-contract.ts';
import type { WorkerInfo } from '../../store/contracts/worker-contract.ts';
import { DEFAULT_RETRY, toRetryDelay } from '../../task/retry.ts';
import { removePulse, toPulseFile } from '../heartbeat/pulse.ts';
import { endLeftGroups } from './left-groups.ts';

export interface DeadWorkerRecoveryOptions {
  readonly store: Store;
  report(error: unknown): void;
}

/** Why a worker is considered dead. */
type DeathReason = Pick<DeadWorker, 'reason' | 'details'>;

/**
 * Recovers the tasks of dead workers, concurrently.
 *
 * Processes that a dead worker left running must be gone before its tasks can run again, and that takes time. Only its
 * own tasks wait for it: its place is freed at once, and the rest is done in the background. A worker whose processes
 * cannot be ended delays no other, and is tried again in a later pass.
 *
 * Processes that it left on another host cannot be ended from here, and stay on record for the processes there
 * (`Orphans`).
 */
export class DeadWorkerRecovery {
  readonly #options: DeadWorkerRecoveryOptions;
  readonly #running = new Map<string, Promise<void>>();

  constructor(options: DeadWorkerRecoveryOptions) {
    this.#options = options;
  }

  /** Whether this worker is being recovered. */
  isRecovering(workerId: string): boolean {
    return this.#running.has(workerId);
  }

  /** Resolves when no recovery is in progress in the background. */
  async settled(): Promise<void> {
    await Promise.all(this.#running.values());
  }

  /**
   * Resolves when others can continue: the worker is gone, or its place is free. `onDone` is called if its tasks become
   * free later.
   */
  async recover(worker: WorkerInfo, why: DeathReason, onDone: () => void): Promise<void> {
    const { store, report } = this.#options;
    const { workerId, until } = worker;
    if (!isOurs(worker) && (await store.workers.groups(workerId)).length === 0) return this.#recoverTasks(worker, why);
    if (!(await store.workers.drain(workerId, until))) return;
    const recovery = this.#endProcesses(worker)
      .then(() => this.#recoverTasks(worker, why))
      .then(onDone)
      .catch((error) => report(error))
      .finally(() => this.#running.delete(workerId));
    this.#running.set(workerId, recovery);
  }

  /** Kills a detached worker that does not respond, so that it never acts once its tasks belong to others. */
  async endWorker(worker: WorkerInfo): Promise<void> {
    const { process: ref, workerId } = worker;
    if (!isOurs(worker) || ref === undefined) return;
    // A process of another user cannot be killed; its fence makes its writes void.
    if ((await endProcess(ref)) !== false) return;
    throw new TaskError('INTERNAL', `worker ${workerId} (process ${ref.pid}) cannot be ended; its tasks wait for that`);
  }

  async #endProcesses(worker: WorkerInfo): Promise<void> {
    await this.endWorker(worker);
    const { workerId } = worker;
    // Read after the worker has ended, when it cannot add groups any more.
    const { store } = this.#options;
    const left = await endLeftGroups(store, await store.workers.groups(workerId));
    if (left.length === 0) return;
    const pids = left.map(({ pid }) => pid).join(', ');
    const message = `process group ${pids} of worker ${workerId} cannot be ended; its tasks wait for that`;
    throw new TaskError('INTERNAL', message);
  }

  async #recoverTasks({ workerId, until }: WorkerInfo, why: DeathReason): Promise<void> {
    const { store } = this.#options;
    const recovered = await store.tasks.recover({ workerId, until, ...why, delaysMs: toDelays() });
    if (recovered !== undefined) removePulse(toPulseFile(store, workerId));
  }
}

const SLOWED_ATTEMPTS = 8;

/** A task whose first worker died has waited long enough; only a task that keeps losing workers is delayed. */
function toDelays(): number[] {
  return [0, ...Array.from({ length: SLOWED_ATTEMPTS }, (_, lost) => toRetryDelay(DEFAULT_RETRY, lost + 1))];
}

/** Whether it is a living process that was started only to be a worker, and is not this process. */
function isOurs({ kind, process: ref }: WorkerInfo): boolean {
  return kind === 'detached' && ref !== undefined && ref.pid !== process.pid && isAlive(ref) === true;
}
