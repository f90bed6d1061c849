import { existsSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { COPY_TABLE, type CopyMark, toClosedVersion, toOpenVersion } from '../../sqlite/closed.ts';
import type { Database } from '../../sqlite/database.ts';
import type { SqliteValue } from '../../sqlite/driver.ts';
import { openDatabase, openForCopy } from '../../sqlite/open.ts';
import { STORE_SCHEMA } from '../sqlite/schema.ts';
import { LONG_ARGS } from '../sqlite/tasks/draft.ts';
import { readKeyFiles, writeKeyFiles } from './key-files.ts';
import { type CopySide, type NewMark, NO_BOOT, type Page, type Progress } from './side.ts';
import { COPY_TABLES, type CopyTable, type Cursor, type Kind, type Row, toAfter, type Value } from './tables.ts';

const HAS_MARKS = `SELECT 1 FROM sqlite_schema WHERE name = 'copy'`;
const READ_MARK = 'SELECT role, copy, other, state, at, progress FROM copy WHERE role = ?';
const SAVE_MARK = `INSERT INTO copy (role, copy, other, state, at, progress) VALUES (?, ?, ?, 'going', ?, ?)`;
const SAVE_TIME = `INSERT INTO store_time (id, at, lag_ms, moved_at, steady_ms, boot) VALUES (1, ?, 0, 0, 0, ?)
  ON CONFLICT (id) DO UPDATE SET at = max(at, excluded.at)`;
const AT_WORK = `SELECT 1 FROM worker UNION ALL SELECT 1 FROM task WHERE worker IS NOT NULL
  UNION ALL SELECT 1 FROM task WHERE leaving IS NOT NULL LIMIT 1`;

/** Opens a store in a SQLite file as one end of a copy; a missing target is created. */
export function openSqliteSide(path: string, { create }: { readonly create: boolean }): CopySide {
  // Creates or migrates the file, unless it is closed: then it keeps the schema it had when it was closed.
  if (create && !existsSync(path)) openDatabase({ path, schema: STORE_SCHEMA }).close();
  const db = openForCopy(path, STORE_SCHEMA);
  return {
    place: resolve(path),
    mark: async (role) => findMark(db, role),
    keys: async () => readKeyFiles(dirname(db.path)),
    keepKeys: async (keys) => writeKeyFiles(dirname(db.path), keys),
    read: async (table, after) => readPage(db, table, after),
    close: async (mark) => transact(db, () => closeSource(db, mark)),
    isEmpty: async () => isEmpty(db),
    begin: async (mark) => transact(db, () => beginTarget(db, mark)),
    write: async (table, rows, progress) =>
      transact(db, () => {
        for (const row of rows) insert(db, table, row);
        db.run(`UPDATE copy SET progress = ? WHERE role = 'target'`, JSON.stringify(progress));
      }),
    finish: async (role) =>
      transact(db, () => {
        db.run(`UPDATE copy SET state = 'done' WHERE role = ?`, role);
        if (role === 'target') setClosed(db, false);
      }),
    reopen: async () => transact(db, () => reopen(db)),
    dispose: async () => db.close(),
  };
}

function findMark(db: Database, role: CopyMark['role']) {
  if (db.get(HAS_MARKS) === undefined) return undefined;
  const row = db.get<CopyMark & { at: number; progress: string | null }>(READ_MARK, role);
  if (row === undefined) return undefined;
  return { ...row, progress: JSON.parse(row.progress ?? '{"tables":0}') as Progress };
}

function closeSource(db: Database, mark: NewMark): boolean {
  if (db.get(AT_WORK) !== undefined) return false;
  saveMark(db, 'source', mark);
  setClosed(db, true);
  return true;
}

function isEmpty(db: Database): boolean {
  const filled = [...COPY_TABLES.map(({ name }) => name), 'worker'].map((name) => `SELECT 1 FROM ${name}`);
  return db.get(`${filled.join(' UNION ALL ')} LIMIT 1`) === undefined;
}

function beginTarget(db: Database, mark: NewMark): boolean {
  if (!isEmpty(db)) return false;
  saveMark(db, 'target', mark);
  db.run(SAVE_TIME, mark.at, NO_BOOT);
  setClosed(db, true);
  return true;
}

function reopen(db: Database): boolean {
  if (findMark(db, 'source') === undefined) return false;
  db.run(`DELETE FROM copy WHERE role = 'source'`);
  setClosed(db, false);
  return true;
}

function saveMark(db: Database, role: CopyMark['role'], { copy, other, at }: NewMark): void {
  db.exec(COPY_TABLE.replace('@', ''));
  db.run(SAVE_MARK, role, copy, other, at, JSON.stringify({ tables: 0 } satisfies Progress));
}

function setClosed(db: Database, isClosed: boolean): void {
  const version = db.get<{ user_version: number }>('PRAGMA user_version')?.user_version ?? 0;
  db.exec(`PRAGMA user_version = ${isClosed ? toClosedVersion(version) : toOpenVersion(version)}`);
}

function transact<T>(db: Database, run: () => T): T {
  db.beginImmediate();
  try {
    const value = run();
    db.commit();
    return value;
  } catch (error) {
    db.rollBack();
    throw error;
  }
}

/** What a column is read from, where it is stored elsewhere or has another value for "none". */
const READ: Readonly<Record<string, string>> = {
  'task.args': 'coalesce(args, (SELECT long_args.args FROM long_args WHERE long_args.task = task.row))',
  'task.poll_interval_ms': 'nullif(poll_interval_ms, 0)',
};

function readPage(db: Database, table: CopyTable, after: Cursor | undefined): Page {
  const { name, columns, order, page } = table;
  const read = Object.keys(columns).map((column) => READ[`${name}.${column}`] ?? column);
  const sql = `SELECT ${[...read, ...order].join(', ')} FROM ${name} ${toAfter(table, after, () => '?')}
    ORDER BY ${order.join(', ')} LIMIT ${page}`;
  const found = db.arrays(sql, ...(after ?? []));
  const kinds = Object.values(columns);
  const rows = found.map((values) => kinds.map((kind, place) => toValue(kind, values[place] ?? null)));
  const last = found.at(-1)?.slice(kinds.length) as Cursor | undefined;
  return last === undefined ? { rows } : { rows, last };
}

function toValue(kind: Kind, value: SqliteValue): Value {
  if (value === null) return null;
  if (kind === 'flag') return value === 1;
  if (kind === 'numbers') return JSON.parse(String(value)) as number[];
  return value as string | number;
}

function insert(db: Database, { name, columns }: CopyTable, row: Row): void {
  const names = Object.keys(columns);
  const values = row.map(toSqlite);
  if (name === 'task') placeTask(db, names, values);
  db.run(`INSERT INTO ${name} (${names.join(', ')}) VALUES (${names.map(() => '?').join(', ')})`, ...values);
}

/** Writes a task as `create` does: long arguments go to `long_args`, and a missing interval is 0. */
function placeTask(db: Database, names: readonly string[], values: SqliteValue[]): void {
  const [args, interval] = [names.indexOf('args'), names.indexOf('poll_interval_ms')];
  values[interval] ??= 0;
  const text = values[args];
  if (typeof text !== 'string' || text.length <= LONG_ARGS) return;
  db.run('INSERT INTO long_args (task, args) VALUES (?, ?)', values[names.indexOf('row')] ?? null, text);
  values[args] = null;
}

function toSqlite(value: Value): SqliteValue {
  if (typeof value === 'boolean') return value ? 1 : 0;
  return typeof value === 'object' && value !== null ? JSON.stringify(value) : value;
}
