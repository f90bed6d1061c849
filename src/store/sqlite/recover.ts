import type { Status } from '../../task/status.ts';
import { decideRecovery } from '../decide.ts';
import type { DeadWorker, Recovered } from '../task-contract.ts';
import { unlease } from './attempt.ts';
import type { Transaction } from './rows.ts';
import { endTask } from './settle.ts';
import { toWorkRow, WORK_COLUMNS, type WorkRow } from './task-row.ts';
import { removeWorker } from './workers.ts';

const STILL_DEAD = 'SELECT 1 FROM worker WHERE id = ? AND until = ?';
const HELD_BY = `SELECT ${WORK_COLUMNS} FROM task WHERE worker = ? ORDER BY row`;

export function recoverWorker(tx: Transaction, dead: DeadWorker): Recovered[] | undefined {
  if (tx.db.get(STILL_DEAD, dead.workerId, dead.until) === undefined) return undefined;
  const tasks = tx.db.arrays(HELD_BY, dead.workerId).map(toWorkRow);
  const recovered = tasks.map((task) => ({ taskId: task.id, status: recoverTask(tx, task, dead) }));
  removeWorker(tx.db, dead.workerId);
  return recovered;
}

function recoverTask(tx: Transaction, task: WorkRow, dead: DeadWorker): Status {
  const { attempt, max_attempts: maxAttempts, open_questions: openQuestions } = task;
  const lost = { idempotent: task.idempotent === 1, attempt, maxAttempts, openQuestions };
  const decision = decideRecovery(lost, dead, tx.now);
  if (decision.kind === 'ended') return endTask(tx, task, { outcome: decision.outcome });
  unlease(tx, task, decision.to);
  return decision.to.status;
}
