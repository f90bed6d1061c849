import type { Audit } from '../audit.ts';
import type { EngineParts } from '../engine-parts.ts';
import { isFinalRefusal } from '../final-refusal.ts';
import { OwnProgram } from '../program/own-program.ts';
import { Housekeeping } from '../recovery/housekeeping.ts';
import { DetachedWorker, type MissingWorker } from './detached-worker.ts';
import { InlineWorkers } from './inline-workers.ts';
import { reportWorkersChange, type WorkersChange } from './workers-change.ts';

const POLL_INTERVAL_MS = 50;

/**
 * The part of an engine that runs in the user's own process.
 *
 * - inline:   it runs the tasks itself, because that was configured or because no other process ever could.
 * - detached: it ensures that the detached worker is running when there is work.
 * - fallback: there is no detached worker for now. It runs the tasks itself, retries the worker while there is work, and
 *             claims nothing new as soon as there is one.
 * - front:    it only serves; others run the tasks, and it recovers what they leave behind.
 * - none:     the store refuses this build for good, as after a newer one took over; nothing is run or recovered here.
 */
export class LocalWorkers {
  readonly #parts: EngineParts;
  readonly #housekeeping: Housekeeping;
  readonly #detached: DetachedWorker;
  readonly #inline: InlineWorkers;
  readonly #program: OwnProgram;
  #mode: 'idle' | 'inline' | 'detached' | 'fallback' | 'front' | 'none' | 'stopped' = 'idle';
  /** Whether there was something to run since the detached worker was last tried. */
  #isWanted = false;
  #isRefused = false;

  constructor(given: EngineParts, audit?: Audit) {
    const parts = { ...given, report: (error: unknown) => this.#report(error, given) };
    this.#parts = parts;
    this.#housekeeping = new Housekeeping(parts);
    this.#inline = new InlineWorkers(parts);
    this.#program = new OwnProgram(parts, audit);
    this.#detached = new DetachedWorker({
      ...parts,
      onReady: () => this.#onReady(),
      onMissing: (missing) => this.#onMissing(missing),
      onEnded: () => this.#housekeeping.passNow(),
    });
  }

  async start(): Promise<void> {
    if (this.#mode !== 'idle') return;
    this.#mode = this.#parts.workers === 'none' ? 'front' : this.#parts.workers;
    try {
      if (this.#mode === 'inline') await this.#inline.start();
    } catch (error) {
      // The caller may retry when the store can be written.
      if (this.#mode === 'inline') this.#mode = 'idle';
      throw error;
    }
    await this.#housekeeping.start(() => this.#afterPass());
  }

  /** Called while a task is being written. */
  onCreating(): void {
    this.#inline.poll();
  }

  /** Called when there is something to run. */
  onRunnable(): void {
    this.#isWanted = true;
    if (this.#isDetached) this.#detached.ensure().catch((error) => this.#parts.report(error));
  }

  /** Called when there may soon be something to run. */
  warm(): void {
    if (this.#mode === 'detached') this.#detached.warm().catch((error) => this.#parts.report(error));
  }

  /** Resolves when there is a worker that claims tasks: not yet while it is being started. */
  async whenAtWork(signal: AbortSignal): Promise<void> {
    while (!signal.aborted && !(await this.#isAtWork())) {
      await new Promise<void>((resolve) => void this.#parts.clock.after(POLL_INTERVAL_MS, resolve));
    }
  }

  async #isAtWork(): Promise<boolean> {
    if (this.#mode === 'idle') return false;
    return this.#mode !== 'detached' || this.#detached.isReady();
  }

  async stop(): Promise<void> {
    const started = this.#mode !== 'idle';
    this.#mode = 'stopped';
    if (!started) return;
    await this.#inline.stop();
    await this.#program.stop();
    // A worker that is being started is the only one that will run what was submitted last.
    await this.#detached.shutDown();
    await this.#housekeeping.stop();
  }

  get #isDetached(): boolean {
    return this.#mode === 'detached' || this.#mode === 'fallback';
  }

  /**
   * Starts a worker for waiting tasks, whose worker may have died, or whose last answer came from a process without
   * workers. Returns whether to check again soon.
   */
  async #afterPass(): Promise<boolean> {
    if (this.#mode !== 'none' && this.#mode !== 'stopped') this.#program.pass();
    const isWatching = this.#program.isWatching || this.#mode === 'fallback';
    if (!this.#isDetached) return isWatching;
    if (this.#mode === 'fallback') {
      if (await this.#detached.isReady()) this.#onReady();
      else if (this.#isWanted || !this.#inline.isIdle) this.onRunnable();
      return isWatching;
    }
    const { queued } = await this.#parts.store.tasks.backlog(this.#parts.identity);
    if (queued > 0) this.onRunnable();
    return isWatching;
  }

  #onMissing({ why, isTemporary }: MissingWorker): void {
    if (!this.#isDetached) return;
    const wasDetached = this.#mode === 'detached';
    this.#mode = isTemporary ? 'fallback' : 'inline';
    this.#isWanted = false;
    if (!wasDetached) return;
    this.#inline.startWithRetries();
    this.#reportChange({ mode: 'inline', why, isTemporary });
  }

  #onReady(): void {
    if (this.#mode !== 'fallback') return;
    this.#mode = 'detached';
    this.#inline.drain();
    this.#reportChange({ mode: 'detached' });
  }

  #report(error: unknown, { report }: EngineParts): void {
    const isFinal = isFinalRefusal(error);
    // Every writer gets the same refusal; it is reported once.
    if (isFinal && this.#isRefused) return;
    report(error);
    this.#isRefused ||= isFinal;
    if (!isFinal || this.#mode === 'stopped') return;
    this.#mode = 'none';
    this.#inline.onStoreRefused(error);
    void this.#housekeeping.stop();
    this.#reportChange({ mode: 'none', why: error.message });
  }

  #reportChange(change: WorkersChange): void {
    reportWorkersChange(change, this.#parts);
  }
}
