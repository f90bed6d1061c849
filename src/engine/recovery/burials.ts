import { TaskError } from '../../errors.ts';
import { endProcess } from '../../process/end-process.ts';
import { isAlive } from '../../process/process-ref.ts';
import type { Store } from '../../store/contract.ts';
import type { DeadWorker } from '../../store/contracts/task-contract.ts';
import type { WorkerInfo } from '../../store/contracts/worker-contract.ts';
import { DEFAULT_RETRY, toRetryDelay } from '../../task/retry.ts';
import { removePulse, toPulseFile } from '../heartbeat/pulse.ts';
import { endLeftGroups } from './left-groups.ts';

export interface BurialsOptions {
  readonly store: Store;
  report(error: unknown): void;
}

/** Why a worker is taken to be dead. */
type Why = Pick<DeadWorker, 'reason' | 'details'>;

/**
 * Takes their tasks from dead workers, side by side.
 *
 * What a dead worker has left running must be gone before its tasks can run again, and that takes time. Only its own
 * tasks wait for it: its place is given away at once, and the rest is done in the background. A worker that cannot be
 * buried holds up nobody else, and is tried again with a later look.
 *
 * What it has left on another host cannot be ended from here, and stays on record for the processes there (`Orphans`).
 */
export class Burials {
  readonly #options: BurialsOptions;
  readonly #running = new Map<string, Promise<void>>();

  constructor(options: BurialsOptions) {
    this.#options = options;
  }

  /** Whether this worker is being buried. */
  has(workerId: string): boolean {
    return this.#running.has(workerId);
  }

  /** Resolves when nothing is going on in the background. */
  async settled(): Promise<void> {
    await Promise.all(this.#running.values());
  }

  /** Resolves when others can go on: the worker is gone, or its place is; `onDone` is called when its tasks are free too. */
  async bury(worker: WorkerInfo, why: Why, onDone: () => void): Promise<void> {
    const { store, report } = this.#options;
    const { workerId, until } = worker;
    if (!isOurs(worker) && (await store.workers.groups(workerId)).length === 0) return this.#recover(worker, why);
    if (!(await store.workers.drain(workerId, until))) return;
    const burial = this.#clear(worker)
      .then(() => this.#recover(worker, why))
      .then(onDone)
      .catch((error) => report(error))
      .finally(() => this.#running.delete(workerId));
    this.#running.set(workerId, burial);
  }

  /** Kills a detached worker that does not answer, so that it never acts once its tasks are others'. */
  async end(worker: WorkerInfo): Promise<void> {
    const { process: ref, workerId } = worker;
    if (!isOurs(worker) || ref === undefined) return;
    // One of another user is left to its fence.
    if ((await endProcess(ref)) !== false) return;
    throw new TaskError('INTERNAL', `worker ${workerId} (process ${ref.pid}) cannot be ended; its tasks wait for that`);
  }

  async #clear(worker: WorkerInfo): Promise<void> {
    await this.end(worker);
    const { workerId } = worker;
    // Read once it cannot add to them any more.
    const { store } = this.#options;
    const left = await endLeftGroups(store, await store.workers.groups(workerId));
    if (left.length === 0) return;
    const pids = left.map(({ pid }) => pid).join(', ');
    const message = `process group ${pids} of worker ${workerId} cannot be ended; its tasks wait for that`;
    throw new TaskError('INTERNAL', message);
  }

  async #recover({ workerId, until }: WorkerInfo, why: Why): Promise<void> {
    const { store } = this.#options;
    const recovered = await store.tasks.recover({ workerId, until, ...why, delaysMs: toDelays() });
    if (recovered !== undefined) removePulse(toPulseFile(store, workerId));
  }
}

const SLOWED_ATTEMPTS = 8;

/** A task whose first worker died has waited long enough; only one that keeps losing them is slowed down. */
function toDelays(): number[] {
  return [0, ...Array.from({ length: SLOWED_ATTEMPTS }, (_, lost) => toRetryDelay(DEFAULT_RETRY, lost + 1))];
}

/** Whether it is a living process that was started for nothing but to be a worker; we are no judge of ourselves. */
function isOurs({ kind, process: ref }: WorkerInfo): boolean {
  return kind === 'detached' && ref !== undefined && ref.pid !== process.pid && isAlive(ref) === true;
}
