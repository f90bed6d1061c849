import { readState } from '../../process/process-ref.ts';
import type { WorkerInfo } from '../../store/contracts/worker-contract.ts';
import { listPulses, removePulse, toPulseFile } from '../heartbeat/pulse.ts';
import { findExitReason } from '../workers/exit-reason.ts';
import { DeadWorkerRecovery } from './dead-worker-recovery.ts';
import { HeartbeatMonitor, type HeartbeatMonitorOptions } from './heartbeat-monitor.ts';
import { Orphans } from './orphans.ts';

export interface SupervisorOptions extends HeartbeatMonitorOptions {
  report(error: unknown): void;
}

const ENDED = 'its worker process ended';
const STOPPED_RESPONDING = 'its worker stopped responding';

/**
 * Finds dead workers and recovers their tasks.
 *
 * A worker is dead when its process is gone (before it has registered: that of its starter), or when it has given no sign
 * of life for longer than its lease (`HeartbeatMonitor`). A detached worker that is declared dead while its process exists is
 * killed first.
 *
 * Processes on this host that are left from workers recovered by another host are ended as well (`Orphans`).
 *
 * Any process does this for the whole store; `recover` is atomic, so doing it twice does nothing.
 */
export class Supervisor {
  readonly #options: SupervisorOptions;
  readonly #monitor: HeartbeatMonitor;
  readonly #recovery: DeadWorkerRecovery;
  readonly #orphans: Orphans;
  readonly #killed = new Set<string>();
  #hasSwept = false;

  constructor(options: SupervisorOptions) {
    this.#options = options;
    this.#monitor = new HeartbeatMonitor(options);
    this.#recovery = new DeadWorkerRecovery(options);
    this.#orphans = new Orphans(options);
  }

  /**
   * Checks every worker once; returns whether one is being watched, so that the next pass should come soon. `onFreed` is
   * called when tasks become free later.
   */
  async pass(onFreed: () => void): Promise<boolean> {
    const workers = await this.#list();
    this.#monitor.forgetOthers(workers);
    const others = workers.filter(({ workerId }) => !this.#recovery.isRecovering(workerId));
    const checks = others.map((worker) =>
      this.#checkWorker(worker, onFreed).catch((error) => {
        this.#options.report(error);
        return false;
      }),
    );
    const [isWatching] = await Promise.all([Promise.all(checks), this.#orphans.check(workers)]);
    return isWatching.includes(true);
  }

  /** Resolves when no worker is being recovered, and no group of an orphan is being ended. */
  async settled(): Promise<void> {
    await Promise.all([this.#recovery.settled(), this.#orphans.settled()]);
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
      this.#monitor.discardInterval();
      throw error;
    }
  }

  async #checkWorker(worker: WorkerInfo, onFreed: () => void): Promise<boolean> {
    const state = worker.process && readState(worker.process);
    if (state === 'gone') {
      await this.#recovery.recover(worker, this.#findReason(worker), onFreed);
      return false;
    }
    // Nothing is lost if the worker itself is still starting: it reserves the place again.
    if (worker.starter && readState(worker.starter) === 'gone') {
      await this.#recovery.recover(worker, { reason: 'the process that started its worker ended' }, onFreed);
      return false;
    }
    const health = await this.#monitor.check(worker, state === 'stopped').catch(async (error) => {
      // It may be stopped in the middle of a transaction, and be the reason why no process can write.
      if (this.#monitor.isStoppedForLong(worker)) await this.#kill(worker);
      throw error;
    });
    if (health === 'lost') await this.#recovery.recover(worker, { reason: STOPPED_RESPONDING }, onFreed);
    return health === 'quiet';
  }

  #findReason(worker: WorkerInfo): { readonly reason: string; readonly details?: string } {
    if (this.#killed.delete(worker.workerId)) return { reason: STOPPED_RESPONDING };
    const { reason: said, details } = findExitReason(this.#options.store.directory, worker) ?? {};
    const reason = said === undefined ? ENDED : `${ENDED}: ${said}`;
    return { reason, ...(details !== undefined && { details }) };
  }

  async #kill(worker: WorkerInfo): Promise<void> {
    await this.#recovery.endWorker(worker);
    this.#killed.add(worker.workerId);
  }
}
