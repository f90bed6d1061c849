import { readState } from '../../process/process-ref.ts';
import type { WorkerInfo } from '../../store/contracts/worker-contract.ts';
import { listPulses, removePulse, toPulseFile } from '../heartbeat/pulse.ts';
import { findLastWords } from '../workers/last-words.ts';
import { Burials } from './burials.ts';
import { Orphans } from './orphans.ts';
import { SilenceWatch, type SilenceWatchOptions } from './silence-watch.ts';

export interface SupervisorOptions extends SilenceWatchOptions {
  report(error: unknown): void;
}

const ENDED = 'its worker process ended';
const STOPPED_RESPONDING = 'its worker stopped responding';

/**
 * Finds dead workers and recovers their tasks.
 *
 * A worker is dead when its process is gone (before it has registered: that of its starter), or when it has given no sign
 * of life for longer than its lease (`SilenceWatch`). A detached worker that is declared dead while its process exists is
 * killed first.
 *
 * Processes on this host that are left from workers recovered by another host are ended as well (`Orphans`).
 *
 * Any process does this for the whole store; `recover` is atomic, so doing it twice does nothing.
 */
export class Supervisor {
  readonly #options: SupervisorOptions;
  readonly #watch: SilenceWatch;
  readonly #burials: Burials;
  readonly #orphans: Orphans;
  readonly #killed = new Set<string>();
  #hasSwept = false;

  constructor(options: SupervisorOptions) {
    this.#options = options;
    this.#watch = new SilenceWatch(options);
    this.#burials = new Burials(options);
    this.#orphans = new Orphans(options);
  }

  /**
   * Checks every worker once; returns whether one is being watched, so that the next pass should come soon. `onFreed` is
   * called when tasks become free later.
   */
  async pass(onFreed: () => void): Promise<boolean> {
    const workers = await this.#list();
    this.#watch.keep(workers);
    const others = workers.filter(({ workerId }) => !this.#burials.has(workerId));
    const looks = others.map((worker) =>
      this.#look(worker, onFreed).catch((error) => {
        this.#options.report(error);
        return false;
      }),
    );
    const [isWatching] = await Promise.all([Promise.all(looks), this.#orphans.look(workers)]);
    return isWatching.includes(true);
  }

  /** Resolves when no worker is being buried, and no group of an orphan is being ended. */
  async settled(): Promise<void> {
    await Promise.all([this.#burials.settled(), this.#orphans.settled()]);
  }

  async #list(): Promise<WorkerInfo[]> {
    const { store } = this.#options;
    // Listed before the workers: a pulse file is created only after its worker has registered.
    const pulses = this.#hasSwept ? [] : listPulses(store);
    try {
      const workers = await store.workers.list();
      this.#hasSwept = true;
      const ids = new Set(workers.map(({ workerId }) => workerId));
      for (const workerId of pulses) if (!ids.has(workerId)) removePulse(toPulseFile(store, workerId));
      return workers;
    } catch (error) {
      this.#watch.lapse();
      throw error;
    }
  }

  async #look(worker: WorkerInfo, onFreed: () => void): Promise<boolean> {
    const state = worker.process && readState(worker.process);
    if (state === 'gone') {
      await this.#burials.bury(worker, this.#findReason(worker), onFreed);
      return false;
    }
    // Nothing is lost if the worker itself is still starting: it reserves the place again.
    if (worker.starter && readState(worker.starter) === 'gone') {
      await this.#burials.bury(worker, { reason: 'the process that started its worker ended' }, onFreed);
      return false;
    }
    const found = await this.#watch.look(worker, state === 'stopped').catch(async (error) => {
      // It may be stopped in the middle of a transaction, and be the reason why no process can write.
      if (this.#watch.isStoppedForLong(worker)) await this.#kill(worker);
      throw error;
    });
    if (found === 'lost') await this.#burials.bury(worker, { reason: STOPPED_RESPONDING }, onFreed);
    return found === 'quiet';
  }

  #findReason(worker: WorkerInfo): { readonly reason: string; readonly details?: string } {
    if (this.#killed.delete(worker.workerId)) return { reason: STOPPED_RESPONDING };
    const { reason: said, details } = findLastWords(this.#options.store.directory, worker) ?? {};
    const reason = said === undefined ? ENDED : `${ENDED}: ${said}`;
    return { reason, ...(details !== undefined && { details }) };
  }

  async #kill(worker: WorkerInfo): Promise<void> {
    await this.#burials.end(worker);
    this.#killed.add(worker.workerId);
  }
}
