/**
 * Pages of tasks, newest first.
 *
 * A page walks one index: that of the principal, of a live status, or the rows themselves. Other filters are checked along
 * the way, a limited range at a time, so that a rare match among very many tasks does not block the event loop.
 */
import { setImmediate } from 'node:timers/promises';
import type { Database } from '../../../sqlite/database.ts';
import type { SqliteValue } from '../../../sqlite/driver.ts';
import type { Task } from '../../../task/record.ts';
import type { TaskFilter, TaskPage } from '../../contracts/task-contract.ts';
import { parseCursor, toCursor } from '../../cursor.ts';
import { TASK_COLUMNS, toTask, toTaskRow } from './task-row.ts';

const MIN_RANGE = 100;
const MAX_RANGE = 5000;

export async function listTasks(db: Database, filter: TaskFilter): Promise<TaskPage> {
  const wanted = filter.limit + 1;
  const found: Found[] = [];
  let before = filter.cursor === undefined ? Number.MAX_SAFE_INTEGER : parseCursor(filter.cursor);
  for (let length = Math.max(MIN_RANGE, 2 * wanted); ; length = Math.min(MAX_RANGE, 4 * length)) {
    const end = findRangeEnd(db, filter, { before, length });
    const range = { before, end, limit: wanted - found.length };
    found.push(...db.snapshot(() => readRange(db, filter, range)));
    if (end === undefined || found.length >= wanted) break;
    before = end;
    await setImmediate();
  }
  const tasks = found.slice(0, filter.limit).map(({ task }) => task);
  const last = found[filter.limit - 1];
  return found.length > filter.limit && last ? { tasks, nextCursor: toCursor(last.row) } : { tasks };
}

interface Found {
  readonly row: number;
  readonly task: Task;
}

interface RowRange {
  readonly before: number;
  /** Where the next range begins; `undefined` for the last one. */
  readonly end: number | undefined;
  readonly limit: number;
}

/** One range is enough when every row of the index matches, or when the index contains only live tasks. */
function findRangeEnd(
  db: Database,
  filter: TaskFilter,
  { before, length }: { before: number; length: number },
): number | undefined {
  const { identity, tool, status } = filter;
  if (toLiveClause(filter) || (identity ?? tool ?? status) === undefined) return undefined;
  const ofPrincipal = filter.principal === undefined ? '' : 'principal = ? AND';
  const sql = `SELECT row FROM task WHERE ${ofPrincipal} row < ? ORDER BY row DESC LIMIT 1 OFFSET ? + 0`;
  const values = filter.principal === undefined ? [] : [filter.principal];
  return db.get<{ row: number }>(sql, ...values, before, length - 1)?.row;
}

function readRange(db: Database, filter: TaskFilter, { before, end, limit }: RowRange): Found[] {
  const { clauses, values } = toClauses(filter);
  const row = toLiveClause(filter) ? '+row' : 'row';
  const sql = `SELECT ${TASK_COLUMNS} FROM task
    WHERE ${[...clauses, `${row} < ?`, `${row} >= ?`].join(' AND ')} ORDER BY ${row} DESC LIMIT ? + 0`;
  const rows = db.arrays(sql, ...values, before, end ?? 0, limit).map(toTaskRow);
  return rows.map((row) => ({ row: row.row, task: toTask(db, row) }));
}

function toClauses(filter: TaskFilter): { clauses: string[]; values: SqliteValue[] } {
  const clauses: string[] = [];
  const values: SqliteValue[] = [];
  const live = toLiveClause(filter);
  if (live) clauses.push(live);
  else if (filter.status !== undefined) {
    clauses.push('status = ?');
    values.push(filter.status);
  }
  for (const column of ['principal', 'identity', 'tool'] as const) {
    const value = filter[column];
    if (value === undefined) continue;
    // The plus keeps SQLite from using the wider index, in which live tasks are few among very many.
    clauses.push(`${live && column === 'principal' ? '+' : ''}${column} = ?`);
    values.push(value);
  }
  return { clauses, values };
}

/** A literal, because SQLite uses a partial index only then. */
function toLiveClause({ status }: TaskFilter): string | undefined {
  if (status === 'queued' || status === 'input_required') return `status = '${status}'`;
  return status === 'working' ? `status = 'working' AND worker IS NOT NULL` : undefined;
}
