import type { Database } from '../sqlite/database.ts';
import type { SqliteValue } from '../sqlite/driver.ts';
import type { Schema } from '../sqlite/migrate.ts';
import { openDatabase } from '../sqlite/open.ts';
import { Writer } from '../sqlite/writer.ts';

/** How the database of an app is opened. */
export interface SqliteFileOptions {
  /** The database file. */
  readonly path: string;
  readonly schema: Schema;
  /** `normal` may lose the last commits when the machine (not the process) dies. @default 'full' */
  readonly synchronous?: 'full' | 'normal';
  /** Whether to create a missing database. @default true */
  readonly create?: boolean;
}

/** Statements on a database. They are prepared once and kept, so the SQL should be constant. */
export interface SqliteReader {
  /** Returns the first row, if there is one. */
  get<Row>(sql: string, ...values: SqliteValue[]): Row | undefined;
  /** Returns every row. */
  all<Row>(sql: string, ...values: SqliteValue[]): Row[];
  /** Returns rows as arrays, in column order: for wide rows several times as fast as objects. */
  arrays(sql: string, ...values: SqliteValue[]): SqliteValue[][];
}

/** Statements inside a transaction that is already open: reads like `SqliteReader`, and writes. */
export interface SqliteTransaction extends SqliteReader {
  /** Returns the number of changed rows. */
  run(sql: string, ...values: SqliteValue[]): number;
  /** Returns the row id of the new row. */
  insert(sql: string, ...values: SqliteValue[]): number;
}

/** A SQLite database that belongs to an app; several processes may use it at once. */
export interface SqliteFile extends SqliteReader {
  readonly path: string;
  /**
   * Runs `change` in a transaction; it is durable when this resolves. Waiting changes are committed together. `change`
   * must be synchronous and must have no effect outside the database: it may run more than once.
   */
  write<T>(name: string, change: (tx: SqliteTransaction) => T): Promise<T>;
  close(): Promise<void>;
}

/** Opens a database, creating or migrating it when needed; refuses one of another program or of a newer version. */
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
