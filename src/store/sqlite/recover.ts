import type { DeadWorker, Recovered } from '../contract.ts';
import { decideRecovery } from '../decide.ts';
import { unlease } from './attempt.ts';
import { type Transaction, WORK_COLUMNS, type WorkRow } from './rows.ts';
import { endTask } from './settle.ts';
import { removeWorker } from './workers.ts';

const STILL_DEAD = 'SELECT 1 FROM worker WHERE id = ? AND until = ?';
const HELD_BY = `SELECT ${WORK_COLUMNS} FROM task WHERE worker = ? ORDER BY row`;
const STATUS = 'SELECT id AS taskId, status FROM task WHERE row = ?';

export function recoverWorker(tx: Transaction, dead: DeadWorker): Recovered[] | undefined {
  if (tx.db.get(STILL_DEAD, dead.workerId, dead.until) === undefined) return undefined;
  const tasks = tx.db.all<WorkRow>(HELD_BY, dead.workerId);
  for (const task of tasks) recoverTask(tx, task, dead);
  removeWorker(tx.db, dead.workerId);
  return tasks.flatMap((task) => tx.db.get<Recovered>(STATUS, task.row) ?? []);
}

function recoverTask(tx: Transaction, task: WorkRow, dead: DeadWorker): void {
  const { attempt, max_attempts: maxAttempts, open_questions: openQuestions } = task;
  const lost = { idempotent: task.idempotent === 1, attempt, maxAttempts, openQuestions };
  const decision = decideRecovery(lost, dead, tx.now);
  if (decision.kind === 'unleased') unlease(tx, task, decision.to);
  else endTask(tx, task, { outcome: decision.outcome });
}
