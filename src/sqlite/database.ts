/**
 * One connection: statements are prepared once and kept, and every failure is named.
 *
 * Nothing here waits. A transaction never spans an `await`, so a read on the same connection sees either all of it
 * or nothing.
 */
import { TaskError } from '../errors.ts';
import type { SqliteDriver, SqliteStatement, SqliteValue } from './driver.ts';
import { toStoreError } from './failure.ts';

export class Database {
  readonly path: string;
  readonly #driver: SqliteDriver;
  readonly #statements = new Map<string, SqliteStatement>();
  #isOpen = true;

  constructor(path: string, driver: SqliteDriver) {
    this.path = path;
    this.#driver = driver;
  }

  get isOpen(): boolean {
    return this.#isOpen;
  }

  /** The first row. `sql` should be a constant: its statement is kept as long as the connection. */
  get<Row>(sql: string, ...values: SqliteValue[]): Row | undefined {
    try {
      return this.#statement(sql).get(...values) as Row | undefined;
    } catch (error) {
      throw toStoreError(error, this.path);
    }
  }

  all<Row>(sql: string, ...values: SqliteValue[]): Row[] {
    try {
      return this.#statement(sql).all(...values) as Row[];
    } catch (error) {
      throw toStoreError(error, this.path);
    }
  }

  /** Returns how many rows were changed. */
  run(sql: string, ...values: SqliteValue[]): number {
    try {
      return Number(this.#statement(sql).run(...values).changes);
    } catch (error) {
      throw toStoreError(error, this.path);
    }
  }

  /** Returns the row id of the new row. */
  insert(sql: string, ...values: SqliteValue[]): number {
    try {
      return Number(this.#statement(sql).run(...values).lastInsertRowid);
    } catch (error) {
      throw toStoreError(error, this.path);
    }
  }

  /** Runs a script; nothing of it is kept. */
  exec(sql: string): void {
    try {
      this.#driver.exec(sql);
    } catch (error) {
      throw toStoreError(error, this.path);
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
    this.#driver.close();
  }

  #statement(sql: string): SqliteStatement {
    if (!this.#isOpen) throw toClosedError(this.path);
    let statement = this.#statements.get(sql);
    if (statement === undefined) {
      statement = this.#driver.prepare(sql);
      this.#statements.set(sql, statement);
    }
    return statement;
  }
}

export function toClosedError(path: string): TaskError {
  return new TaskError('STORE_CLOSED', `${path} has been closed; open it again to use it`);
}
