import { makeToken } from '../task/id.ts';
import { DetachedWorker } from './detached-worker.ts';
import type { EngineParts } from './engine-parts.ts';
import { Housekeeping } from './housekeeping.ts';
import type { TaskWorker } from './task-worker.ts';
import { createTaskWorker } from './worker-roles.ts';

/**
 * The part of an engine that lives in the user's own process.
 *
 * With inline workers it runs the tasks itself. With a detached one it sees to it that the worker is there when
 * there is work, and falls back to inline when that is impossible.
 */
export class Serving {
  readonly #parts: EngineParts;
  readonly #housekeeping: Housekeeping;
  readonly #detached: DetachedWorker;
  #inline: TaskWorker | undefined;
  #mode: 'idle' | 'inline' | 'detached' | 'stopped' = 'idle';

  constructor(parts: EngineParts) {
    this.#parts = parts;
    this.#housekeeping = new Housekeeping(parts);
    this.#detached = new DetachedWorker({ ...parts, onImpossible: (why) => this.#fallBack(why) });
  }

  async start(): Promise<void> {
    if (this.#mode !== 'idle') return;
    this.#mode = this.#parts.workers;
    try {
      if (this.#mode === 'inline') await this.#startInline();
    } catch (error) {
      // The caller may try again when the store can be written.
      if (this.#mode === 'inline') this.#mode = 'idle';
      throw error;
    }
    await this.#housekeeping.start(() => this.#afterPass());
  }

  /** A task is being written. */
  onCreating(): void {
    this.#inline?.look();
  }

  /** There is something to run. */
  onRunnable(): void {
    if (this.#mode === 'detached') this.#detached.ensure().catch((error) => this.#parts.report(error));
  }

  async stop(): Promise<void> {
    const started = this.#mode !== 'idle';
    this.#mode = 'stopped';
    if (!started) return;
    // A worker that is being started is the only one who will run what was submitted last.
    await this.#detached.settled();
    await this.#inline?.stop(this.#parts.shutdownGraceMs);
    await this.#housekeeping.stop();
  }

  /** Work may be waiting whose worker died, or whose last answer came from a process without workers. */
  async #afterPass(): Promise<void> {
    if (this.#mode !== 'detached') return;
    const { queued } = await this.#parts.store.tasks.backlog(this.#parts.identity);
    if (queued > 0) this.onRunnable();
  }

  async #startInline(): Promise<void> {
    const worker = createTaskWorker(this.#parts, {
      workerId: makeToken(),
      kind: 'inline',
      onLost: () => void this.#restartInline(),
      onDrained: () => {},
    });
    this.#inline = worker;
    await worker.start();
  }

  async #restartInline(): Promise<void> {
    if (this.#mode === 'stopped') return;
    try {
      await this.#startInline();
    } catch (error) {
      this.#parts.report(error);
      this.#parts.clock.after(this.#parts.superviseMs, () => void this.#restartInline());
    }
  }

  #fallBack(why: string): void {
    if (this.#mode !== 'detached') return;
    this.#mode = 'inline';
    process.stderr.write(`holdfast: tasks run in this process and end with it: ${why}\n`);
    void this.#restartInline();
  }
}
