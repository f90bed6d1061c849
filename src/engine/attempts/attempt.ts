import type { Clock } from '../../clock.ts';
import { isTaskError, TaskError } from '../../errors.ts';
import type { Store } from '../../store/contract.ts';
import type { Claimed, Lease } from '../../store/contracts/task-contract.ts';
import { toLearnedMs } from '../../task/estimate.ts';
import type { AttemptBody } from '../../task/event.ts';
import { shorten } from '../../text/cut-text.ts';
import type { ChangeRouter } from '../change-router.ts';
import type { ParsedTool } from '../tool.ts';
import { createContext } from './context.ts';
import { EventBuffer } from './event-buffer.ts';
import { LazyAbortController } from './lazy-abort-controller.ts';
import { isLeaseLost } from './lease.ts';
import { LeaseWriter } from './lease-writer.ts';
import { Questions } from './questions.ts';
import { createSecrets, scrubVerdict, type TaskSecrets } from './scrub.ts';
import { Stopwatch } from './stopwatch.ts';
import { TaskProcesses } from './task-processes.ts';
import { toErrorVerdict, toResultVerdict, type Verdict } from './verdict.ts';

/** What an attempt needs from the worker that runs it. */
export interface AttemptHost {
  readonly store: Store;
  readonly clock: Clock;
  readonly router: ChangeRouter;
  /** Resolves when the tool may start, or when the signal aborts. Without this hook the tool starts at once. */
  onBegin?(signal: AbortSignal): Promise<void>;
  /** Called when the tool has returned or thrown; only the outcome remains to be written. */
  onReturned?(): void;
  /** Called when the attempt starts to wait (for an answer or something outside) and frees its slot. */
  onWait(): void;
  /** Called when the attempt wants to continue; resolves when there is a slot, or when the signal aborts. */
  onResume(signal: AbortSignal): Promise<void>;
  readonly parkMs: number;
  /** How long a tool may take to return after its signal has aborted, before the attempt stops waiting for it. */
  readonly abortGraceMs: number;
  report(error: unknown): void;
}

/** One execution of a task, in this process or in a process of its own. */
export interface RunningAttempt {
  readonly lease: Lease;
  /** Whether the attempt only waits (for an answer or something outside), so that handing it back loses no work. */
  readonly isWaiting: boolean;
  /** Whether it is decided how the attempt ends; later decisions from elsewhere do not count. */
  readonly hasConcluded: boolean;
  /** Runs the tool; resolves when the attempt is over and its processes have ended. Never rejects. */
  run(): Promise<void>;
  /** Stops the attempt without an outcome: the task has ended, was parked, or belongs to another worker. */
  abandon(reason: TaskError): void;
  /** Called when the worker shuts down: once the attempt has stopped, its task is handed back, or ends as interrupted. */
  handBack(): Promise<void>;
}

/** The longest note, in characters, on how cancelled work was stopped. */
const MAX_STOPPED_TEXT = 2000;
const ATTEMPT_OVER = new TaskError('LEASE_LOST', 'the attempt is over');

/**
 * One execution of a tool in this process.
 *
 * running ──tool returns or throws──▶ concluded ──outcome or retry written──▶ over
 *    └──time-out, stall, cancel, loss, parking, hand-back──▶ concluded
 *
 * The first conclusion wins. Unless the tool concluded by returning or throwing, its signal is aborted. Its process
 * groups are ended in every case, and before a retry or a hand-back is written.
 */
export class Attempt implements RunningAttempt {
  readonly lease: Lease;
  readonly #host: AttemptHost;
  readonly #tool: ParsedTool;
  readonly #claimed: Claimed;
  readonly #abortController = new LazyAbortController();
  readonly #writer: LeaseWriter;
  readonly #buffer: EventBuffer;
  readonly #questions: Questions;
  readonly #processes: TaskProcesses;
  readonly #runTime: Stopwatch;
  readonly #silence: Stopwatch | undefined;
  readonly #secrets: TaskSecrets;
  readonly #concluded: Promise<Verdict>;
  #conclude: (verdict: Verdict) => void = () => {};
  #cancelPark: (() => void) | undefined;
  /** How many waits are open: for answers, and for anything outside (`idle`). */
  #openWaits = 0;
  #openIdleWaits = 0;
  #hasReturned = false;
  /** How cancelled work was stopped, if the tool reported it. */
  #stopped: string | undefined;
  #over: Promise<void> | undefined;
  hasConcluded = false;

