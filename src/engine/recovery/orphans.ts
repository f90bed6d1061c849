import type { Clock } from '../../clock.ts';
import { TaskError } from '../../errors.ts';
import { currentHost } from '../../process/process-ref.ts';
import type { Store } from '../../store/contract.ts';
import type { WorkerInfo } from '../../store/contracts/worker-contract.ts';
import { endLeftGroups } from './left-groups.ts';

export interface OrphansOptions {
  readonly store: Store;
  readonly clock: Clock;
  report(error: unknown): void;
}

/**
 * However little happens, the store is asked this often: groups that could not be ended are retried, and missed ones are
 * found.
 */
const CHECK_INTERVAL_MS = 60_000;

/**
 * Ends programs on this host whose worker was recovered from another host, which could not reach them.
 *
 * There can be new ones only when a worker has gone, so the store is asked in the first pass of a process, in passes that
 * miss a worker of the pass before, and once a minute.
 */
export class Orphans {
  readonly #options: OrphansOptions;
  #workers = new Set<string>();
  #checkedAt = -Infinity;
  #isDue = true;
  #ending: Promise<void> | undefined;

  constructor(options: OrphansOptions) {
    this.#options = options;
  }

  /** Called with the workers that a pass has found. Resolves when it is known what to end, which continues in the background. */
  async check(workers: readonly WorkerInfo[]): Promise<void> {
    const { store, clock, report } = this.#options;
    const ids = new Set(workers.map(({ workerId }) => workerId));
    const hasLost = [...this.#workers].some((workerId) => !ids.has(workerId));
    this.#workers = ids;
    this.#isDue ||= hasLost || clock.monotonic() - this.#checkedAt >= CHECK_INTERVAL_MS;
    if (!this.#isDue || this.#ending) return;
    try {
      const groups = await store.workers.orphanedGroups(currentHost());
      this.#isDue = false;
      this.#checkedAt = clock.monotonic();
      if (groups.length === 0) return;
      this.#ending = endLeftGroups(store, groups)
        .then((left) => left.length > 0 && report(toError(left)))
        .catch(report)
        .then(() => {
          this.#ending = undefined;
        });
    } catch (error) {
      report(error);
    }
  }

  /** Resolves when nothing is in progress in the background. */
  async settled(): Promise<void> {
    await this.#ending;
  }
}

function toError(left: readonly { readonly pid: number; readonly workerId: string }[]): TaskError {
  const which = left.map(({ pid, workerId }) => `${pid} of worker ${workerId}`).join(', ');
  return new TaskError('INTERNAL', `process group ${which}, which is gone, cannot be ended; it is tried again`);
}
