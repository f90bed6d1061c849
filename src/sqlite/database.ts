/**
 * One connection: statements are prepared once and kept, and every failure is named.
 *
 * Nothing here waits. A transaction never spans an `await`, so a read on the same connection sees either all of it
 * or nothing.
 *
 * SQL for it says `LIMIT ? + 0`: SQLite looks at the value of a bare `LIMIT ?` and prepares the statement anew for
 * every call.
 */
import { isTaskError, TaskError } from '../errors.ts';
import type { DatabaseFile } from './database-file.ts';
import type { SqliteDriver, SqliteStatement, SqliteValue } from './driver.ts';
import { toStoreError } from './failure.ts';
import { pause } from './pause.ts';

const READ_WAIT_MS = 50;

// Node 20 has it, the ES2023 library does not tell; a regular expression is many times as slow for long texts.
const { isWellFormed } = String.prototype as unknown as { isWellFormed(this: string): boolean };

export class Database {
  readonly path: string;
  readonly #driver: SqliteDriver;
  readonly #statements = new Map<string, SqliteStatement>();
  readonly #arrayStatements = new Map<string, SqliteStatement>();
  #file: DatabaseFile | undefined;
  #isOpen = true;

  constructor(path: string, driver: SqliteDriver) {
    this.path = path;
    this.#driver = driver;
  }

  get isOpen(): boolean {
    return this.#isOpen;
  }

  /** From now on a file that is no longer the one that was opened is noticed. */
  watch(file: DatabaseFile): void {
    this.#file = file;
  }

  /** Takes the write lock; throws `STORE_GONE` when nobody else would see what is written. */
  beginImmediate(): void {
    this.#file?.check();
    this.run('BEGIN IMMEDIATE');
  }

  /** Commits; throws `STORE_GONE` when that reached a file that nobody else can see. */
  commit(): void {
    this.run('COMMIT');
    this.#file?.checkCommitted();
  }

  /** The first row. `sql` should be a constant: its statement is kept as long as the connection. */
  get<Row>(sql: string, ...values: SqliteValue[]): Row | undefined {
    checkTexts(values);
    return this.#read(() => this.#statement(sql).get(...values) as Row | undefined);
  }

  all<Row>(sql: string, ...values: SqliteValue[]): Row[] {
    checkTexts(values);
    return this.#read(() => this.#statement(sql).all(...values) as Row[]);
  }

  /** Rows as arrays, in the order of the columns: for wide rows several times as fast as objects. */
  arrays(sql: string, ...values: SqliteValue[]): SqliteValue[][] {
    checkTexts(values);
    return this.#read(() =>
      this.#arrayStatement(sql)
        .all(...values)
        .map(toArray),
    );
  }

  /** Returns how many rows were changed. */
  run(sql: string, ...values: SqliteValue[]): number {
    checkTexts(values);
    return this.#name(() => Number(this.#statement(sql).run(...values).changes));
  }

  /** Returns the row id of the new row. */
  insert(sql: string, ...values: SqliteValue[]): number {
    checkTexts(values);
    return this.#name(() => Number(this.#statement(sql).run(...values).lastInsertRowid));
  }

  /** Runs a script; nothing of it is kept. */
  exec(sql: string): void {
    this.#name(() => this.#driver.exec(sql));
  }

  /** Several reads of one moment, whatever other processes commit meanwhile. Not for use inside a transaction. */
  snapshot<T>(read: () => T): T {
    this.run('BEGIN');
    try {
      return read();
    } finally {
      this.rollBack();
    }
  }

  /** Ends a transaction that failed; SQLite may have done so by itself. */
  rollBack(): void {
    try {
      this.run('ROLLBACK');
    } catch {
      // No transaction was left.
    }
  }

  close(): void {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    this.#statements.clear();
    this.#arrayStatements.clear();
    this.#emptyLog();
    this.#driver.close();
  }

  // The last connection that closes does this by itself, but the package for Node 20 keeps a connection with
  // statements half open until they are collected. Others at work or a read-only file are no reason to fail.
  #emptyLog(): void {
    try {
      this.#driver.exec('PRAGMA busy_timeout = 0; PRAGMA wal_checkpoint(TRUNCATE)');
    } catch {
      // The log is as good as the file it belongs to; whoever opens next goes on with it.
    }
  }

  #name<T>(use: () => T): T {
    try {
      return use();
    } catch (error) {
      throw toStoreError(error, this.path);
    }
  }

  // A reader never waits for a writer, but it does for the moment in which somebody repairs the log after a crash.
  // A page that cannot be read is called damage by SQLite even if the disk failed only for a moment: look twice.
  #read<T>(use: () => T): T {
    // The log of a closed database is gone because it was closed.
    if (this.#isOpen) this.#file?.checkNowAndThen();
    let giveUpAt: number | undefined;
    let isSecondLook = false;
    for (;;) {
      const began = performance.now();
      try {
        return this.#name(use);
      } catch (error) {
        giveUpAt ??= began + READ_WAIT_MS;
        const isDamage = isTaskError(error, 'STORE_CORRUPT');
        if (isDamage ? isSecondLook : !isTaskError(error, 'STORE_LOCKED') || performance.now() > giveUpAt) throw error;
        isSecondLook ||= isDamage;
        pause(2);
      }
    }
  }

  #statement(sql: string): SqliteStatement {
    if (!this.#isOpen) throw storeClosedError(this.path);
    let statement = this.#statements.get(sql);
    if (statement === undefined) {
      statement = this.#driver.prepare(sql);
      this.#statements.set(sql, statement);
    }
    return statement;
  }

  #arrayStatement(sql: string): SqliteStatement {
    if (!this.#isOpen) throw storeClosedError(this.path);
    let statement = this.#arrayStatements.get(sql);
    if (statement === undefined) {
      statement = this.#driver.prepare(sql);
      statement.setReturnArrays?.(true);
      this.#arrayStatements.set(sql, statement);
    }
    return statement;
  }
}

/**
 * Whether a text comes back as it is: drivers end it at a NUL, and UTF-8 has no half of a surrogate pair, so that two
 * names would become one.
 */
export function isText(text: string): boolean {
  return !text.includes('\0') && isWellFormed.call(text);
}

/** Refuses what is no text in that sense. */
export function checkText(text: string): void {
  if (isText(text)) return;
  const message = `${JSON.stringify(text.slice(0, 200))} holds a NUL or half of a surrogate pair; expected a text without them`;
  throw new TaskError('INVALID_ARGUMENT', message);
}

function checkTexts(values: readonly SqliteValue[]): void {
  for (const value of values) if (typeof value === 'string') checkText(value);
}

function toArray(row: unknown): SqliteValue[] {
  return Array.isArray(row) ? row : Object.values(row as Record<string, SqliteValue>);
}

export function storeClosedError(path: string): TaskError {
  return new TaskError('STORE_CLOSED', `${path} has been closed; open it again to use it`);
}
