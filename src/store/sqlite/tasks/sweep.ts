import type { Database } from '../../../sqlite/database.ts';
import type { Actor } from '../../../task/actor.ts';
import { KEPT_HIGH_RATE_EVENTS } from '../../../task/event.ts';
import type { SettledOutcome } from '../../../task/outcome.ts';
import type { SweepRequest, Swept } from '../../contracts/task-contract.ts';
import { type NamedTexts, toTaskBytes } from '../../stored-bytes.ts';
import { toSure } from '../../sweep-limits.ts';
import { toExpired } from '../../tombstone.ts';
import type { Transaction } from '../rows.ts';
import { forgetOrphans } from '../workers/process-groups.ts';
import { trimEvents } from './append.ts';
import { leaveQueue } from './task-queue.ts';
import type { WorkRow } from './task-row.ts';

const OLD_TOMBSTONES = `SELECT row, identity, queue, behind FROM task WHERE tombstone_at <= ? AND (tombstone_at <= ? OR tombstone_at >= ?)
  ORDER BY tombstone_at LIMIT ? + 0`;
const IS_ENDED = 'ended_at IS NOT NULL AND tombstone_at IS NULL';
const IS_DELIVERED = 'NOT EXISTS (SELECT 1 FROM outbox WHERE outbox.task = task.row)';
const ENDED_COLUMNS = 'row, outcome, alias, idempotency_key AS key, labels';
const EXPIRED = `SELECT ${ENDED_COLUMNS} FROM task
  WHERE ${IS_ENDED} AND expires_at <= ? AND (expires_at <= ? OR ended_at >= ?) AND ${IS_DELIVERED}
  ORDER BY expires_at LIMIT ? + 0`;
// Uses the index only; no task row is read before it is known to have ended in time.
const ENDED = `SELECT ${ENDED_COLUMNS} FROM task
  WHERE ${IS_ENDED} AND ended_at <= ? AND ${IS_DELIVERED} ORDER BY expires_at LIMIT ? + 0`;
const OVERLONG = `SELECT row, high_rate FROM task WHERE high_rate > ${KEPT_HIGH_RATE_EVENTS} LIMIT ? + 0`;
const WRITE_TOMBSTONE = `UPDATE task SET args = NULL, outcome = ?, deliver = NULL, progress = NULL, trace = NULL, questions = 0,
  steps = 0, high_rate = 0, updated_at = ?, tombstone_at = ?, bytes = ? WHERE row = ?`;

const TRIM = 'UPDATE task SET high_rate = high_rate - ?, bytes = bytes - ? WHERE row = ?';
const NEWEST_EVENT = 'SELECT row, task FROM event WHERE row = (SELECT max(row) FROM event)';

interface OverlongRow {
  readonly row: number;
  readonly high_rate: number;
}

interface EndedRow extends NamedTexts {
  readonly row: number;
  readonly outcome: string;
}

/** About how many events one transaction deletes, so that a sweep does not block the event loop and other writers. */
const EVENTS_PER_PART = 5000;

export interface SweptPart extends Swept {
  /** Whether the part ended early because there was much to delete. */
  readonly isCut: boolean;
}

/** Deletes old tombstones before it makes new ones, so that a tombstone stays readable at least until the next sweep. */
export function sweepPart(tx: Transaction, request: SweepRequest): SweptPart {
  const forgotten = forget(tx, request);
  forgetOrphans(tx);
  let removed = 0;
  let expired = 0;
  for (const task of findExpired(tx, request)) {
    if (removed >= EVENTS_PER_PART) break;
    removed += writeTombstone(tx, task, request.by);
    expired += 1;
  }
  let trimmed = 0;
  for (const task of tx.db.all<OverlongRow>(OVERLONG, request.limit)) {
    if (removed + trimmed >= EVENTS_PER_PART) break;
    trimmed += trim(tx, task);
  }
  return { expired, forgotten, trimmed, isCut: removed + trimmed >= EVENTS_PER_PART };
}

/** Sweeps in as many transactions as needed. */
export async function sweepInParts(
  request: SweepRequest,
  runPart: (request: SweepRequest) => Promise<SweptPart>,
): Promise<Swept> {
  let { isCut, ...total } = await runPart(request);
  while (isCut && total.expired < request.limit) {
    const left = { ...request, tombstonesBefore: Number.MIN_SAFE_INTEGER, limit: request.limit - total.expired };
    const part = await runPart(left);
    isCut = part.isCut;
    total = {
      expired: total.expired + part.expired,
      forgotten: total.forgotten,
      trimmed: total.trimmed + part.trimmed,
    };
  }
  return total;
}

function forget(tx: Transaction, request: SweepRequest): number {
  const { db } = tx;
  const { tombstonesBefore, limit } = request;
  const { tombstonesUpTo, movedAt } = toSure(request, tx);
  const old = db.all<Pick<WorkRow, 'row' | 'identity' | 'queue' | 'behind'>>(
    OLD_TOMBSTONES,
    tombstonesBefore,
    tombstonesUpTo,
    movedAt,
    limit,
  );
  for (const task of old) {
    leaveQueue(db, task);
    db.run('DELETE FROM task WHERE row = ?', task.row);
  }
  return old.length;
}

function findExpired(tx: Transaction, request: SweepRequest): EndedRow[] {
  const { db } = tx;
  const { expiresBefore, endedBefore, limit } = request;
  const { expiresUpTo, movedAt } = toSure(request, tx);
  const expired = db.all<EndedRow>(EXPIRED, expiresBefore, expiresUpTo, movedAt, limit);
  if (endedBefore === undefined || expired.length >= limit) return expired;
  const seen = new Set(expired.map(({ row }) => row));
  const ended = db.all<EndedRow>(ENDED, endedBefore, limit).filter(({ row }) => !seen.has(row));
  return [...expired, ...ended].slice(0, limit);
}

/** Returns how many events were deleted. */
function writeTombstone({ db, now }: Transaction, task: EndedRow, by: Actor | undefined): number {
  const outcome = JSON.stringify(toExpired(JSON.parse(task.outcome) as SettledOutcome, by));
  const removed = dropEvents(db, task.row);
  db.run('DELETE FROM question WHERE task = ?', task.row);
  db.run('DELETE FROM step WHERE task = ?', task.row);
  db.run('DELETE FROM artifact WHERE task = ?', task.row);
  db.run('DELETE FROM long_args WHERE task = ?', task.row);
  db.run('DELETE FROM hold WHERE task = ?', task.row);
  db.run(WRITE_TOMBSTONE, outcome, now, now, toTaskBytes(task, outcome), task.row);
  return removed;
}

// The newest event must stay, or its number would be assigned again and a reader of changes would miss the event that gets
// it. It is moved to task 0, which does not exist, and is deleted when another event is moved there.
function dropEvents(db: Database, task: number): number {
  const newest = db.get<{ row: number; task: number }>(NEWEST_EVENT);
  if (newest?.task === task) {
    db.run('DELETE FROM event WHERE task = 0');
    db.run('UPDATE event SET task = 0, body = NULL WHERE row = ?', newest.row);
  }
  return db.run('DELETE FROM event WHERE task = ?', task);
}

function trim(tx: Transaction, { row, high_rate }: OverlongRow): number {
  const gone = trimEvents(tx, row, high_rate);
  tx.db.run(TRIM, gone.events, gone.bytes, row);
  return gone.events;
}
