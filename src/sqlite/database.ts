/**
 * One connection: statements are prepared once and kept, and every failure gets an error code.
 *
 * Nothing here is asynchronous. A transaction never spans an `await`, so a read on the same connection sees either all of it
 * or nothing.
 *
 * Statements use `LIMIT ? + 0`: SQLite looks at the value of a bare `LIMIT ?` and prepares the statement again for every
 * call.
 */
import { isTaskError, TaskError } from '../errors.ts';
import type { DatabaseFile } from './database-file.ts';
import type { SqliteDriver, SqliteStatement, SqliteValue } from './driver.ts';
import { toStoreError } from './failure.ts';
import { pause } from './pause.ts';

const READ_WAIT_MS = 50;

// Node 20 has `isWellFormed`, the ES2023 type library does not; a regular expression is many times slower for long texts.
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

  /** Starts checking that the file is still the one that was opened. */
  watch(file: DatabaseFile): void {
    this.#file = file;
  }

  /** Takes the write lock; throws `STORE_GONE` when other processes would not see what is written. */
  beginImmediate(): void {
    this.#file?.check();
    this.run('BEGIN IMMEDIATE');
  }

  /** Commits; throws `STORE_GONE` when the commit reached a file that no other process can see. */
  commit(): void {
    this.run('COMMIT');
    this.#file?.checkCommitted();
  }

  /** Returns the first row. `sql` should be a constant: its statement is kept as long as the connection. */
  get<Row>(sql: string, ...values: SqliteValue[]): Row | undefined {
    checkTexts(values);
    return this.#read(() => this.#statement(sql).get(...values) as Row | undefined);
  }

  all<Row>(sql: string, ...values: SqliteValue[]): Row[] {
    checkTexts(values);
    return this.#read(() => this.#statement(sql).all(...values) as Row[]);
  }

  /** Returns rows as arrays, in the order of the columns: for wide rows several times as fast as objects. */
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

  /** Runs a script without keeping its statements. */
  exec(sql: string): void {
    this.#name(() => this.#driver.exec(sql));
  }

  /** Runs several reads in one snapshot, whatever other processes commit meanwhile. Not for use inside a transaction. */
  snapshot<T>(read: () => T): T {
    this.run('BEGIN');
    try {
      return read();
    } finally {
      this.rollBack();
    }
  }

  /** Rolls back a transaction that failed; SQLite may have done so by itself. */
  rollBack(): void {
    try {
      this.run('ROLLBACK');
    } catch {
      // There was no transaction any more.
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

  // The last connection that closes does this by itself, but the package for Node 20 keeps a connection with statements half
  // open until they are collected. Other connections or a read-only file are no reason to fail.
  #emptyLog(): void {
    try {
      this.#driver.exec('PRAGMA busy_timeout = 0; PRAGMA wal_checkpoint(TRUNCATE)');
    } catch {
      // The log is as valid as its file; the next connection continues with it.
    }
  }

  #name<T>(use: () => T): T {
    try {
      return use();
    } catch (error) {
      throw toStoreError(error, this.path);
    }
  }

  // A reader never waits for a writer, only briefly while another process recovers the log after a crash. SQLite reports an
  // unreadable page as corruption even if the disk failed only for a moment, so the read is tried twice.
  #read<T>(use: () => T): T {
    // The log of a closed database is missing because it was closed.
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
 * Whether a text can be stored unchanged: drivers cut it at a NUL, and UTF-8 cannot encode half of a surrogate pair, so two
 * different names could become one.
 */
export function isText(text: string): boolean {
  return !text.includes('\0') && isWellFormed.call(text);
}

/** Throws `INVALID_ARGUMENT` for a text that cannot be stored unchanged. */
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
