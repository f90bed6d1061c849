import { LEARNED_RUNS } from '../../../task/estimate.ts';
import type { Delivery } from '../../../task/record.ts';
import type { Status } from '../../../task/status.ts';
import type { Settlement, SettleTarget } from '../../contracts/task-contract.ts';
import { canSettle, decideEnd, isAtWorkStill } from '../../decide.ts';
import { toTextBytes } from '../../stored-bytes.ts';
import type { Transaction } from '../transaction.ts';
import { noteProgress } from './attempt.ts';
import { leaveQueue } from './task-queue.ts';
import { type TaskRow, toHolding } from './task-row.ts';

const WITHDRAW = 'DELETE FROM @question WHERE task = $1 AND answer IS NULL';
const LEARN = `INSERT INTO @learned (identity, tool, principal, ran_ms)
  SELECT * FROM unnest($1::text[], $2::text[], $3::text[], $4::double precision[])`;
// An array instead of a join: a join would run the subquery once for each row.
const FORGET_RUNS = `DELETE FROM @learned WHERE identity = $1 AND tool = $2 AND principal = $3 AND row = ANY(ARRAY(
  SELECT row FROM @learned WHERE identity = $1 AND tool = $2 AND principal = $3 ORDER BY row DESC OFFSET ${LEARNED_RUNS}
    FOR UPDATE SKIP LOCKED))`;
const POST = 'INSERT INTO @outbox (id, task, topic, data, due_at, tries) VALUES ($1, $2, $3, $4, $5, 0)';

export async function settleTask(tx: Transaction, target: SettleTarget, settlement: Settlement): Promise<boolean> {
  const task = await tx.find(target.taskId);
  if (task === undefined || !canSettle(toHolding(task), settlement.outcome, target)) return false;
  const { worker } = task;
  const isAtWork = isAtWorkStill(toHolding(task), settlement, target.fence);
  endTask(tx, task, settlement);
  if (task.queue === null) return true;
  if (isAtWork) task.leaving = worker;
  else await leaveQueue(tx, task);
  return true;
}

/** Ends a task that has not ended, without changing its queue; returns its new status. */
export function endTask(tx: Transaction, task: TaskRow, settlement: Settlement): Status {
  const { outcome, events = [], ranMs } = settlement;
  const ending = decideEnd({ ttlMs: task.ttl_ms }, settlement, tx.now);
  const outcomeText = JSON.stringify(outcome);
  if (task.open_questions > 0) tx.enqueue(WITHDRAW, task.row);
  noteProgress(task, events, tx.now);
  Object.assign(task, {
    ...{ status: ending.status, status_message: ending.statusMessage ?? null, outcome: outcomeText, worker: null },
    ...{ ended_at: ending.endedAt, expires_at: ending.expiresAt ?? null, updated_at: tx.now, start_by: null },
    ...{ questions: task.questions - task.open_questions, open_questions: 0 },
  });
  task.bytes += toTextBytes(outcomeText);
  tx.change(task, [...events, ending.event]);
  if (task.deliver !== null) post(tx, task, JSON.parse(task.deliver) as Delivery[]);
  if (outcome.kind === 'result' && ranMs !== undefined) {
    const learned = [task.identity, task.tool, task.principal];
    tx.enqueueBulk(LEARN, ...learned, ranMs);
    // Now and then is enough: readers use only the newest runs.
    if (Math.random() < 1 / LEARNED_RUNS) tx.enqueueOnce(FORGET_RUNS, ...learned);
  }
  return ending.status;
}

function post(tx: Transaction, task: TaskRow, deliveries: readonly Delivery[]): void {
  for (const [place, { topic, data }] of deliveries.entries()) {
    const text = data === undefined ? null : JSON.stringify(data);
    tx.enqueue(POST, `${task.id}:${place}`, task.row, topic, text, tx.now);
  }
}
