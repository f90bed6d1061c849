import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync } from 'node:fs';
import type { Clock } from '../../clock.ts';
import type { Store } from '../../store/contract.ts';
import { findErrorLine, openWorkerLog, type WorkerLog } from './worker-log.ts';
import { type CommandLine, toWorkerEnv } from './worker-process.ts';

export interface WorkerStartOptions {
  readonly store: Store;
  readonly clock: Clock;
  readonly identity: string;
  readonly leaseMs: number;
  readonly startMs: number;
  readonly workerId: string;
  readonly line: CommandLine;
  /** Called when the process is alive and has not registered, and the work should not wait any longer. */
  onLate(why: string): void;
  /** Whether work waits for the worker. */
  isAwaited(): boolean;
  /** Called when the process has exited, for whatever reason. */
  onEnded(): void;
  report(error: unknown): void;
}

const POLL_INTERVAL_MS = 50;

const REMEDY =
  'a worker is this program run again: it must get to server.start() or engine.start() before it does what can be done only once, such as listening on a port, or workerEntry must name a file that does';

/** On a busy machine a program may load for several times as long as it should; while it is alive it has not failed. */
const LATE_FACTOR = 3;
const START_TIMEOUT_FACTOR = 10;
const MIN_START_TIMEOUT_MS = 60_000;

/** A reservation expires after `startMs`; the process that waits for the worker renews it this many times within that. */
const RENEWALS = 4;

/** Returns how long a process that was started to run tasks may take to start its engine before it is ended. */
export function toStartTimeoutMs(startMs: number): number {
  return Math.max(START_TIMEOUT_FACTOR * startMs, MIN_START_TIMEOUT_MS);
}

/**
 * One process that becomes the detached worker, from its spawn to its registration.
 *
 * spawned ──registers──▶ there
 *    ├──ends──▶ failed
 *    └──three times `startMs`──▶ late ──registers──▶ there, or failed when it is ended at last
 *
 * While the worker is waited for, its reservation is renewed, so that other processes neither let it expire nor start
 * another one on a machine that is too busy for one.
 */
export class WorkerStart {
  readonly #options: WorkerStartOptions;
  #renewedAt: number;
  #isLate = false;
  #isAbandoned = false;
  #log: WorkerLog | undefined;

  constructor(options: WorkerStartOptions) {
    this.#options = options;
    this.#renewedAt = options.clock.monotonic();
  }

  /** Resolves with `undefined` when the worker has registered, or with the reason why it has not. */
  async run(): Promise<string | undefined> {
    try {
      const child = this.#spawn();
      child.unref();
      child.once('exit', () => this.#options.onEnded());
      return await this.#registration(child);
    } catch (error) {
      // The directory is gone, the log cannot be written, or the system has no resources for another process.
      return toFailure(error);
    }
  }

  /**
   * Ends the wait for a worker that is late, or that no work waits for. The process is left running while there is work
   * for it.
   */
  abandon(): void {
    this.#isAbandoned = true;
  }

  #spawn(): ChildProcess {
    const { store, identity, startMs, workerId, line } = this.#options;
    const log = openWorkerLog(store.directory, identity);
    this.#log = log;
    try {
      return spawn(line.command, [...line.args], {
        cwd: process.cwd(),
        env: toWorkerEnv({ role: 'detached', workerId, identity, startMs: toStartTimeoutMs(startMs) }),
        detached: true,
        stdio: ['ignore', log?.file ?? 'ignore', log?.file ?? 'ignore'],
      });
    } finally {
      if (log !== undefined) closeSync(log.file);
    }
  }

  async #registration(child: ChildProcess): Promise<string | undefined> {
    const { clock, startMs } = this.#options;
    const ended = whenEnded(child, () => this.#toLogExcerpt());
    const begunAt = clock.monotonic();
    for (let waitedMs = 0; waitedMs < toStartTimeoutMs(startMs); waitedMs = clock.monotonic() - begunAt) {
      const poll = new Promise<void>((resolve) => clock.after(POLL_INTERVAL_MS, resolve));
      const failure = await Promise.race([ended, poll]);
      if (await this.#hasRegistered(child)) return undefined;
      if (failure) return failure;
      if (waitedMs >= LATE_FACTOR * startMs) this.#noteLate();
      if (this.#isAbandoned && (this.#isLate || !this.#options.isAwaited())) break;
      await this.#renew();
    }
    if (this.#isAbandoned && (await this.#isNeeded())) return undefined;
    child.kill('SIGKILL');
    return this.#toLateText();
  }

  async #hasRegistered(child: ChildProcess): Promise<boolean> {
    const { store, identity, workerId, report } = this.#options;
    try {
      const worker = (await store.workers.list(identity)).find((one) => one.workerId === workerId);
      // A worker that found nothing to do may have registered and exited already.
      return worker === undefined ? child.exitCode === 0 : worker.state !== 'starting';
    } catch (error) {
      // A store that cannot be read for a moment says nothing about the process.
      report(error);
      return false;
    }
  }

  #noteLate(): void {
    if (this.#isLate) return;
    this.#isLate = true;
    this.#options.onLate(this.#toLateText());
  }

  #toLateText(): string {
    const lateMs = LATE_FACTOR * this.#options.startMs;
    return `the worker has not registered after ${lateMs} ms${this.#toLogExcerpt()}; ${REMEDY}`;
  }

  #toLogExcerpt(): string {
    const line = this.#log && findErrorLine(this.#log);
    return line === undefined ? '' : `, and its log ${this.#log?.path} says: ${line}`;
  }

  async #renew(): Promise<void> {
    const { store, clock, startMs, leaseMs, workerId, report } = this.#options;
    if (clock.monotonic() - this.#renewedAt < startMs / RENEWALS) return;
    this.#renewedAt = clock.monotonic();
    await store.workers.renew(workerId, leaseMs).catch(report);
  }

  async #isNeeded(): Promise<boolean> {
    const { store, identity } = this.#options;
    return (await store.tasks.backlog(identity)).queued > 0;
  }
}

/** Resolves when a spawned worker has exited, or could not be spawned. */
function whenEnded(child: ChildProcess, toLogExcerpt: () => string): Promise<string> {
  return new Promise((resolve) => {
    child.once('error', (error) => resolve(toFailure(error)));
    child.once('exit', (code, signal) =>
      resolve(`the worker ended (${signal ?? `code ${code}`}) before it registered${toLogExcerpt()}; ${REMEDY}`),
    );
  });
}

function toFailure(error: unknown): string {
  return `the worker could not be started: ${error instanceof Error ? error.message : String(error)}`;
}
