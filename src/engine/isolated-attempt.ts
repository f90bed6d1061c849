import { once } from 'node:events';
import { TaskError } from '../errors.ts';
import type { Claimed, Lease } from '../store/task-contract.ts';
import { isTerminal } from '../task/status.ts';
import type { AttemptHost, RunningAttempt } from './attempt.ts';
import { isHeld } from './lease.ts';
import { LeaseWriter } from './lease-writer.ts';
import { Stopwatch } from './stopwatch.ts';
import { TaskProcesses } from './task-processes.ts';
import type { ParsedTool } from './tool.ts';
import { toErrorVerdict, type Verdict } from './verdict.ts';
import { toCommandLine, toWorkerEnv } from './worker-process.ts';

/** How much longer than the attempt itself its process may take to end it. */
const OVERTIME_MS = 1000;

interface IsolatedWork {
  readonly claimed: Claimed;
  readonly lease: Lease;
  /** How long the process may take to get to the tool. */
  readonly startMs: number;
}

/**
 * One execution of a tool in a process of its own.
 *
 * The process is this program run again; it gets the claimed task on its stdin, writes to the store under the
 * lease of this worker, and ends. What is watched from here is what a blocked or broken process cannot do
 * itself: its time, its loss, and a death without an outcome.
 */
export class IsolatedAttempt implements RunningAttempt {
  readonly lease: Lease;
  readonly #host: AttemptHost;
  readonly #tool: ParsedTool;
  readonly #claimed: Claimed;
  readonly #startMs: number;
  readonly #writer: LeaseWriter;
  readonly #processes: TaskProcesses;
  readonly #runTime: Stopwatch;
  readonly #concluded: Promise<Verdict>;
  #conclude: (verdict: Verdict) => void = () => {};
  hasConcluded = false;
  readonly #over = new AbortController();
  #waits = false;
  #run: Promise<void> | undefined;

  constructor(host: AttemptHost, tool: ParsedTool, work: IsolatedWork) {
    const { claimed, lease, startMs } = work;
    this.lease = lease;
    this.#host = host;
    this.#tool = tool;
    this.#claimed = claimed;
    this.#startMs = startMs;
    this.#concluded = new Promise((resolve) => {
      this.#conclude = resolve;
    });
    const { store, clock } = host;
    const report = (error: unknown) => host.report(error);
    this.#writer = new LeaseWriter({
      tasks: store.tasks,
      lease,
      clock,
      onLost: () => this.#conclude({ kind: 'none' }),
      report,
    });
    this.#processes = new TaskProcesses(lease, store.workers);
    this.#runTime = new Stopwatch(clock, tool.maxRunMs + OVERTIME_MS, () => this.#overdue());
  }

  get isWaiting(): boolean {
    return this.#tool.idempotent && this.#waits;
  }

  run(): Promise<void> {
    this.#run ??= this.#follow();
    return this.#run;
  }

  lose(reason: TaskError): void {
    const conclude = () => this.#conclude({ kind: 'none' });
    // A process that has parked itself ends by itself, with what it started, and is only helped when it does not.
    if (reason.code === 'PARKED') this.#host.clock.after(this.#host.abortGraceMs + OVERTIME_MS, conclude);
    else conclude();
  }

  async handBack(): Promise<void> {
    // A verdict that waits for the store is worth more than a task given back.
    if (this.hasConcluded) {
      this.#writer.leave();
      return this.run();
    }
    this.#conclude({ kind: 'none' });
    // Ended first: a process that goes on while its task is run elsewhere would do the work twice.
    await this.run();
    await this.#writer.handBack(this.#tool.idempotent);
  }

  async #follow(): Promise<void> {
    const stopListening = this.#host.router.onTask(this.lease.taskId, ({ type }) => {
      if (type === 'asked' || type === 'answered') this.#noteWaiting().catch((error) => this.#host.report(error));
    });
    const verdict = await Promise.race([this.#live(), this.#concluded]);
    this.hasConcluded = true;
    stopListening();
    this.#over.abort();
    this.#runTime.pause();
    await this.#endProcesses().catch((error) => this.#host.report(error));
    await this.#carryOut(verdict);
  }

  /** Resolves with a verdict when the process has ended. */
  async #live(): Promise<Verdict> {
    const line = toCommandLine();
    try {
      if (!line) throw new TaskError('SPAWN_FAILED', 'there is no entry file to run again');
      const env = toWorkerEnv({ role: 'attempt', identity: this.#claimed.task.identity, startMs: this.#startMs });
      const child = await this.#processes.start(line.command, line.args, { env });
      // Not 'close': what the process leaves behind may hold its output for long after its death.
      const exit = once(child, 'exit');
      child.stdout.pipe(process.stderr, { end: false });
      child.stderr.pipe(process.stderr, { end: false });
      child.stdin.end(JSON.stringify({ claimed: this.#claimed, lease: this.lease }));
      const [code, signal] = (await exit) as [number | null, NodeJS.Signals | null];
      return this.#judge(signal ? `by ${signal}` : `with code ${code}`);
    } catch (error) {
      return this.#toErrorVerdict(error);
    }
  }

  /** A process that ended without an outcome is a lost worker. If it had one, the old lease makes this change nothing. */
  #judge(how: string): Verdict {
    const { attempt, maxAttempts } = this.#claimed.task;
    if (this.#tool.idempotent && attempt < maxAttempts) return { kind: 'retry' };
    return {
      kind: 'settle',
      outcome: { kind: 'interrupted', reason: `its process ended ${how} before it had an outcome` },
    };
  }

  /** While the task is ours, or has ended, all that its process started can go; else it may be another attempt's. */
  async #endProcesses(): Promise<void> {
    await this.#processes.end();
    const task = await this.#host.store.tasks.get({ taskId: this.lease.taskId });
    if (!task || isTerminal(task.status) || isHeld(task, this.lease)) await this.#processes.endAll();
  }

  async #carryOut(verdict: Verdict): Promise<void> {
    if (verdict.kind === 'settle') await this.#writer.settle({ outcome: verdict.outcome });
    if (verdict.kind === 'retry') await this.#writer.retry(this.#tool.retry, this.#claimed.task.attempt);
  }

  #overdue(): void {
    const error = new TaskError(
      'TIMED_OUT',
      `tool ${this.#tool.name} ran for more than ${this.#tool.maxRunMs} ms and was stopped`,
    );
    this.#conclude(this.#toErrorVerdict(error));
  }

  #toErrorVerdict(error: unknown): Verdict {
    return toErrorVerdict(error, this.#tool, { ...this.#claimed.task, report: this.#host.report });
  }

  /** While the process waits for an answer its slot is free and its clock stands. */
  async #noteWaiting(): Promise<void> {
    const task = await this.#host.store.tasks.get({ taskId: this.lease.taskId });
    const waits = task?.status === 'input_required';
    if (waits === this.#waits || this.#over.signal.aborted) return;
    this.#waits = waits;
    if (waits) {
      this.#runTime.pause();
      this.#host.onWait();
    } else {
      this.#runTime.resume();
      await this.#host.onGoOn(this.#over.signal);
    }
  }
}
