import type { Database } from '../sqlite/database.ts';
import type { SqliteValue } from '../sqlite/driver.ts';
import type { Schema } from '../sqlite/migrate.ts';
import { openDatabase } from '../sqlite/open.ts';
import { Writer } from '../sqlite/writer.ts';

/** How a database of an app is opened. */
export interface SqliteFileOptions {
  /** The database file. */
  readonly path: string;
  readonly schema: Schema;
  /** `normal` may lose the last commits when the machine (not the process) dies. @default 'full' */
  readonly synchronous?: 'full' | 'normal';
  /** Whether a missing database is made. @default true */
  readonly create?: boolean;
}

/** Statements on a database. They are prepared once and kept, so the SQL should be constant. */
export interface SqliteReader {
  /** The first row. */
  get<Row>(sql: string, ...values: SqliteValue[]): Row | undefined;
  /** Every row. */
  all<Row>(sql: string, ...values: SqliteValue[]): Row[];
  /** Rows as arrays, in the order of the columns: for wide rows several times as fast as objects. */
  arrays(sql: string, ...values: SqliteValue[]): SqliteValue[][];
}

/** The same inside a transaction. */
export interface SqliteTransaction extends SqliteReader {
  /** Returns how many rows were changed. */
  run(sql: string, ...values: SqliteValue[]): number;
  /** Returns the row id of the new row. */
  insert(sql: string, ...values: SqliteValue[]): number;
}

/** A SQLite database of an app's own, which several processes may use at once. */
export interface SqliteFile extends SqliteReader {
  readonly path: string;
  /**
   * Runs `change` in a transaction; it is durable when this resolves. Those that wait are committed together. `change` must
   * not wait, and has no effect outside the database: it may run more than once.
   */
  write<T>(name: string, change: (tx: SqliteTransaction) => T): Promise<T>;
  close(): Promise<void>;
}

/** Opens a database, makes and migrates it when needed, and refuses one of another program or of a newer version. */
export function openSqliteFile(options: SqliteFileOptions): SqliteFile {
  const db: Database = openDatabase(options);
  const writer = new Writer(db, { version: options.schema.migrations.length });
  return {
    path: db.path,
    get: (sql, ...values) => db.get(sql, ...values),
    all: (sql, ...values) => db.all(sql, ...values),
    arrays: (sql, ...values) => db.arrays(sql, ...values),
    write: (name, change) => writer.run(name, change),
    async close() {
      await writer.close();
      db.close();
    },
  };
}
