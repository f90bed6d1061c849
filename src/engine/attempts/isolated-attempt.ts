import { once } from 'node:events';
import type { Readable } from 'node:stream';
import { isTaskError, TaskError } from '../../errors.ts';
import type { Claimed, Lease } from '../../store/contracts/task-contract.ts';
import { isTerminal } from '../../task/status.ts';
import type { ParsedTool } from '../tool.ts';
import { type CommandLine, toWorkerEnv } from '../workers/worker-process.ts';
import type { AttemptHost, RunningAttempt } from './attempt.ts';
import { type AttemptMessage, MESSAGE_FD, readAttemptMessages } from './attempt-messages.ts';
import { isCurrentLease } from './lease.ts';
import { LeaseWriter } from './lease-writer.ts';
import { Stopwatch } from './stopwatch.ts';
import { TaskProcesses } from './task-processes.ts';
import { toErrorVerdict, type Verdict } from './verdict.ts';

/** How much longer than the attempt's own limit the worker waits, so that the process can end the attempt itself. */
const OVERTIME_MS = 1000;

/** How long to wait for the last messages of an exited process: a process it left behind may hold the pipe open. */
const FINAL_MESSAGES_TIMEOUT_MS = 1000;

/** Signals that operators and service managers send to a whole service to stop it. */
const STOP_SIGNALS: ReadonlySet<NodeJS.Signals> = new Set<NodeJS.Signals>(['SIGTERM', 'SIGINT', 'SIGHUP']);

interface IsolatedWork {
  readonly claimed: Claimed;
  readonly lease: Lease;
  /** How long the process may take to reach the tool. */
  readonly startMs: number;
  /** The command line that runs its process, if there is one. */
  readonly line: CommandLine | undefined;
  /**
   * Called when the process never reached the tool, and the tool had not asked for one: the task can run in the worker
   * instead.
   */
  onStartFailed(): void;
}

/**
 * One execution of a tool in a process of its own.
 *
 * The process is this program run again; it reads the claimed task from stdin, writes to the store under the lease of
 * this worker, and exits. The worker handles what a blocked or broken process cannot handle itself: its time-out, the
 * loss of its lease, and a death without an outcome.
 */
export class IsolatedAttempt implements RunningAttempt {
  readonly lease: Lease;
  readonly #host: AttemptHost;
  readonly #tool: ParsedTool;
  readonly #claimed: Claimed;
  readonly #work: IsolatedWork;
  readonly #writer: LeaseWriter;
  readonly #processes: TaskProcesses;
  /** Runs until the process reaches the tool, which may take long on a busy machine; then `#runTime` counts. */
  readonly #startTime: Stopwatch;
  readonly #runTime: Stopwatch;
  readonly #concluded: Promise<Verdict>;
  #conclude: (verdict: Verdict) => void = () => {};
  hasConcluded = false;
  readonly #over = new AbortController();
  #hasBegun = false;
  #waits = false;
  #run: Promise<void> | undefined;

