import { resolve } from 'node:path';
import { isTaskError, TaskError } from '../errors.ts';
import { isClosedVersion } from './closed.ts';
import { Database } from './database.ts';
import { DatabaseFile, refuseEmpty } from './database-file.ts';
import { checkAccess, createDatabaseFile } from './database-path.ts';
import { openDriver } from './driver.ts';
import { toStoreError } from './failure.ts';
import { checkSchema, migrate, olderSchemaError, type Schema } from './migrate.ts';
import { pause } from './pause.ts';

export interface OpenOptions {
  readonly path: string;
  readonly schema: Schema;
  /** `normal` may lose the last commits when the machine (not the process) crashes. @default 'full' */
  readonly synchronous?: 'full' | 'normal';
  /** @default false */
  readonly readOnly?: boolean;
  /** Whether a missing database is created. @default true */
  readonly create?: boolean;
}

// Processes that open a new database at once block each other while one switches to WAL and migrates: up to this long, once.
const OPEN_WAIT_MS = 2000;
// A copy is not interactive, so it may wait longer for other processes.
const COPY_WAIT_MS = 10_000;

/** Opens a database, creates and migrates it when needed, and rejects files that are not ours. */
export function openDatabase(options: OpenOptions): Database {
  const path = resolve(options.path);
  const readOnly = options.readOnly ?? false;
  if (!readOnly && options.create !== false) createDatabaseFile(path, options.schema.applicationId);
  checkAccess(path, { readOnly });
  refuseEmpty(path);
  const db = connect(path, readOnly);
  try {
    configure(db, options);
    db.watch(new DatabaseFile(path));
    return db;
  } catch (error) {
    db.close();
    throw error;
  }
}

/** Opens a database for a copy; only a copy may use a database that a copy has closed. */
export function openForCopy(given: string, schema: Schema): Database {
  const path = resolve(given);
  checkAccess(path, { readOnly: false });
  refuseEmpty(path);
  const db = connect(path, false);
  try {
    db.exec(`PRAGMA busy_timeout = ${COPY_WAIT_MS}; PRAGMA synchronous = full; PRAGMA temp_store = memory`);
    if (!isClosed(db)) withRetry(() => prepareForWriting(db, schema));
    db.watch(new DatabaseFile(path));
    return db;
  } catch (error) {
    db.close();
    throw error;
  }
}

function isClosed(db: Database): boolean {
  return isClosedVersion(db.get<{ user_version: number }>('PRAGMA user_version')?.user_version ?? 0);
}

function connect(path: string, readOnly: boolean): Database {
  try {
    return new Database(path, openDriver(path, { readOnly }));
  } catch (error) {
    throw toStoreError(error, path);
  }
}

function configure(db: Database, options: OpenOptions): void {
  // The order matters: with the timeout set after the switch to WAL, most of many simultaneous first opens fail.
  db.exec(`PRAGMA busy_timeout = ${OPEN_WAIT_MS}`);
  withRetry(() => (options.readOnly ? checkVersion(db, options.schema) : prepareForWriting(db, options.schema)));
  db.exec(`
    PRAGMA synchronous = ${options.synchronous ?? 'full'};
    PRAGMA journal_size_limit = 16777216;
    PRAGMA cache_size = -8000;
    PRAGMA temp_store = memory;
    PRAGMA busy_timeout = 0;
  `);
}

function prepareForWriting(db: Database, schema: Schema): void {
  checkSchema(db, schema);
  const mode = db.get<{ journal_mode: string }>('PRAGMA journal_mode = WAL')?.journal_mode;
  if (mode !== 'wal') {
    const message = `${db.path} cannot have a write-ahead log (journal mode ${mode}); put it on a local disk`;
    throw new TaskError('STORE_FAILED', message);
  }
  migrate(db, schema);
}

function checkVersion(db: Database, schema: Schema): void {
  const version = checkSchema(db, schema);
  if (version < schema.migrations.length) throw olderSchemaError(db.path, version, schema.migrations.length);
}

// SQLite skips the busy timeout where waiting could be a deadlock; a retry is safe there too.
function withRetry(open: () => void): void {
  const giveUpAt = performance.now() + OPEN_WAIT_MS;
  for (;;) {
    try {
      open();
      return;
    } catch (error) {
      if (!isTaskError(error, 'STORE_LOCKED') || performance.now() > giveUpAt) throw error;
      pause(1 + Math.random() * 5);
    }
  }
}
