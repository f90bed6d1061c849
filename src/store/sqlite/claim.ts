import type { Json } from '../../task/json.ts';
import { decideClaim } from '../decide.ts';
import type { Claimed, ClaimRequest } from '../task-contract.ts';
import { appendEvents } from './append.ts';
import { type Transaction, toTask } from './rows.ts';
import { TASK_COLUMNS, type TaskRow, toTaskRow } from './task-row.ts';

const RUNNABLE = `SELECT ${TASK_COLUMNS} FROM task
  WHERE status = 'queued' AND identity = ? AND tool = ? AND run_at <= ?
    AND EXISTS (SELECT 1 FROM worker WHERE id = ? AND state = 'ready')
  ORDER BY run_at, row LIMIT ? + 0`;
const ANY_RUNNABLE = `SELECT 1 FROM task
  WHERE status = 'queued' AND identity = ? AND tool = ? AND run_at <= ? LIMIT 1`;
const LEASE = `UPDATE task SET status = 'working', worker = ?, attempt = ?, fence = ?, started_at = ?, updated_at = ?,
  last_seq = ? WHERE row = ?`;

export function claimTasks(tx: Transaction, request: ClaimRequest): Claimed[] {
  const runnable = findRunnable(tx, request).slice(0, Math.max(0, request.max));
  return runnable.map((row) => lease(tx, row, request.worker));
}

/** Whether a claim could find anything; read before a claim takes the write lock for nothing. */
export function hasRunnable({ db, now }: Transaction, request: ClaimRequest): boolean {
  const { identity, free } = request;
  return Object.keys(free).some((tool) => db.get(ANY_RUNNABLE, identity, tool, now) !== undefined);
}

function findRunnable({ db, now }: Transaction, { identity, worker, free, max }: ClaimRequest): TaskRow[] {
  const found: TaskRow[] = [];
  for (const [tool, slots] of Object.entries(free)) {
    const most = Math.min(slots, max);
    if (most > 0) found.push(...db.arrays(RUNNABLE, identity, tool, now, worker, most).map(toTaskRow));
  }
  return found.sort((a, b) => a.run_at - b.run_at || a.row - b.row);
}

function lease(tx: Transaction, row: TaskRow, worker: string): Claimed {
  const { attempt, fence, startedAt, event } = decideClaim(toClaimable(row), worker, tx.now);
  const { lastSeq } = appendEvents(tx, row, [event]);
  tx.db.run(LEASE, worker, attempt, fence, startedAt, tx.now, lastSeq, row.row);
  const leased = { status: 'working', worker, attempt, fence, startedAt, updatedAt: tx.now, lastSeq } as const;
  return { task: Object.assign(toTask(tx.db, row), leased), steps: row.steps > 0 ? readSteps(tx, row.row) : {} };
}

function toClaimable({ attempt, fence, spend, started_at: startedAt }: TaskRow) {
  const claimable = { attempt, fence, spend: spend === 1 };
  return startedAt === null ? claimable : { ...claimable, startedAt };
}

function readSteps({ db }: Transaction, task: number): Record<string, Json> {
  const rows = db.all<{ name: string; value: string }>('SELECT name, value FROM step WHERE task = ?', task);
  return Object.fromEntries(rows.map(({ name, value }) => [name, JSON.parse(value) as Json]));
}
