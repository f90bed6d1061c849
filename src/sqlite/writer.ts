/**
 * The one writer of a connection: all queued operations are committed together.
 *
 * - idle:    nothing is queued.
 * - armed:   a turn is scheduled, after this round of the event loop or, while another process writes, a little later.
 * - turning: one transaction from BEGIN IMMEDIATE to COMMIT, without an `await` in between.
 *
 * A promise settles only after its operation is durable, or has certainly left no trace. Operations are synchronous, have no
 * side effects outside the database, and may run more than once: when one fails in a shared transaction, the transaction is
 * rolled back and its operations run again, each in a transaction of its own. That costs nothing in the normal case, and a
 * failing operation cannot fail the others.
 */
import { crashPoint } from '../crash-point.ts';
import { isTaskError, TaskError } from '../errors.ts';
import { type Database, storeClosedError } from './database.ts';
import { refuseNewer } from './migrate.ts';

export interface WriterOptions {
  /** The schema version this program writes. */
  readonly version: number;
  /** How long an operation waits for other processes before it fails with `STORE_LOCKED`. @default 10_000 */
  readonly lockWaitMs?: number;
  /** Called at the beginning of each transaction, before its operations run. Must not throw. */
  readonly onBegin?: () => void;
  /** Called once after each commit, before the callers that await it continue. Must not throw. */
  readonly afterCommit?: () => void;
}

export interface OperationOptions {
  /**
   * No caller waits for the operation: it is committed together with the next one if that comes within a few milliseconds,
   * and otherwise by itself.
   * @default false
   */
  readonly isDeferrable?: boolean;
}

interface Operation {
  readonly name: string;
  readonly run: (db: Database) => unknown;
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: unknown) => void;
  /** Whether it must have a transaction of its own. */
  alone: boolean;
  value: unknown;
  /** When it first found the database locked. */
  waitsSince: number | undefined;
}

// Both limit how long one turn blocks the event loop.
const MAX_BATCH = 256;
const MAX_TURN_MS = 20;
const MAX_DEFER_MS = 10;

export class Writer {
  readonly #db: Database;
  readonly #options: WriterOptions;
  readonly #lockWaitMs: number;
  #queue: Operation[] = [];
  #isArmed = false;
  #deferred: NodeJS.Timeout | undefined;
  #lockedTurns = 0;
  #closed: (() => void) | undefined;
  #closing: Promise<void> | undefined;

  constructor(db: Database, options: WriterOptions) {
    this.#db = db;
    this.#options = options;
    this.#lockWaitMs = options.lockWaitMs ?? 10_000;
  }

  get isIdle(): boolean {
    return this.#queue.length === 0;
  }

  /** Queues an operation; `name` is used for its crash points `name:before` and `name:after`, around the commit. */
  run<T>(name: string, operation: (db: Database) => T, { isDeferrable = false }: OperationOptions = {}): Promise<T> {
    if (this.#closing) return Promise.reject(storeClosedError(this.#db.path));
    return new Promise<T>((resolve, reject) => {
      this.#queue.push({
        name,
        run: operation,
        resolve: resolve as (value: unknown) => void,
        reject,
        alone: false,
        value: undefined,
        waitsSince: undefined,
      });
      if (isDeferrable) this.#deferred ??= setTimeout(() => this.#arm(), MAX_DEFER_MS);
      else this.#arm();
    });
  }

  /** Finishes the queue and accepts nothing new. */
  close(): Promise<void> {
    this.#closing ??= new Promise((resolve) => {
      if (this.isIdle) resolve();
      else {
        this.#closed = resolve;
        this.#arm();
      }
    });
    return this.#closing;
  }

  #arm(): void {
    clearTimeout(this.#deferred);
    this.#deferred = undefined;
    if (this.#isArmed) return;
    this.#isArmed = true;
    setImmediate(this.#turn);
  }

  readonly #turn = (): void => {
    this.#isArmed = false;
    if (this.#begin()) this.#transact();
    if (this.#queue.length > 0) this.#arm();
    else this.#closed?.();
  };

  /** Begins a transaction. `false` when another process is writing, or when nothing can be written at all. */
  #begin(): boolean {
    try {
      this.#db.beginImmediate();
      this.#lockedTurns = 0;
      return true;
    } catch (error) {
      if (isTaskError(error, 'STORE_LOCKED')) this.#waitForLock();
      else this.#failAll(error);
      return false;
    }
  }

  #transact(): void {
    const batch: Operation[] = [];
    try {
      refuseNewer(this.#db, this.#options.version);
      this.#options.onBegin?.();
      this.#runBatch(batch);
      for (const operation of batch) crashPoint(`${operation.name}:before`);
      this.#db.commit();
    } catch (error) {
      this.#db.rollBack();
      if (batch.length === 0) this.#failAll(error);
      else this.#runAgain(batch, error);
      return;
    }
    for (const operation of batch) crashPoint(`${operation.name}:after`);
    for (const operation of batch) operation.resolve(operation.value);
    this.#options.afterCommit?.();
  }

  #runBatch(batch: Operation[]): void {
    const endsAt = performance.now() + MAX_TURN_MS;
    for (let next = this.#queue[0]; next !== undefined; next = this.#queue[0]) {
      if (batch.length > 0 && (next.alone || batch[0]?.alone)) return;
      this.#queue.shift();
      batch.push(next);
      next.value = next.run(this.#db);
      if (batch.length === MAX_BATCH || performance.now() >= endsAt) return;
    }
  }

  #runAgain(batch: Operation[], error: unknown): void {
    // What was written to a file that is gone must not be retried: it would be applied twice if the file came back.
    if (batch.length === 1 || isTaskError(error, 'STORE_GONE')) {
      for (const operation of batch) operation.reject(error);
      return;
    }
    for (const operation of batch) operation.alone = true;
    this.#queue.unshift(...batch);
  }

  #waitForLock(): void {
    const now = performance.now();
    const waiting: Operation[] = [];
    for (const operation of this.#queue) {
      operation.waitsSince ??= now;
      if (now - operation.waitsSince < this.#lockWaitMs) waiting.push(operation);
      else operation.reject(this.#toLockedError());
    }
    this.#queue = waiting;
    if (waiting.length === 0) return;
    this.#lockedTurns += 1;
    this.#isArmed = true;
    // Jitter, so that several processes do not retry at the same moment.
    setTimeout(this.#turn, (1 + Math.random() * 2) * Math.min(5, 1 + this.#lockedTurns / 20));
  }

  #toLockedError(): TaskError {
    const message = `${this.#db.path} has been locked by another process for ${this.#lockWaitMs} ms; try again, or end that process`;
    return new TaskError('STORE_LOCKED', message);
  }

  #failAll(error: unknown): void {
    const failed = this.#queue;
    this.#queue = [];
    for (const operation of failed) operation.reject(error);
  }
}
