import type { SettledOutcome } from '../../task/outcome.ts';
import type { SweepRequest, Swept } from '../contract.ts';
import { toExpired } from '../tombstone.ts';
import { trimEvents } from './append.ts';
import { type Transaction, toJsonText } from './rows.ts';

const OLD_TOMBSTONES = 'SELECT row FROM task WHERE tombstone_at <= ? ORDER BY tombstone_at LIMIT ? + 0';
const IS_ENDED = 'ended_at IS NOT NULL AND tombstone_at IS NULL';
const IS_DELIVERED = 'NOT EXISTS (SELECT 1 FROM outbox WHERE outbox.task = task.row)';
const EXPIRED = `SELECT row, outcome FROM task
  WHERE ${IS_ENDED} AND expires_at <= ? AND ${IS_DELIVERED} ORDER BY expires_at LIMIT ? + 0`;
// Reads the index only; no task row is touched before it is known to have ended in time.
const ENDED = `SELECT row, outcome FROM task
  WHERE ${IS_ENDED} AND ended_at <= ? AND ${IS_DELIVERED} ORDER BY expires_at LIMIT ? + 0`;
const OVERLONG = 'SELECT row, high_rate FROM task WHERE high_rate > 10000 LIMIT ? + 0';
const BURY = `UPDATE task SET args = NULL, outcome = ?, deliver = NULL, progress = NULL, trace = NULL, questions = 0,
  steps = 0, high_rate = 0, updated_at = ?, tombstone_at = ? WHERE row = ?`;

const NEWEST_EVENT = 'SELECT row, task FROM event WHERE row = (SELECT max(row) FROM event)';

interface EndedRow {
  readonly row: number;
  readonly outcome: string;
}

/** Forgets before it expires: a tombstone can be read until the next sweep at least. */
export function sweepTasks(tx: Transaction, request: SweepRequest): Swept {
  const forgotten = tx.db.all<{ row: number }>(OLD_TOMBSTONES, request.tombstonesBefore, request.limit);
  for (const { row } of forgotten) tx.db.run('DELETE FROM task WHERE row = ?', row);
  const expired = findExpired(tx, request);
  for (const task of expired) bury(tx, task);
  return { expired: expired.length, forgotten: forgotten.length, trimmed: trim(tx, request.limit) };
}

function findExpired({ db }: Transaction, request: SweepRequest): EndedRow[] {
  const { expiresBefore, endedBefore, limit } = request;
  const expired = db.all<EndedRow>(EXPIRED, expiresBefore, limit);
  if (endedBefore === undefined || expired.length >= limit) return expired;
  const seen = new Set(expired.map(({ row }) => row));
  const ended = db.all<EndedRow>(ENDED, endedBefore, limit).filter(({ row }) => !seen.has(row));
  return [...expired, ...ended].slice(0, limit);
}

function bury({ db, now }: Transaction, task: EndedRow): void {
  const outcome = toExpired(JSON.parse(task.outcome) as SettledOutcome);
  dropEvents({ db, now }, task.row);
  db.run('DELETE FROM question WHERE task = ?', task.row);
  db.run('DELETE FROM step WHERE task = ?', task.row);
  db.run('DELETE FROM long_args WHERE task = ?', task.row);
  db.run(BURY, toJsonText(outcome), now, now, task.row);
}

// The newest event keeps its number taken, or a reader of changes would miss what gets it next. It is handed to no
// task at all, and goes with the next one that is handed over.
function dropEvents({ db }: Transaction, task: number): void {
  const newest = db.get<{ row: number; task: number }>(NEWEST_EVENT);
  if (newest?.task === task) {
    db.run('DELETE FROM event WHERE task = 0');
    db.run('UPDATE event SET task = 0, body = NULL WHERE row = ?', newest.row);
  }
  db.run('DELETE FROM event WHERE task = ?', task);
}

function trim(tx: Transaction, limit: number): number {
  let trimmed = 0;
  for (const { row, high_rate } of tx.db.all<{ row: number; high_rate: number }>(OVERLONG, limit)) {
    const gone = trimEvents(tx, row, high_rate);
    tx.db.run('UPDATE task SET high_rate = high_rate - ? WHERE row = ?', gone, row);
    trimmed += gone;
  }
  return trimmed;
}
