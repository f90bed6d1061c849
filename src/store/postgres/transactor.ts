/**
 * Runs verbs in transactions: all waiting verbs are sent together.
 *
 * - A few transactions run at once, each with the verbs that were waiting when it began. Verbs on one task keep their order,
 *   and so do new tasks: one transaction must have numbered its tasks and put them into their queues before the next may
 *   begin to.
 * - Verbs have no effects outside the database and may run more than once. When a shared transaction fails, each of its
 *   verbs runs again in a transaction of its own, so that a failing verb cannot fail the others.
 * - A transaction that PostgreSQL rolled back because of a conflict is run again.
 * - A connection lost before COMMIT has left no trace. When only the response to COMMIT is lost, the database is asked
 *   whether the transaction was committed; nothing is done twice.
 */
import { crashPoint } from '../../crash-point.ts';
import { isTaskError, TaskError } from '../../errors.ts';
import { type CopyMark, isClosedVersion, movedError, READ_MARKS } from '../../sqlite/closed.ts';
import type { StoreTime } from '../store-clock.ts';
import type { NumberedChange } from './changes/own-commits.ts';
import { SERVER_EPOCH, type TransactionMark, wasCommitted } from './commit-status.ts';
import type { Connection, Session } from './connection.ts';
import { isConflict, isUnreachable, toStoreError } from './failure.ts';
import { KEEP_TIME, type PostgresTime, STORE_COLUMNS, type StoreRow } from './postgres-time.ts';
import { MIGRATIONS } from './schema.ts';
import type { TaskRow } from './tasks/task-row.ts';
import { LOCK_TASKS, NUMBERS, Transaction } from './transaction.ts';

/** A verb; `answers` are the results of its `ahead` statements. */
export type Verb<T> = (tx: Transaction, answers: readonly unknown[][]) => Promise<T>;

/** A statement and its values. */
export type Statement = readonly [text: string, ...values: unknown[]];

/** What is known about a verb in advance. */
export interface VerbOptions {
  /** The tasks it is about: they are locked together with those of the other verbs. */
  readonly tasks?: readonly string[];
  /** How many new tasks it may write: their numbers are requested together. */
  readonly newTasks?: number;
  /** Reads and locks it needs in any case: they are sent together with BEGIN. */
  readonly ahead?: readonly Statement[];
  /** Whether it must have a transaction of its own. @default false */
  readonly isAlone?: boolean;
  /** Whether it runs after all others of its transaction, because it reads what they write. @default false */
  readonly isLast?: boolean;
}

interface Operation extends VerbOptions {
  readonly name: string;
  readonly run: Verb<unknown>;
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: unknown) => void;
  readonly since: number;
  alone: boolean;
  tries: number;
}

export interface TransactorOptions {
  readonly patienceMs: number;
  /**
   * Called before a transaction begins; it waits for the returned promise, so that the feed listens before anything is
   * written.
   */
  beforeBegin(): Promise<void> | undefined;
  /** Called before each COMMIT, with the transaction id and the changes to announce. */
  beforeCommit(xid: string, changes: readonly NumberedChange[]): void;
  /** Called once after it, with the same changes, or with none if nothing was committed. Must not throw. */
  afterCommit(xid: string, changes: readonly NumberedChange[]): void;
}

const AT_ONCE = 2;
const MAX_BATCH = 256;
const MAX_TRIES = 20;
const STATEMENT_MS = 10_000;
// Locks of a machine that is cut off in the middle of a transaction block all others until this timeout.
const IDLE_MS = 3000;

// The settings of a user's pool are unknown, so JIT is turned off here too.
const STATE = `SELECT ${STORE_COLUMNS}, set_config('jit', 'off', true), set_config('statement_timeout', $1, true),
  set_config('idle_in_transaction_session_timeout', $2, true), pg_current_xact_id()::text AS xid,
  ${SERVER_EPOCH} AS epoch FROM @store WHERE id = 1`;

export class Transactor {
  readonly #connection: Connection;
  readonly #time: PostgresTime;
  readonly #options: TransactorOptions;
  readonly #busy = new Set<string>();
  /** The verbs of a transaction whose new tasks have no place in their queues yet. */
  #creating: readonly Operation[] | undefined;
  #queue: Operation[] = [];
  #running = 0;
  #isArmed = false;
  #closing: Promise<void> | undefined;
  #onIdle: (() => void) | undefined;

  constructor(connection: Connection, time: PostgresTime, options: TransactorOptions) {
    this.#connection = connection;
    this.#time = time;
    this.#options = options;
  }