  constructor(host: AttemptHost, tool: ParsedTool, work: IsolatedWork) {
    const { claimed, lease } = work;
    this.lease = lease;
    this.#host = host;
    this.#tool = tool;
    this.#claimed = claimed;
    this.#work = work;
    this.#concluded = new Promise((resolve) => {
      this.#conclude = resolve;
    });
    const { store, clock } = host;
    const report = (error: unknown) => host.report(error);
    this.#writer = new LeaseWriter({
      tasks: store.tasks,
      artifacts: store.artifacts,
      lease,
      clock,
      time: () => store.time(),
      onLost: () => this.#conclude({ kind: 'none' }),
      report,
    });
    const check = () => this.#writer.check(() => this.#over.signal.aborted);
    this.#processes = new TaskProcesses(lease, store.workers, {
      check,
      persist: (write) => this.#writer.persist(write),
    });
    this.#startTime = new Stopwatch(clock, work.startMs + OVERTIME_MS, () => this.#onStartTimeout());
    this.#runTime = new Stopwatch(clock, tool.maxRunMs + OVERTIME_MS, () => this.#onRunTimeout());
    this.#runTime.pause();
  }

  get isWaiting(): boolean {
    return this.#tool.idempotent && this.#waits;
  }

  run(): Promise<void> {
    this.#run ??= this.#follow();
    return this.#run;
  }

  abandon(reason: TaskError): void {
    const conclude = () => this.#conclude({ kind: 'none' });
    // A process that has parked itself exits by itself, with the processes it started; it is only ended if it does not exit in
    // time.
    if (reason.code === 'PARKED') this.#host.clock.after(this.#host.abortGraceMs + OVERTIME_MS, conclude);
    else conclude();
  }

  async handBack(): Promise<void> {
    // A verdict that waits to be written is worth more than a task handed back.
    if (this.hasConcluded) {
      this.#writer.stopRetrying();
      return this.run();
    }
    this.#conclude({ kind: 'none' });
    // The process is ended first: if it continued while its task runs elsewhere, the work would be done twice.
    await this.run();
    await this.#writer.handBack(this.#tool.idempotent);
  }

  async #follow(): Promise<void> {
    const verdict = await Promise.race([this.#runProcess(), this.#concluded]);
    this.hasConcluded = true;
    this.#over.abort();
    this.#startTime.pause();
    this.#runTime.pause();
    await this.#endProcesses().catch((error) => this.#host.report(error));
    await this.#writeVerdict(verdict);
  }

  /** Resolves with a verdict when the process has exited. */
  async #runProcess(): Promise<Verdict> {
    const { line } = this.#work;
    try {
      if (!line) throw new TaskError('SPAWN_FAILED', 'there is no entry file to run again');
      const env = toWorkerEnv({
        role: 'attempt',
        newsFd: MESSAGE_FD,
        identity: this.#claimed.task.identity,
        startMs: this.#work.startMs,
      });
      const child = await this.#processes.start(line.command, line.args, { env, hasNewsPipe: true });
      // Not 'close': processes left behind may hold its output open long after its death.
      const exit = once(child, 'exit');
      const messages = readAttemptMessages(child.stdio[MESSAGE_FD as number] as Readable, (one) =>
        this.#onMessage(one),
      );
      // Not `pipe`: each adds listeners to our stderr, and several attempts at once would look like a listener leak.
      for (const output of [child.stdout, child.stderr]) output.on('data', (said) => process.stderr.write(said));
      child.stdin.end(JSON.stringify({ claimed: this.#claimed, lease: this.lease }));
      const [code, signal] = (await exit) as [number | null, NodeJS.Signals | null];
      // Its last messages may still be in the pipe.
      await Promise.race([messages, this.#pause(FINAL_MESSAGES_TIMEOUT_MS)]);
      return this.#toExitVerdict(signal ? `by ${signal}` : `with code ${code}`, signal);
    } catch (error) {
      return this.#fallBackToWorker(error) ?? this.#toErrorVerdict(error);
    }
  }

  /**
   * A process that exited without an outcome has crashed, and no other task can have caused it: the attempt counts. If it
   * did write an outcome, this write has an old lease and changes nothing. If a stop signal (`STOP_SIGNALS`) ended it,
   * it was only interrupted.
   */
  #toExitVerdict(how: string, signal: NodeJS.Signals | null): Verdict {
    const { attempt, maxAttempts } = this.#claimed.task;
    if (!this.#hasBegun) {
      const startError = new TaskError('SPAWN_FAILED', `its process ended ${how} before it got to the tool`);
      const verdict = this.#fallBackToWorker(startError);
      if (verdict) return verdict;
    }
    const isInterrupted = signal !== null && STOP_SIGNALS.has(signal);
    if (this.#tool.idempotent && attempt < maxAttempts)
      return { kind: 'retry', reason: isInterrupted ? 'retry' : 'crashed' };
    const rule = this.#tool.idempotent ? `no attempt left of ${maxAttempts}` : 'this work may not be repeated';
    const reason = `its process ended ${how} before it had an outcome; ${rule}`;
    if (isInterrupted) return { kind: 'settle', outcome: { kind: 'interrupted', reason } };
    return { kind: 'settle', outcome: { kind: 'error', error: { code: 'CRASHED', message: reason } } };
  }

  /** A tool that did not ask for a process of its own must not fail because it cannot have one. */
  #fallBackToWorker(error: unknown): Verdict | undefined {
    if (this.#hasBegun || this.#tool.isolate === true || !isTaskError(error, 'SPAWN_FAILED')) return undefined;
    const { name } = this.#tool;
    const message = `tool ${name} cannot have a process of its own, and runs in its worker: ${error.message}`;
    this.#host.report(new TaskError('SPAWN_FAILED', message, { cause: error }));
    this.#work.onStartFailed();
    return { kind: 'retry', reason: 'handed-back' };
  }

  /**
   * While the task is ours, or has ended, all its groups in the registry can be ended; otherwise one may be another
   * attempt's.
   */
  async #endProcesses(): Promise<void> {
    await this.#processes.end();
    const task = await this.#host.store.tasks.get({ taskId: this.lease.taskId });
    if (!task || isTerminal(task.status) || isCurrentLease(task, this.lease)) await this.#processes.endAll();
  }

  async #writeVerdict(verdict: Verdict): Promise<void> {
    if (verdict.kind === 'settle') await this.#writer.settle({ outcome: verdict.outcome });
    if (verdict.kind === 'retry')
      await this.#writer.retry(this.#tool.retry, this.#claimed.task.attempt, verdict.reason);
  }

  #onStartTimeout(): void {
    const message = `its process did not get to the tool within ${this.#work.startMs} ms`;
    const error = new TaskError('SPAWN_FAILED', message);
    this.#conclude(this.#fallBackToWorker(error) ?? this.#toErrorVerdict(error));
  }

  #onRunTimeout(): void {
    const error = new TaskError(
      'TIMED_OUT',
      `tool ${this.#tool.name} ran for more than ${this.#tool.maxRunMs} ms and was stopped`,
    );
    this.#conclude(this.#toErrorVerdict(error));
  }

  #toErrorVerdict(error: unknown): Verdict {
    return toErrorVerdict(error, this.#tool, { ...this.#claimed.task, report: this.#host.report });
  }

  /** While the process waits, its slot is free and its run time is paused. */
  #onMessage(message: AttemptMessage): void {
    if (this.#over.signal.aborted) return;
    if (!this.#hasBegun) this.#begin();
    const waits = message === 'rests';
    if (waits === this.#waits) return;
    this.#waits = waits;
    if (waits) {
      this.#runTime.pause();
      this.#host.onWait();
    } else {
      this.#runTime.resume();
      this.#host.onResume(this.#over.signal).catch((error) => this.#host.report(error));
    }
  }

  #begin(): void {
    this.#hasBegun = true;
    this.#startTime.pause();
    this.#runTime.resume();
  }

  #pause(ms: number): Promise<void> {
    return new Promise((resolve) => void this.#host.clock.after(ms, resolve));
  }
}