  constructor(host: AttemptHost, tool: ParsedTool, work: { readonly claimed: Claimed; readonly lease: Lease }) {
    const { store, clock } = host;
    this.lease = work.lease;
    this.#host = host;
    this.#tool = tool;
    this.#claimed = work.claimed;
    this.#secrets = createSecrets(tool, work.claimed.task);
    this.#concluded = new Promise((resolve) => {
      this.#conclude = resolve;
    });
    this.#writer = new LeaseWriter({
      tasks: store.tasks,
      artifacts: store.artifacts,
      lease: work.lease,
      clock,
      time: () => store.time(),
      onLost: (reason) => this.abandon(reason),
      onSettling: (outcome, settled) => host.router.own.settle(work.lease.taskId, outcome, settled),
      report: (error) => host.report(error),
    });
    this.#buffer = new EventBuffer(clock, (events) => this.#writeEvents(events));
    this.#processes = new TaskProcesses(work.lease, store.workers, {
      check: () => this.#check(),
      persist: (write) => this.#writer.persist(write),
      onLifecycleEvent: (event) => this.#emitProcessEvent(event),
      ...(tool.stallMs !== undefined && { onOutput: () => this.#silence?.reset() }),
    });
    this.#questions = new Questions(this.#toQuestionHost(), work.claimed.task.questions);
    this.#runTime = new Stopwatch(clock, tool.maxRunMs, () => this.#onTimeout('TIMED_OUT', 'ran', tool.maxRunMs));
    this.#silence =
      tool.stallMs === undefined
        ? undefined
        : new Stopwatch(clock, tool.stallMs, () => this.#onTimeout('STALLED', 'gave no sign of life', tool.stallMs));
  }

  get isWaiting(): boolean {
    return this.#tool.idempotent && (this.#questions.isWaiting || this.#openIdleWaits > 0);
  }

  run(): Promise<void> {
    this.#over ??= this.#run();
    return this.#over;
  }

  abandon(reason: TaskError): void {
    this.#stop(reason, { kind: 'none' });
    // Now, not after pending writes: while the store does not respond, they would keep running beside the next attempt's.
    void this.#endProcesses();
  }

  async handBack(): Promise<void> {
    // A verdict that waits to be written is worth more than a task handed back.
    if (this.hasConcluded) {
      this.#writer.stopRetrying();
      return this.run();
    }
    this.abandon(new TaskError('LEASE_LOST', 'the worker is shutting down'));
    await this.run();
    await this.#writer.handBack(this.#tool.idempotent);
  }

  async #run(): Promise<void> {
    const work = this.#work().finally(() => {
      this.#hasReturned = true;
    });
    const verdict = await Promise.race([work, this.#concluded]);
    this.hasConcluded = true;
    this.#runTime.pause();
    this.#silence?.pause();
    this.#cancelPark?.();
    await this.#writeVerdict(verdict);
    this.#questions.stop(ATTEMPT_OVER);
    await this.#endProcesses();
    // Writes the tool's note on how it was stopped, even if the tool returns late; a late note delays nothing.
    const recorded = work.then(() => this.#recordStop());
    await this.#waitForReturn(work);
    if (this.#hasReturned) await recorded;
  }

  async #work(): Promise<Verdict> {
    const { task } = this.#claimed;
    try {
      await this.#waitForSlot();
      await this.#check();
    } catch {
      return { kind: 'none' };
    }
    try {
      const value = await this.#tool.run(task.args as never, this.#toContext());
      return toResultVerdict(value, this.#tool.maxResultBytes);
    } catch (error) {
      this.#noteStopped(error);
      return this.#toErrorVerdict(error);
    } finally {
      this.#host.onReturned?.();
    }
  }

  async #waitForSlot(): Promise<void> {
    if (!this.#host.onBegin) return;
    this.#runTime.pause();
    this.#silence?.pause();
    await this.#host.onBegin(this.#abortController.signal);
    this.#runTime.resume();
    this.#silence?.resume();
  }

  /** Reads the lease once more before an action that cannot be undone: this process may have been suspended for long. */
  async #check(): Promise<void> {
    try {
      await this.#writer.check(() => this.#abortController.isAborted);
    } catch (error) {
      this.#abortController.signal.throwIfAborted();
      throw error;
    }
  }

  #toErrorVerdict(error: unknown): Verdict {
    const verdict = toErrorVerdict(error, this.#tool, { ...this.#claimed.task, report: this.#host.report });
    return scrubVerdict(verdict, this.#secrets.scrub);
  }

  async #writeVerdict(verdict: Verdict): Promise<void> {
    await this.#buffer.settled();
    if (verdict.kind === 'settle') {
      const ranMs = toLearnedMs(this.#claimed.task, Math.round(this.#runTime.ranMs));
      const isStopping = this.#claimed.task.queue === undefined ? {} : await this.#toStopping();
      await this.#writer.settle({
        outcome: verdict.outcome,
        events: this.#buffer.take(),
        ...(ranMs !== undefined && { ranMs }),
        ...isStopping,
      });
    } else if (verdict.kind === 'retry') {
      await this.#buffer.flush();
      await this.#endProcesses();
      await this.#writer.retry(this.#tool.retry, this.#claimed.task.attempt);
    } else {
      this.#buffer.take();
    }
  }

  /** The next task of the queue starts when this one is settled, unless a part of this one is still running (`isStopping`). */
  async #toStopping(): Promise<{ isStopping?: true }> {
    if (!this.#hasReturned) return { isStopping: true };
    await this.#endProcesses();
    return {};
  }

  async #endProcesses(): Promise<void> {
    await this.#processes.end().catch((error) => this.#host.report(error));
  }

  /** A tool that ignores its signal keeps its slot for `abortGraceMs`; then it runs on without occupying one. */
  async #waitForReturn(work: Promise<unknown>): Promise<void> {
    let cancel: (() => void) | undefined;
    const timeout = new Promise<'ignored'>((resolve) => {
      cancel = this.#host.clock.after(this.#host.abortGraceMs, () => resolve('ignored'));
    });
    const end = await Promise.race([work, timeout]);
    cancel?.();
    if (end === 'ignored') {
      const { taskId } = this.lease;
      this.#host.report(
        new TaskError(
          'TIMED_OUT',
          `tool ${this.#tool.name} goes on after task ${taskId} was stopped: it ignores its signal`,
        ),
      );
    }
  }

  /** A cancelled tool may report how its work was stopped, in the message of the `CANCELLED` error that it throws. */
  #noteStopped(error: unknown): void {
    const reason: unknown = this.#abortController.isAborted ? this.#abortController.signal.reason : undefined;
    if (!isTaskError(reason, 'CANCELLED') || !isTaskError(error, 'CANCELLED')) return;
    if (error !== reason && error.message !== reason.message) this.#stopped = error.message;
  }

  async #recordStop(): Promise<void> {
    if (this.#stopped === undefined) return;
    const note = this.#secrets.scrub(shorten(this.#stopped, MAX_STOPPED_TEXT));
    await this.#writer.recordStop(note).catch((error) => this.#host.report(error));
  }

  #stop(reason: TaskError, verdict: Verdict): void {
    this.#conclude(verdict);
    this.#questions.stop(reason);
    this.#abortController.abort(reason);
  }

  #onTimeout(code: 'TIMED_OUT' | 'STALLED', did: string, limitMs: number | undefined): void {
    const error = new TaskError(code, `tool ${this.#tool.name} ${did} for more than ${limitMs} ms and was stopped`);
    this.#stop(error, this.#toErrorVerdict(error));
  }

  async #park(): Promise<void> {
    if (await this.#writer.release({ how: 'park' })) {
      this.abandon(
        new TaskError('PARKED', 'the question has been open for long; the task goes on when it is answered'),
      );
    }
  }

  /** Emits a process event. Events after the conclusion are dropped: the task may already belong to another worker. */
  #emitProcessEvent(event: AttemptBody): void {
    if (!this.hasConcluded) void this.#buffer.push(event);
  }

  async #writeEvents(events: readonly AttemptBody[]): Promise<void> {
    try {
      await this.#writer.write({ events });
    } catch (error) {
      // Progress that cannot be written must not fail the work.
      if (!isLeaseLost(error)) this.#host.report(error);
    }
  }

  #toQuestionHost() {
    const { store, router, clock, parkMs } = this.#host;
    const { taskId } = this.lease;
    return {
      open: async (question: Parameters<LeaseWriter['ask']>[0]) => {
        await this.#buffer.flush();
        await this.#writer.ask(question);
      },
      read: async () => (await store.tasks.get({ taskId }))?.questions ?? [],
      openChangeWaiter: () => router.openChangeWaiter(taskId),
      onAnswer: (question: Parameters<TaskSecrets['note']>[0]) => this.#secrets.note(question),
      onWait: () => {
        if (this.#tool.idempotent) this.#cancelPark = clock.after(parkMs, () => void this.#park());
        this.#pauseForWait();
      },
      onResume: (signal: AbortSignal) => {
        this.#cancelPark?.();
        return this.#resume(signal);
      },
    };
  }

  async #idle<T>(wait: () => Promise<T>): Promise<T> {
    this.#openIdleWaits++;
    this.#pauseForWait();
    try {
      return await wait();
    } finally {
      this.#openIdleWaits--;
      await this.#resume(this.#abortController.signal);
    }
  }

  #pauseForWait(): void {
    if (this.#openWaits++ > 0) return;
    this.#runTime.pause();
    this.#silence?.pause();
    this.#host.onWait();
  }

  async #resume(signal: AbortSignal): Promise<void> {
    if (--this.#openWaits > 0) return;
    await this.#host.onResume(signal);
    if (signal.aborted) return;
    // Another wait has started while this one waited for a slot.
    if (this.#openWaits > 0) return this.#host.onWait();
    this.#runTime.resume();
    this.#silence?.resume();
  }

  #toContext() {
    return createContext({
      claimed: this.#claimed,
      toSignal: () => this.#abortController.signal,
      buffer: this.#buffer,
      writer: this.#writer,
      questions: this.#questions,
      processes: this.#processes,
      idle: (wait) => this.#idle(wait),
      maxValueBytes: this.#tool.maxResultBytes,
      scrub: this.#secrets.scrub,
      check: () => this.#check(),
      onSign: () => this.#silence?.reset(),
    });
  }
}
