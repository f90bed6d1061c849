import { TaskError } from '../../errors.ts';
import { COPY_TABLE, type CopyMark, isClosedVersion, toClosedVersion, toOpenVersion } from '../../sqlite/closed.ts';
import { LEARNED_RUNS } from '../../task/estimate.ts';
import { type Connection, openConnection, type Session, withStoreErrors } from '../postgres/connection.ts';
import { openPostgresStore } from '../postgres/postgres-store.ts';
import { MIGRATIONS, PROGRAM } from '../postgres/schema.ts';
import { type CopySide, type NewMark, NO_BOOT, type Page, type Progress } from './side.ts';
import { COPY_TABLES, type CopyTable, type Cursor, type Kind, type Row, toAfter, type Value } from './tables.ts';

const HAS_MARKS = 'SELECT to_regclass($1) IS NOT NULL AS found';
const READ_MARK = 'SELECT role, copy, other, state, at, progress FROM @copy WHERE role = $1';
const SAVE_MARK = `INSERT INTO @copy (role, copy, other, state, at, progress) VALUES ($1, $2, $3, 'going', $4, $5)`;
const SAVE_PROGRESS = `UPDATE @copy SET progress = $1 WHERE role = 'target'`;
const SAVE_TIME = `UPDATE @store SET at = greatest(at, $1), lag_ms = coalesce(lag_ms, 0), moved_at = coalesce(moved_at, 0),
  steady_ms = coalesce(steady_ms, 0), boot = coalesce(boot, $2)`;
// Every writing transaction has read this table, and keeps that read lock until it ends.
const LOCK_STORE = 'LOCK TABLE @store IN ACCESS EXCLUSIVE MODE';
const AT_WORK = `SELECT 1 FROM @worker UNION ALL (SELECT 1 FROM @task WHERE worker IS NOT NULL LIMIT 1)
  UNION ALL (SELECT 1 FROM @task WHERE leaving IS NOT NULL LIMIT 1)`;
const ADD_USAGE = `INSERT INTO @usage (principal, identity, bytes)
  SELECT principal, identity, sum(bytes) FROM @task WHERE row = ANY($1) GROUP BY principal, identity`;
const ADD_TURNS = `INSERT INTO @turn (identity, tool, principal, served)
  SELECT DISTINCT identity, tool, principal, 0 FROM @task WHERE row = ANY($1) AND status = 'queued' AND NOT behind
  ON CONFLICT DO NOTHING`;
const SET_NUMBERS = `SELECT setval('@task_row', (SELECT greatest(1, coalesce(max(row), 1)) FROM @task))`;
const ADD_RUNS = `INSERT INTO @learned (identity, tool, principal, ran_ms)
  SELECT $1, $2, $3, run FROM unnest($4::double precision[]) WITH ORDINALITY AS new(run, place) ORDER BY place`;
// Nothing is sealed yet with the key that the empty store created, so it can be replaced.
const KEEP_KEY = `INSERT INTO @secret (name, content) VALUES ($1, $2)
  ON CONFLICT (name) DO UPDATE SET content = excluded.content`;
const LEARNED = `(SELECT identity, tool, principal, array_agg(ran_ms ORDER BY row DESC) AS runs FROM @learned
  GROUP BY identity, tool, principal) AS learned`;

export interface PostgresPlace {
  readonly url: string;
  readonly schema?: string;
}

/** Opens a store in PostgreSQL as one end of a copy; a missing target is created. */
export async function openPostgresSide(at: PostgresPlace, { create }: { readonly create: boolean }): Promise<CopySide> {
  const connection = await openConnection(at);
  try {
    return await withStoreErrors(connection.place, async () => {
      if (!(await isKnown(connection))) await (await openPostgresStore({ ...at, migrate: create })).close();
      return toSide(connection);
    });
  } catch (error) {
    await connection.close();
    throw error;
  }
}

/** Whether this is a store that a copy has closed and that this build can read. All other cases are checked by opening it. */
async function isKnown(connection: Connection): Promise<boolean> {
  const [found] = await connection.read<{ found: boolean }>(HAS_MARKS, `${connection.schema}.copy`);
  if (found?.found !== true) return false;
  const [store] = await connection.read<{ program: string; version: number }>('SELECT program, version FROM @store');
  if (store?.program !== PROGRAM || !isClosedVersion(store.version)) return false;
  if (toOpenVersion(store.version) === MIGRATIONS.length) return true;
  const message = `${connection.place} was closed by another version of Holdfast; complete or give up its copy with that one`;
  throw new TaskError('STORE_FAILED', message);
}

function toSide(connection: Connection): CopySide {
  const transact = <T>(run: (session: Session) => Promise<T>) =>
    withStoreErrors(connection.place, () => runTransaction(connection, run));
  return {
    place: connection.place,
    mark: (role) => withStoreErrors(connection.place, () => findMark(connection, role)),
    keys: () =>
      withStoreErrors(connection.place, async () => {
        const rows = await connection.read<{ name: string; content: string }>('SELECT name, content FROM @secret');
        return new Map(rows.map(({ name, content }) => [name, Buffer.from(content, 'base64')]));
      }),
    keepKeys: (keys) =>
      transact(async (session) => {
        for (const [name, key] of keys) await session.query(KEEP_KEY, name, key.toString('base64'));
      }),
    read: (table, after) => withStoreErrors(connection.place, () => readPage(connection, table, after)),
    close: (mark) => transact((session) => closeSource(session, mark)),
    isEmpty: () => transact(isEmpty),
    begin: (mark) => transact((session) => beginTarget(session, mark)),
    write: (table, rows, progress) =>
      transact(async (session) => {
        if (rows.length > 0) await insert(session, table, rows);
        await session.query(SAVE_PROGRESS, JSON.stringify(progress));
      }),
    finish: (role) =>
      transact(async (session) => {
        await session.query(`UPDATE @copy SET state = 'done' WHERE role = $1`, role);
        if (role === 'source') return;
        await session.query(SET_NUMBERS);
        await setClosed(session, false);
      }),
    reopen: () => transact(async (session) => reopen(session, await findMark(connection, 'source'))),
    dispose: () => connection.close(),
  };
}

