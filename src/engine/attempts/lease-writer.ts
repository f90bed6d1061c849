import type { Clock } from '../../clock.ts';
import { isTaskError, type TaskError, type TaskErrorCode } from '../../errors.ts';
import type { ArtifactPiece, Artifacts } from '../../store/contracts/artifact-contract.ts';
import type { AttemptWrite, Lease, Release, Settlement, TaskStore } from '../../store/contracts/task-contract.ts';
import type { StoreTime } from '../../store/store-clock.ts';
import type { SettledOutcome } from '../../task/outcome.ts';
import type { Question } from '../../task/question.ts';
import type { Task } from '../../task/record.ts';
import { type RetryPolicy, toRetryDelay } from '../../task/retry.ts';
import { isFinalRefusal } from '../final-refusal.ts';
import { leaseLostError } from './lease.ts';

export interface LeaseWriterOptions {
  readonly tasks: TaskStore;
  readonly artifacts: Artifacts;
  readonly lease: Lease;
  readonly clock: Clock;
  /** The store's time, which decides when a task is due again. */
  time(): StoreTime;
  /** Called when a write finds that the lease is gone; the reason says what became of the task. */
  readonly onLost: (reason: TaskError) => void;
  /** Called with each attempt to write the outcome; `settled` says whether it ended the task. */
  readonly onSettling?: (outcome: SettledOutcome, settled: Promise<boolean>) => void;
  readonly report: (error: unknown) => void;
}

const FIRST_WAIT_MS = 100;
const MAX_WAIT_MS = 5000;

/** How long the write of a result, a step or a question is retried, from memory, before the task ends without it. */
const PERSIST_TIMEOUT_MS = 10_000;

/** How long, at most, work that has lost its lease continues until the reason has been read. */
const READ_TIMEOUT_MS = 1000;

/** Errors that may pass by themselves. A store that is gone or foreign stays that way. */
const TRANSIENT_CODES: readonly TaskErrorCode[] = ['STORE_FAILED', 'STORE_FULL', 'STORE_LOCKED'];

/**
 * Everything an attempt writes, under its lease.
 *
 * A write that ends or hands back a task is retried until the store accepts it: while the worker lives and holds the
 * lease, a store that is full or locked for a while costs only time. A worker that shuts down tries once more; if the
 * store refuses that too, recovery decides when the lease has expired.
 */
export class LeaseWriter {
  readonly #options: LeaseWriterOptions;
  #isReleased = false;
  #isShuttingDown = false;
  readonly #pauses = new Set<() => void>();

  constructor(options: LeaseWriterOptions) {
    this.#options = options;
  }

  /**
   * Resolves when a read has shown that the lease is still ours, and throws when it is lost. Call it right before an
   * action that cannot be undone. While the store cannot be read, this waits and nothing starts.
   */
  async check(isStopped: () => boolean = () => false): Promise<void> {
    const { tasks, lease } = this.#options;
    const isHeld = await this.#withRetries(() => (isStopped() ? Promise.resolve(false) : tasks.holds(lease)));
    if (!isHeld) await this.#lost();
  }

