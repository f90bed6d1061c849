import type { TaskError } from '../../errors.ts';
import { makeToken } from '../../task/id.ts';
import type { EngineParts } from '../engine-parts.ts';
import type { TaskWorker } from './task-worker.ts';
import { createTaskWorker } from './worker-roles.ts';

/**
 * The workers inside this process: at most one that claims, and earlier ones that finish what they run.
 *
 * A worker that lost its place is replaced by one with a new id, for as long as tasks are to be run here.
 */
export class InlineWorkers {
  readonly #parts: EngineParts;
  readonly #all = new Set<TaskWorker>();
  #claiming: TaskWorker | undefined;
  #shouldRun = false;

  constructor(parts: EngineParts) {
    this.#parts = parts;
  }

  /** Whether no task runs here. */
  get isIdle(): boolean {
    return [...this.#all].every((worker) => worker.isIdle);
  }

  /** Starts to claim; rejects when the store does not give a place. */
  async start(): Promise<void> {
    this.#shouldRun = true;
    const worker = createTaskWorker(this.#parts, {
      workerId: makeToken(),
      kind: 'inline',
      onLost: (reason) => this.#onLost(worker, reason),
      onDrained: () => this.#all.delete(worker),
    });
    this.#all.add(worker);
    this.#claiming = worker;
    try {
      await worker.start();
    } catch (error) {
      this.#all.delete(worker);
      if (this.#claiming === worker) this.#claiming = undefined;
      throw error;
    }
  }

  /** Like `start`, but retried until it succeeds. */
  startWithRetries(): void {
    this.#shouldRun = true;
    this.start().catch((error) => {
      this.#parts.report(error);
      this.#parts.clock.after(this.#parts.superviseMs, () => {
        if (this.#shouldRun && this.#claiming === undefined) this.startWithRetries();
      });
    });
  }

  /** Polls for work now, without waiting for the change to be announced. */
  poll(): void {
    this.#claiming?.poll();
  }

  /** Claims nothing new, and finishes what runs. */
  drain(): void {
    this.#shouldRun = false;
    void this.#claiming?.drain();
    this.#claiming = undefined;
  }

  /** Claims nothing new, and stops what runs: the store accepts nothing from this process any more. */
  onStoreRefused(why: TaskError): void {
    this.#shouldRun = false;
    this.#claiming = undefined;
    for (const worker of this.#all) worker.onStoreRefused(why);
  }

  async stop(): Promise<void> {
    this.#shouldRun = false;
    await Promise.all([...this.#all].map((worker) => worker.stop(this.#parts.shutdownGraceMs)));
  }

  #onLost(worker: TaskWorker, reason: TaskError | undefined): void {
    this.#all.delete(worker);
    if (this.#claiming !== worker) return;
    this.#claiming = undefined;
    if (this.#shouldRun && !reason) this.startWithRetries();
  }
}