async function runTransaction<T>(connection: Connection, run: (session: Session) => Promise<T>): Promise<T> {
  const session = await connection.acquire();
  try {
    await session.script('BEGIN');
    const value = await run(session);
    await session.script('COMMIT');
    session.release();
    return value;
  } catch (error) {
    // A connection given back with an error is closed, which also ends its transaction.
    session.release(error);
    throw error;
  }
}

async function findMark(connection: Connection, role: CopyMark['role']) {
  const [found] = await connection.read<{ found: boolean }>(HAS_MARKS, `${connection.schema}.copy`);
  if (found?.found !== true) return undefined;
  type MarkRow = CopyMark & { readonly at: number; readonly progress: string | null };
  const [row] = await connection.read<MarkRow>(READ_MARK, role);
  return row && { ...row, progress: JSON.parse(row.progress ?? '{"tables":0}') as Progress };
}

async function closeSource(session: Session, mark: NewMark): Promise<boolean> {
  await session.script(LOCK_STORE);
  if ((await session.rows(AT_WORK)).length > 0) return false;
  await saveMark(session, 'source', mark);
  await setClosed(session, true);
  return true;
}

async function isEmpty(session: Session): Promise<boolean> {
  const filled = [...COPY_TABLES.map(({ name }) => name), 'worker'].map((name) => `(SELECT 1 FROM @${name} LIMIT 1)`);
  return (await session.rows(filled.join(' UNION ALL '))).length === 0;
}

async function beginTarget(session: Session, mark: NewMark): Promise<boolean> {
  await session.script(LOCK_STORE);
  if (!(await isEmpty(session))) return false;
  await saveMark(session, 'target', mark);
  await session.query(SAVE_TIME, mark.at, NO_BOOT);
  await setClosed(session, true);
  return true;
}

async function reopen(session: Session, mark: CopyMark | undefined): Promise<boolean> {
  if (mark === undefined) return false;
  await session.query(`DELETE FROM @copy WHERE role = 'source'`);
  await setClosed(session, false);
  return true;
}

async function saveMark(session: Session, role: CopyMark['role'], { copy, other, at }: NewMark): Promise<void> {
  await session.script(COPY_TABLE);
  await session.query(SAVE_MARK, role, copy, other, at, JSON.stringify({ tables: 0 } satisfies Progress));
}

async function setClosed(session: Session, isClosed: boolean): Promise<void> {
  const version = isClosed ? toClosedVersion(MIGRATIONS.length) : toOpenVersion(MIGRATIONS.length);
  await session.query('UPDATE @store SET version = $1', version);
}

async function readPage(connection: Connection, table: CopyTable, after: Cursor | undefined): Promise<Page> {
  const { name, columns, order, page } = table;
  const names = Object.keys(columns);
  const ordered = order.map((column, place) => `${column} AS order_${place}`);
  const rows = await connection.read<Record<string, unknown>>(
    `SELECT ${[...names, ...ordered].join(', ')} FROM ${name === 'learned' ? LEARNED : `@${name}`}
      ${toAfter(table, after, (n) => `$${n}`)} ORDER BY ${order.join(', ')} LIMIT ${page}`,
    ...(after ?? []),
  );
  const found = rows.at(-1);
  const read = rows.map((row) => names.map((column) => toValue(columns[column] ?? 'text', row[column])));
  if (found === undefined) return { rows: read };
  return { rows: read, last: order.map((_, place) => found[`order_${place}`] as string | number) };
}

function toValue(kind: Kind, value: unknown): Value {
  if (kind !== 'numbers') return value as Value;
  // More runs than are kept may be stored for a while; the newest come first.
  return (value as number[]).slice(0, LEARNED_RUNS).reverse();
}

const TYPES: Readonly<Record<Kind, string>> = {
  ...{ text: 'text', whole: 'bigint', number: 'double precision', flag: 'boolean', numbers: 'text' },
};

async function insert(session: Session, table: CopyTable, rows: readonly Row[]): Promise<void> {
  if (table.name === 'learned') {
    for (const row of rows) await session.query(ADD_RUNS, ...row);
    return;
  }
  const names = Object.keys(table.columns);
  const lists = Object.values(table.columns).map((kind, place) => `$${place + 1}::${TYPES[kind]}[]`);
  await session.query(
    `INSERT INTO @${table.name} (${names.join(', ')}) SELECT ${names.join(', ')}
      FROM unnest(${lists.join(', ')}) WITH ORDINALITY AS new(${names.join(', ')}, place) ORDER BY place`,
    ...names.map((_, place) => rows.map((row) => row[place])),
  );
  if (table.name !== 'task') return;
  const numbers = rows.map((row) => row[names.indexOf('row')]);
  await session.query(ADD_USAGE, numbers);
  await session.query(ADD_TURNS, numbers);
}
