/**
 * Schema versions: forward only, each step in its own transaction, under one lock for all processes.
 *
 * The first process to get the lock runs the step; the others find it done.
 */
import { TaskError } from '../../errors.ts';
import { isClosedVersion } from '../../sqlite/closed.ts';
import type { Connection, Session } from './connection.ts';
import { MIGRATIONS, PROGRAM } from './schema.ts';
import { newerError, readClosed } from './transactor.ts';

/** The oldest supported version: the first with 64-bit transaction ids, which do not wrap. */
const OLDEST = 130_000;

const SERVER = `SELECT current_setting('server_version_num')::integer AS number, current_setting('server_version') AS name`;
const HAS_STORE = `SELECT to_regclass($1) IS NOT NULL AS "hasStore",
  (SELECT count(*) FROM pg_class WHERE relnamespace = to_regnamespace($2)) AS things`;
const VERSION = 'SELECT program, version FROM @store WHERE id = 1';
const UNWRITABLE = `SELECT relname AS name FROM pg_class WHERE relnamespace = to_regnamespace($1)
  AND (relkind = 'r' AND NOT (has_table_privilege(oid, 'SELECT') AND has_table_privilege(oid, 'INSERT')
    AND has_table_privilege(oid, 'UPDATE') AND has_table_privilege(oid, 'DELETE'))
  OR relkind = 'S' AND NOT has_sequence_privilege(oid, 'USAGE')) ORDER BY relname LIMIT 1`;
const TAKE_NAME = 'UPDATE @store SET name = $1 WHERE id = 1 AND name IS NULL';
const LOCK = 'SELECT pg_advisory_xact_lock(hashtextextended($1, 3))';

interface PrepareOptions {
  readonly migrate: boolean;
  readonly name?: string | undefined;
}

/** Rejects a schema that is not one of our stores, and migrates ours to the newest version. */
export async function prepareSchema(connection: Connection, { migrate, name }: PrepareOptions): Promise<void> {
  const session = await connection.acquire();
  try {
    await refuseOldServer(session, connection.place);
    let version = await readVersion(session, connection);
    if (version < MIGRATIONS.length && !migrate) throw olderError(connection.place, version);
    while (version < MIGRATIONS.length) version = await step(session, connection);
    if (migrate) await refuseUnwritable(session, connection);
    if (name !== undefined) await refuseOtherName(session, { place: connection.place, name });
    session.release();
  } catch (error) {
    session.release(error);
    throw error;
  }
}

async function refuseOldServer(session: Session, place: string): Promise<void> {
  const [server] = await session.rows<{ number: number; name: string }>(SERVER);
  if (server === undefined || server.number >= OLDEST) return;
  const text = `${place} runs PostgreSQL ${server.name}; ${OLDEST / 10_000} or newer is needed`;
  throw new TaskError('STORE_FAILED', text);
}

/** Otherwise a user who may not write all tables would open the store, and fail with the first call. */
async function refuseUnwritable(session: Session, { schema, place }: Connection): Promise<void> {
  const [found] = await session.rows<{ name: string }>(UNWRITABLE, schema);
  if (found === undefined) return;
  const remedy = `GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA ${schema}, and USAGE, SELECT, UPDATE ON ALL SEQUENCES`;
  throw new TaskError(
    'STORE_NO_ACCESS',
    `${place}: the user may not read and write ${schema}.${found.name}; ${remedy}`,
  );
}

async function refuseOtherName(session: Session, { place, name }: { readonly place: string; readonly name: string }) {
  await session.query(TAKE_NAME, name);
  const [store] = await session.rows<{ name: string | null }>('SELECT name FROM @store WHERE id = 1');
  if (store?.name === name) return;
  const message = `${place} is the store of ${JSON.stringify(store?.name)}, not of ${JSON.stringify(name)}; see whether the address and the schema are right`;
  throw new TaskError('STORE_FOREIGN', message);
}

/** Returns 0 when the schema is empty or missing. */
async function readVersion(session: Session, { schema, place }: Connection): Promise<number> {
  const [found] = await session.rows<{ hasStore: boolean; things: number }>(HAS_STORE, `${schema}.store`, schema);
  if (!found?.hasStore) {
    if (!found || found.things === 0) return 0;
    throw foreignError(place, schema);
  }
  const rows = await session.rows<{ program?: string; version: number }>(VERSION).catch((error: unknown) => {
    throw isUndefinedColumn(error) ? foreignError(place, schema) : error;
  });
  const [store] = rows;
  if (store?.program !== PROGRAM) throw foreignError(place, schema);
  if (isClosedVersion(store.version)) throw await readClosed(session, place);
  if (store.version > MIGRATIONS.length) throw newerError(place, store.version);
  return store.version;
}

async function step(session: Session, connection: Connection): Promise<number> {
  await session.script('BEGIN');
  try {
    await session.rows(LOCK, `holdfast:${connection.schema}`);
    const version = await readVersion(session, connection);
    const script = MIGRATIONS[version];
    if (script !== undefined) {
      if (version === 0) await session.script(`CREATE SCHEMA IF NOT EXISTS ${connection.schema}`);
      await session.script(script);
      await session.query('UPDATE @store SET version = $1', version + 1);
    }
    await session.script('COMMIT');
    return Math.min(version + 1, MIGRATIONS.length);
  } catch (error) {
    await session.script('ROLLBACK').catch(() => {});
    throw error;
  }
}

function foreignError(place: string, schema: string): TaskError {
  const text = `${place}: the schema ${schema} has tables of another program; choose another schema`;
  return new TaskError('STORE_FOREIGN', text);
}

function olderError(place: string, found: number): TaskError {
  const known = MIGRATIONS.length;
  const text = `${place} has schema version ${found}, this Holdfast needs ${known}; open it once with migrate: true`;
  return new TaskError('STORE_SCHEMA_OLDER', text, { data: { found, known } });
}

function isUndefinedColumn(error: unknown): boolean {
  return (error as { code?: unknown } | null)?.code === '42703';
}
