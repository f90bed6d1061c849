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
  /** That of the store, which says when a task is due again. */
  time(): StoreTime;
  /** Called when a write finds that the lease is gone, with what has become of the task. */
  readonly onLost: (reason: TaskError) => void;
  /** Called with each try to end the task, and whether it has. */
  readonly onSettling?: (outcome: SettledOutcome, settled: Promise<boolean>) => void;
  readonly report: (error: unknown) => void;
}

const FIRST_WAIT_MS = 100;
const MAX_WAIT_MS = 5000;

/** How long a result, a step or a question that the disk does not take is kept in memory before the task ends without it. */
const KEEP_MS = 10_000;

/** How long work that has lost its lease goes on, at the most, until it is known why. */
const READ_MS = 1000;

/** What may be over soon. A store that is gone or foreign stays so. */
const PASSING: readonly TaskErrorCode[] = ['STORE_FAILED', 'STORE_FULL', 'STORE_LOCKED'];

/**
 * Everything an attempt writes, under its lease.
 *
 * What ends or hands back a task is tried until the store takes it: while the worker lives and holds the lease,
 * a store that is full or locked for a while costs time and nothing else. A worker that goes tries once more: what
 * the store does not take then is decided by others when the lease has run out.
 */
export class LeaseWriter {
  readonly #options: LeaseWriterOptions;
  #given = false;
  #isLeaving = false;
  readonly #pauses = new Set<() => void>();

  constructor(options: LeaseWriterOptions) {
    this.#options = options;
  }

  /**
   * Resolves when the lease is known to be ours, by a read, and throws when it is lost: for the moment before something
   * begins that cannot be taken back. A store that cannot be read for a while costs time; until then nothing begins.
   */
  async check(isStopped: () => boolean = () => false): Promise<void> {
    const { tasks, lease } = this.#options;
    const isHeld = await this.#insist(() => (isStopped() ? Promise.resolve(false) : tasks.holds(lease)));
    if (!isHeld) await this.#lost();
  }

  async write(change: AttemptWrite): Promise<void> {
    if (!(await this.#options.tasks.write(this.#options.lease, change))) await this.#lost();
  }

  /** Keeps one piece of an artifact. */
  async keep(piece: ArtifactPiece): Promise<void> {
    if (!(await this.#options.artifacts.put(this.#options.lease, piece))) await this.#lost();
  }

  /** Its body has run: a store in trouble for a moment must not cost what it did. */
  async keepStep(step: NonNullable<AttemptWrite['step']>): Promise<void> {
    const { tasks, lease } = this.#options;
    await this.persist(() => tasks.write(lease, { step }));
  }

  async ask(question: Pick<Question, 'key' | 'request'>): Promise<void> {
    const { tasks, lease } = this.#options;
    await this.persist(() => tasks.ask(lease, question));
  }

  /** Gives the lease back; `false` when it was gone, or when there is nothing to park for. */
  async release(how: Release): Promise<boolean> {
    const released = await this.#insist(() => this.#options.tasks.release(this.#options.lease, how));
    this.#given ||= released;
    return released;
  }

  /** The worker goes: what waits for the store is tried once more, now. */
  leave(): void {
    this.#isLeaving = true;
    for (const cut of this.#pauses) cut();
  }

  /** The worker goes: the task is queued again if it may be repeated, else it ends as interrupted. */
  async handBack(idempotent: boolean): Promise<void> {
    this.leave();
    const runAt = this.#options.time().now;
    if (idempotent) await this.release({ how: 'requeue', reason: 'handed-back', runAt, countsAsAttempt: false });
    else await this.settle({ outcome: { kind: 'interrupted', reason: 'its worker was shut down' } });
  }

  /** Somebody has cancelled the task: tells how its work was stopped. */
  async tellStopped(note: string): Promise<void> {
    await this.#options.tasks.release(this.#options.lease, { how: 'stopped', note });
  }

  /** Queues another attempt after a pause. */
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
    const giveUpAt = clock.monotonic() + KEEP_MS;
    let current = settlement;
    const settled = await this.#insist(
      () => {
        const settled = tasks.settle(lease, current);
        this.#options.onSettling?.(current.outcome, settled);
        return settled;
      },
      (error) => {
        if (!isTaskError(error, 'STORE_FULL') || clock.monotonic() < giveUpAt) return;
        current = { outcome: withoutResult(settlement.outcome, error) };
      },
    );
    this.#given ||= settled;
    return settled;
  }

  /** Writes what the tool goes on from: tried for a while, then its failure is the tool's. False is a lost lease. */
  async persist(write: () => Promise<boolean>): Promise<void> {
    const { clock } = this.#options;
    const giveUpAt = clock.monotonic() + KEEP_MS;
    let failure: { readonly error: unknown } | undefined;
    const isKept = await this.#insist(async () => {
      try {
        return await write();
      } catch (error) {
        const isPassing = PASSING.some((code) => isTaskError(error, code));
        if (isPassing && !this.#isLeaving && clock.monotonic() < giveUpAt) throw error;
        failure = { error };
        return false;
      }
    });
    if (failure) throw failure.error;
    if (!isKept) await this.#lost();
  }

  async #insist(attempt: () => Promise<boolean>, onError?: (error: unknown) => void): Promise<boolean> {
    for (let waitMs = FIRST_WAIT_MS; ; waitMs = Math.min(MAX_WAIT_MS, waitMs * 2)) {
      if (this.#given) return false;
      try {
        return await attempt();
      } catch (error) {
        this.#options.report(error);
        if (this.#isLeaving || isTaskError(error, 'STORE_CLOSED') || isFinalRefusal(error)) return false;
        onError?.(error);
      }
      await this.#pause(waitMs);
    }
  }

  async #pause(ms: number): Promise<void> {
    await new Promise<void>((resolve) => {
      const cut = () => {
        cancel();
        this.#pauses.delete(cut);
        resolve();
      };
      const cancel = this.#options.clock.after(ms, cut);
      this.#pauses.add(cut);
    });
  }

  /**
   * One more read: what was cancelled must be stopped wherever it runs, and what others go on with must not be. The change that
   * tells of a cancel may come after the write that it refuses.
   */
  async #lost(): Promise<never> {
    const { onLost } = this.#options;
    const reason = leaseLostError(await this.#readSoon());
    onLost(reason);
    throw reason;
  }

  async #readSoon(): Promise<Task | undefined> {
    const { tasks, lease, clock, report } = this.#options;
    let cancel: (() => void) | undefined;
    const late = new Promise<undefined>((resolve) => {
      cancel = clock.after(READ_MS, () => resolve(undefined));
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
