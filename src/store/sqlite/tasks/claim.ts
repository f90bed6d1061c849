import type { Task } from '../../../task/record.ts';
import type { Claimed, ClaimRequest } from '../../contracts/task-contract.ts';
import { decideClaim } from '../../decide.ts';
import { isAnybodyNext, takeTurns } from '../../take-turns.ts';
import type { Transaction } from '../rows.ts';
import { appendEvents } from './append.ts';
import { readSteps } from './read.ts';
import { type TaskRow, toTask } from './task-row.ts';
import { closeTurns, markServed, peekContenders, type SeenTurns, walkContenders } from './turns.ts';

const IS_READY = `SELECT 1 FROM worker WHERE id = ? AND state = 'ready'`;
const LEASE = `UPDATE task SET status = 'working', worker = ?, attempt = ?, fence = ?, started_at = ?, updated_at = ?,
  last_seq = ?, start_by = NULL WHERE row = ?`;

export function claimTasks(tx: Transaction, request: ClaimRequest): Claimed[] {
  const { worker, identity } = request;
  if (request.max <= 0 || tx.db.get(IS_READY, worker) === undefined) return [];
  const seen: SeenTurns = { principalCount: 0, contenders: [] };
  const turns = takeTurns(walkContenders(tx, request, seen), request);
  const claimed = turns.map(({ task }) => lease(tx, task.task, worker));
  const served = turns.map(({ principal }) => principal);
  markServed(tx.db, identity, served);
  closeTurns(tx.db, identity, seen);
  return claimed;
}

/** Whether a claim could find anything; read first, so that the write lock is not taken for nothing. */
export function hasRunnable(tx: Transaction, request: ClaimRequest): boolean {
  return request.max > 0 && isAnybodyNext(peekContenders(tx, request), request);
}

function lease(tx: Transaction, row: TaskRow, worker: string): Claimed {
  const { attempt, fence, startedAt, event } = decideClaim(toClaimable(row), worker, tx.now);
  const { lastSeq } = appendEvents(tx, row, [event]);
  tx.db.run(LEASE, worker, attempt, fence, startedAt, tx.now, lastSeq, row.row);
  const leased = { status: 'working', worker, attempt, fence, startedAt, updatedAt: tx.now, lastSeq } as const;
  const task: { startBy?: number } & Task = Object.assign(toTask(tx.db, row), leased);
  // Only when set, because `delete` makes an object slow.
  if (row.start_by !== null) delete task.startBy;
  return { task, steps: row.steps > 0 ? readSteps(tx.db, row.row) : {} };
}

function toClaimable({ attempt, fence, spend, started_at: startedAt }: TaskRow) {
  const claimable = { attempt, fence, countsAsAttempt: spend === 1 };
  return startedAt === null ? claimable : { ...claimable, startedAt };
}
