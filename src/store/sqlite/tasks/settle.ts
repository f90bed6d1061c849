import { LEARNED_RUNS } from '../../../task/estimate.ts';
import type { Delivery } from '../../../task/record.ts';
import type { Status } from '../../../task/status.ts';
import type { Settlement, SettleTarget } from '../../contracts/task-contract.ts';
import { canSettle, decideEnd, isAtWorkStill } from '../../decide.ts';
import { toTextBytes } from '../../stored-bytes.ts';
import { type Transaction, toJsonText } from '../rows.ts';
import { appendEvents } from './append.ts';
import { toProgressColumns } from './attempt.ts';
import { findWork, toHolding } from './read.ts';
import { leaveQueue, stayInQueue } from './task-queue.ts';
import type { WorkRow } from './task-row.ts';

const END = `UPDATE task SET status = ?, status_message = ?, progress = ?, outcome = ?, worker = NULL, ended_at = ?,
  expires_at = ?, updated_at = ?, last_seq = ?, high_rate = ?, questions = ?, open_questions = 0,
  start_by = NULL, bytes = bytes + ? WHERE row = ?`;
const LEARN = `INSERT INTO learned (identity, tool, principal, runs) VALUES (?1, ?2, ?3, json_array(?4))
  ON CONFLICT (identity, tool, principal) DO UPDATE SET runs = json_insert(
    CASE WHEN json_array_length(runs) >= ${LEARNED_RUNS} THEN json_remove(runs, '$[0]') ELSE runs END, '$[#]', ?4)`;
const POST = 'INSERT INTO outbox (id, task, topic, data, due_at, tries) VALUES (?, ?, ?, ?, ?, 0)';

export function settleTask(tx: Transaction, target: SettleTarget, settlement: Settlement): boolean {
  const task = findWork(tx.db, target.taskId);
  if (task === undefined || !canSettle(toHolding(task), settlement.outcome, target)) return false;
  const isAtWork = isAtWorkStill(toHolding(task), settlement, target.fence);
  endTask(tx, task, settlement);
  if (task.queue === null) return true;
  if (isAtWork) stayInQueue(tx.db, task, task.worker ?? '');
  else leaveQueue(tx.db, task);
  return true;
}

/** Ends a task that has not ended, without changing its queue; returns its new status. */
export function endTask(tx: Transaction, task: WorkRow, settlement: Settlement): Status {
  const { outcome, events, ranMs } = settlement;
  const ending = decideEnd({ ttlMs: task.ttl_ms }, settlement, tx.now);
  const outcomeText = JSON.stringify(outcome);
  const { lastSeq, highRate, bytes } = appendEvents(tx, task, [...(events ?? []), ending.event]);
  if (task.open_questions > 0) tx.db.run('DELETE FROM question WHERE task = ? AND answer IS NULL', task.row);
  tx.db.run(
    END,
    ending.status,
    ending.statusMessage ?? null,
    toProgressColumns(task, events, tx.now).progress,
    outcomeText,
    ending.endedAt,
    ending.expiresAt ?? null,
    tx.now,
    lastSeq,
    highRate,
    task.questions - task.open_questions,
    bytes + toTextBytes(outcomeText),
    task.row,
  );
  if (task.deliver !== null) post(tx, task, JSON.parse(task.deliver) as Delivery[]);
  if (outcome.kind === 'result' && ranMs !== undefined) {
    tx.db.run(LEARN, task.identity, task.tool, task.principal, ranMs);
  }
  return ending.status;
}

function post(tx: Transaction, task: WorkRow, deliveries: readonly Delivery[]): void {
  for (const [place, { topic, data }] of deliveries.entries()) {
    tx.db.run(POST, `${task.id}:${place}`, task.row, topic, toJsonText(data), tx.now);
  }
}