  async write(change: AttemptWrite): Promise<void> {
    if (!(await this.#options.tasks.write(this.#options.lease, change))) await this.#lost();
  }

  /** Stores one piece of an artifact. */
  async writeArtifactPiece(piece: ArtifactPiece): Promise<void> {
    if (!(await this.#options.artifacts.put(this.#options.lease, piece))) await this.#lost();
  }

  /** Stores a step with retries: its body has run, so a short failure of the store must not lose its value. */
  async writeStep(step: NonNullable<AttemptWrite['step']>): Promise<void> {
    const { tasks, lease } = this.#options;
    await this.persist(() => tasks.write(lease, { step }));
  }

  async ask(question: Pick<Question, 'key' | 'request'>): Promise<void> {
    const { tasks, lease } = this.#options;
    await this.persist(() => tasks.ask(lease, question));
  }

  /** Gives the lease back; returns `false` when it was gone, or when there is nothing to park for. */
  async release(how: Release): Promise<boolean> {
    const released = await this.#withRetries(() => this.#options.tasks.release(this.#options.lease, how));
    this.#isReleased ||= released;
    return released;
  }

  /** Called when the worker shuts down: writes that wait for the store are tried once more, now. */
  stopRetrying(): void {
    this.#isShuttingDown = true;
    for (const cut of this.#pauses) cut();
  }

  /** Called when the worker shuts down: requeues the task if it may be repeated, else ends it as interrupted. */
  async handBack(idempotent: boolean): Promise<void> {
    this.stopRetrying();
    const runAt = this.#options.time().now;
    if (idempotent) await this.release({ how: 'requeue', reason: 'handed-back', runAt, countsAsAttempt: false });
    else await this.settle({ outcome: { kind: 'interrupted', reason: 'its worker was shut down' } });
  }

  /** Records how the work of a cancelled task was stopped. */
  async recordStop(note: string): Promise<void> {
    await this.#options.tasks.release(this.#options.lease, { how: 'stopped', note });
  }

  /** Queues another attempt after the retry delay. */
  async retry(
    policy: RetryPolicy,
    attempt: number,
    reason: 'retry' | 'crashed' | 'handed-back' = 'retry',
  ): Promise<void> {
    const runAt = this.#options.time().now + toRetryDelay(policy, attempt);
    await this.release({ how: 'requeue', reason, runAt, countsAsAttempt: reason !== 'handed-back' });
  }

  async settle(settlement: Settlement): Promise<boolean> {
    const { clock, tasks, lease } = this.#options;
    const deadline = clock.monotonic() + PERSIST_TIMEOUT_MS;
    let current = settlement;
    const settled = await this.#withRetries(
      () => {
        const settled = tasks.settle(lease, current);
        this.#options.onSettling?.(current.outcome, settled);
        return settled;
      },
      (error) => {
        if (!isTaskError(error, 'STORE_FULL') || clock.monotonic() < deadline) return;
        current = { outcome: withoutResult(settlement.outcome, error) };
      },
    );
    this.#isReleased ||= settled;
    return settled;
  }

  /**
   * Writes data that the tool continues from. Retries for a while, then throws the error to the tool. If `write` returns
   * `false`, the lease is lost.
   */
  async persist(write: () => Promise<boolean>): Promise<void> {
    const { clock } = this.#options;
    const deadline = clock.monotonic() + PERSIST_TIMEOUT_MS;
    let failure: { readonly error: unknown } | undefined;
    const isKept = await this.#withRetries(async () => {
      try {
        return await write();
      } catch (error) {
        const isTransient = TRANSIENT_CODES.some((code) => isTaskError(error, code));
        if (isTransient && !this.#isShuttingDown && clock.monotonic() < deadline) throw error;
        failure = { error };
        return false;
      }
    });
    if (failure) throw failure.error;
    if (!isKept) await this.#lost();
  }

  async #withRetries(attempt: () => Promise<boolean>, onError?: (error: unknown) => void): Promise<boolean> {
    for (let waitMs = FIRST_WAIT_MS; ; waitMs = Math.min(MAX_WAIT_MS, waitMs * 2)) {
      if (this.#isReleased) return false;
      try {
        return await attempt();
      } catch (error) {
        this.#options.report(error);
        if (this.#isShuttingDown || isTaskError(error, 'STORE_CLOSED') || isFinalRefusal(error)) return false;
        onError?.(error);
      }
      await this.#pause(waitMs);
    }
  }

  async #pause(ms: number): Promise<void> {
    await new Promise<void>((resolve) => {
      const endPause = () => {
        cancel();
        this.#pauses.delete(endPause);
        resolve();
      };
      const cancel = this.#options.clock.after(ms, endPause);
      this.#pauses.add(endPause);
    });
  }

  /**
   * Reads the task once more: cancelled work must be stopped wherever it runs, but not what another worker continues
   * with. The change that announces a cancel may arrive after the write that the cancel made fail.
   */
  async #lost(): Promise<never> {
    const { onLost } = this.#options;
    const reason = leaseLostError(await this.#readWithTimeout());
    onLost(reason);
    throw reason;
  }

  async #readWithTimeout(): Promise<Task | undefined> {
    const { tasks, lease, clock, report } = this.#options;
    let cancel: (() => void) | undefined;
    const late = new Promise<undefined>((resolve) => {
      cancel = clock.after(READ_TIMEOUT_MS, () => resolve(undefined));
    });
    const read = tasks.get({ taskId: lease.taskId }).catch((error) => void report(error));
    const task = await Promise.race([read, late]);
    cancel?.();
    return task ?? undefined;
  }
}

function withoutResult(outcome: SettledOutcome, cause: TaskError): SettledOutcome {
  if (outcome.kind !== 'result') return outcome;
  return {
    kind: 'error',
    error: { code: cause.code, message: `the work was done, but its result could not be stored: ${cause.message}` },
  };
}