  /** Queues a verb; `name` is used for its crash points `name:before` and `name:after`, around the commit. */
  run<T>(name: string, run: Verb<T>, options: VerbOptions = {}): Promise<T> {
    if (this.#closing) return Promise.reject(closedError(this.#connection.place));
    return new Promise<T>((resolve, reject) => {
      this.#queue.push({
        ...{ name, run, reject, since: performance.now(), tries: 0, alone: options.isAlone ?? false },
        resolve: resolve as (value: unknown) => void,
        ...options,
      });
      this.#arm();
    });
  }

  /** Whether the next transaction will write new tasks. */
  get isAboutToCreate(): boolean {
    return this.#queue.some(({ newTasks = 0, alone }) => newTasks > 0 && !alone);
  }

  /** Finishes the queue and accepts nothing new. */
  close(): Promise<void> {
    this.#closing ??= new Promise((resolve) => {
      if (this.#queue.length === 0 && this.#running === 0) resolve();
      else this.#onIdle = resolve;
    });
    return this.#closing;
  }

  #arm(): void {
    if (this.#isArmed) return;
    this.#isArmed = true;
    setImmediate(() => {
      this.#isArmed = false;
      while (this.#running < AT_ONCE) {
        const batch = this.#takeBatch();
        if (batch.length === 0) break;
        void this.#process(batch);
      }
      if (this.#queue.length === 0 && this.#running === 0) this.#onIdle?.();
    });
  }

  /**
   * The verbs that fit into the next transaction, without those on a task of a running transaction or of an earlier verb
   * that waits.
   */
  #takeBatch(): Operation[] {
    const batch: Operation[] = [];
    const left: Operation[] = [];
    const passed = new Set<string>();
    const mustWait = this.#creationBarrier();
    for (const operation of this.#queue) {
      const { tasks = [], alone } = operation;
      const isBlocked = mustWait(operation) || tasks.some((id) => this.#busy.has(id) || passed.has(id));
      const fits = batch.length === 0 || (!alone && !batch[0]?.alone && batch.length < MAX_BATCH);
      if (isBlocked || !fits) {
        left.push(operation);
        for (const id of tasks) passed.add(id);
      } else batch.push(operation);
    }
    this.#queue = left;
    for (const id of batch.flatMap(({ tasks = [] }) => tasks)) this.#busy.add(id);
    if (batch.some(isCreation)) this.#creating = batch;
    return batch.sort((a, b) => Number(a.isLast ?? false) - Number(b.isLast ?? false));
  }

  /** Whether a verb must wait until tasks being written have their places: it writes new tasks, or reads what is written. */
  #creationBarrier(): (operation: Operation) => boolean {
    if (this.#creating === undefined) return () => false;
    const { isAboutToCreate } = this;
    return (operation) => isCreation(operation) || (isAboutToCreate && operation.isLast === true);
  }

  async #process(batch: Operation[]): Promise<void> {
    this.#running += 1;
    try {
      const values = await this.#transact(batch);
      for (const [place, operation] of batch.entries()) operation.resolve(values[place]);
    } catch (error) {
      this.#fail(batch, error);
    } finally {
      this.#running -= 1;
      for (const id of batch.flatMap(({ tasks = [] }) => tasks)) this.#busy.delete(id);
      this.#endCreation(batch);
      this.#arm();
    }
  }

  /** Lets the next transaction with new tasks begin: its tasks come after these. */
  #endCreation(batch: readonly Operation[]): void {
    if (this.#creating !== batch) return;
    this.#creating = undefined;
    this.#arm();
  }

  #fail(batch: readonly Operation[], error: unknown): void {
    const isTransient = isConflict(error) || isUnreachable(error);
    if (!isTransient && batch.length > 1) {
      for (const operation of batch) this.#requeue(operation);
      return;
    }
    for (const operation of batch) {
      const waitedMs = performance.now() - operation.since;
      const canRetry = isUnreachable(error) ? waitedMs < this.#options.patienceMs : operation.tries < MAX_TRIES;
      if (isTransient && canRetry && !this.#closing) this.#retryLater(operation, isUnreachable(error));
      else operation.reject(toStoreError(error, this.#connection.place));
    }
  }

  #requeue(operation: Operation): void {
    operation.alone = true;
    this.#queue.push(operation);
  }

  // Jitter, so that conflicting transactions do not meet again.
  #retryLater(operation: Operation, wasUnreachable: boolean): void {
    operation.tries += 1;
    const mostMs = wasUnreachable ? 250 : Math.min(50, 2 ** operation.tries);
    this.#running += 1;
    setTimeout(() => {
      this.#running -= 1;
      this.#requeue(operation);
      this.#arm();
    }, Math.random() * mostMs);
  }

  async #transact(batch: readonly Operation[]): Promise<unknown[]> {
    await this.#options.beforeBegin();
    const session = await this.#connection.acquire();
    try {
      return await this.#runBatch(session, batch);
    } catch (error) {
      await rollBack(session, error);
      throw error;
    }
  }

  async #runBatch(session: Session, batch: readonly Operation[]): Promise<unknown[]> {
    const tasks = [...new Set(batch.flatMap(({ tasks = [] }) => tasks))];
    const begun = session.pipeline(() => begin(session, batch, tasks));
    const [, [state], answers, locked, numbers] = await Promise.all(begun);
    if (state !== undefined && isClosedVersion(state.version)) throw await readClosed(session, this.#connection.place);
    const tx = new Transaction(session, this.#readTime(state));
    tx.keep(locked, tasks);
    tx.setNumbers(
      numbers.map(({ row }) => row),
      numbers[0]?.events,
    );
    const values: unknown[] = [];
    for (const [place, { run }] of batch.entries()) values.push(await run(tx, answers[place] ?? []));
    this.#endCreation(batch);
    await this.#commit(session, { tx, mark: state ?? { xid: '', epoch: '' }, batch });
    // A transaction without writes was not committed.
    if (tx.hasWritten) for (const { name } of batch) crashPoint(`${name}:after`);
    return values;
  }

  #readTime(state: StoreRow | undefined): StoreTime {
    if (state === undefined) throw missingError(this.#connection.place);
    if (state.version > MIGRATIONS.length) throw newerError(this.#connection.place, state.version);
    this.#time.see(state);
    return this.#time.read();
  }

  async #commit(
    session: Session,
    {
      tx,
      mark,
      batch,
    }: { readonly tx: Transaction; readonly mark: TransactionMark; readonly batch: readonly Operation[] },
  ): Promise<void> {
    if (!tx.hasWritten) {
      await session.script('ROLLBACK');
      session.release();
      return;
    }
    const kept = this.#time.keep();
    if (kept) tx.enqueue(KEEP_TIME, ...kept);
    for (const { name } of batch) crashPoint(`${name}:before`);
    const { beforeCommit, afterCommit } = this.#options;
    beforeCommit(mark.xid, tx.changes);
    try {
      await this.#send(session, tx, mark);
    } catch (error) {
      // If the outcome of the commit is unknown, the feed has to poll.
      afterCommit(mark.xid, isTaskError(error) ? tx.changes : []);
      throw error;
    }
    afterCommit(mark.xid, tx.changes);
  }

  async #send(session: Session, tx: Transaction, mark: TransactionMark): Promise<void> {
    try {
      await tx.commit();
      session.release();
    } catch (error) {
      const lost = { mark, sample: tx.sample };
      if (!isUnreachable(error) || !(await wasCommitted(this.#connection, lost, this.#options))) throw error;
      session.release(error);
    }
  }
}

function isCreation({ newTasks = 0 }: VerbOptions): boolean {
  return newTasks > 0;
}

/** Sends everything that is needed before any verb runs. */
function begin(session: Session, batch: readonly Operation[], tasks: readonly string[]) {
  const newTasks = batch.reduce((sum, { newTasks = 0 }) => sum + newTasks, 0);
  return [
    session.script('BEGIN'),
    session.rows<StoreRow & TransactionMark>(STATE, String(STATEMENT_MS), String(IDLE_MS)),
    // Sent before the locks on tasks: `recover` also locks the worker's row first, and then its tasks.
    askAll(session, batch),
    tasks.length > 0 ? session.rows<TaskRow>(LOCK_TASKS, tasks) : [],
    newTasks > 0 ? session.rows<{ row: number; events: number }>(NUMBERS, newTasks) : [],
  ] as const;
}

/** The answers for each verb; equal statements are sent once. */
function askAll(session: Session, batch: readonly Operation[]): Promise<unknown[][][]> {
  const asked = new Map<string, Promise<unknown[]>>();
  const ask = ([text, ...values]: Statement) => {
    const name = JSON.stringify([text, values]);
    const answer = asked.get(name) ?? session.rows(text, ...values);
    asked.set(name, answer);
    return answer;
  };
  return Promise.all(batch.map(({ ahead = [] }) => Promise.all(ahead.map(ask))));
}

async function rollBack(session: Session, error: unknown): Promise<void> {
  try {
    if (isUnreachable(error)) throw error;
    await session.script('ROLLBACK');
    session.release();
  } catch {
    session.release(error);
  }
}

function closedError(place: string): TaskError {
  return new TaskError('STORE_CLOSED', `${place} has been closed; open a new store`);
}

function missingError(place: string): TaskError {
  return new TaskError('STORE_GONE', `${place}: the tables of the store are not there any more`);
}

/** The error for a store that a copy has closed. */
export async function readClosed(session: Session, place: string): Promise<TaskError> {
  return movedError(place, await session.rows<CopyMark>(READ_MARKS));
}

/** The error for tables of a newer build, which this build must not write. */
export function newerError(place: string, found: number): TaskError {
  const known = MIGRATIONS.length;
  const message = `${place} has schema version ${found}, this Holdfast knows up to ${known}; upgrade Holdfast`;
  return new TaskError('STORE_SCHEMA_NEWER', message, { data: { found, known } });
}
