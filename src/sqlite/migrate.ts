/**
 * Schema versions: forward only, numbered by `user_version`.
 *
 * All missing steps are one transaction: a new database waits for its disk once, and a migration that fails changes nothing.
 * Any number of processes may migrate at once: the first to get the write lock does it, and the others find it done.
 */
import { TaskError } from '../errors.ts';
import { type CopyMark, isClosedVersion, movedError, READ_MARKS } from './closed.ts';
import type { Database } from './database.ts';

/** The tables of a database, as the migrations that create them. */
export interface Schema {
  /** Marks a database as ours (`PRAGMA application_id`). */
  readonly applicationId: number;
  /** Scripts; the n-th leads to version n. */
  readonly migrations: readonly string[];
}

/** Rejects a database that belongs to another program or to a newer Holdfast; returns its version. */
export function checkSchema(db: Database, schema: Schema): number {
  const { applicationId, version, isEmpty } = readHeader(db);
  if (applicationId !== schema.applicationId && !(applicationId === 0 && version === 0 && isEmpty)) {
    const message = `${db.path} is a database of another program (application id ${applicationId}); choose another path`;
    throw new TaskError('STORE_FOREIGN', message);
  }
  if (version > schema.migrations.length) throw newerSchemaError(db, version, schema.migrations.length);
  return version;
}

/** Brings the schema to the newest version this program knows. */
export function migrate(db: Database, schema: Schema): void {
  if (checkSchema(db, schema) < schema.migrations.length) runMigrations(db, schema);
}

/**
 * Throws when a newer program has migrated the file since it was opened: this build must not write its tables any more.
 *
 * Call it inside the transaction that writes.
 */
export function refuseNewer(db: Database, known: number): void {
  const version = readVersion(db);
  if (version > known) throw newerSchemaError(db, version, known);
}

function newerSchemaError(db: Database, found: number, known: number): TaskError {
  if (isClosedVersion(found)) return movedError(db.path, db.all<CopyMark>(READ_MARKS.replace('@', '')));
  const message = `${db.path} has schema version ${found}, this Holdfast knows up to ${known}; upgrade Holdfast`;
  return new TaskError('STORE_SCHEMA_NEWER', message, { data: { found, known } });
}

export function olderSchemaError(path: string, found: number, known: number): TaskError {
  const message = `${path} has schema version ${found}, this Holdfast needs ${known}; open it once for writing to migrate it`;
  return new TaskError('STORE_SCHEMA_OLDER', message, { data: { found, known } });
}

function readHeader(db: Database): { applicationId: number; version: number; isEmpty: boolean } {
  // One snapshot: between two reads another process could finish the first migration.
  return db.snapshot(() => {
    const applicationId = db.get<{ application_id: number }>('PRAGMA application_id')?.application_id ?? 0;
    const version = readVersion(db);
    const isEmpty = db.get('SELECT 1 FROM sqlite_schema LIMIT 1') === undefined;
    return { applicationId, version, isEmpty };
  });
}

function readVersion(db: Database): number {
  return db.get<{ user_version: number }>('PRAGMA user_version')?.user_version ?? 0;
}

function runMigrations(db: Database, { migrations, applicationId }: Schema): void {
  db.exec('BEGIN IMMEDIATE');
  try {
    // Read again under the lock: another process may have migrated meanwhile, perhaps with a newer program.
    const version = readVersion(db);
    if (version > migrations.length) throw newerSchemaError(db, version, migrations.length);
    for (const script of migrations.slice(version)) db.exec(script);
    db.exec(`PRAGMA application_id = ${applicationId}; PRAGMA user_version = ${migrations.length}`);
    db.exec('COMMIT');
  } catch (error) {
    db.rollBack();
    throw error;
  }
}
