import type { Status } from '../../../task/status.ts';
import type { DeadWorker, Recovered } from '../../contracts/task-contract.ts';
import { countAtWork, decideRecovery, type Lost, type RecoveryDecision } from '../../decide.ts';
import type { Transaction } from '../rows.ts';
import { orphanGroups } from '../workers/process-groups.ts';
import { removeWorker } from '../workers/workers.ts';
import { unlease } from './attempt.ts';
import { endTask } from './settle.ts';
import { leaveQueue } from './task-queue.ts';
import { toWorkRow, WORK_COLUMNS, type WorkRow } from './task-row.ts';

const STILL_DEAD = 'SELECT 1 FROM worker WHERE id = ? AND until = ?';
const HELD_BY = `SELECT ${WORK_COLUMNS}, losses FROM task WHERE worker = ? ORDER BY row`;
const NOTE_LOSS = 'UPDATE task SET losses = losses + 1 WHERE row = ?';

export function recoverWorker(tx: Transaction, dead: DeadWorker): Recovered[] | undefined {
  if (tx.db.get(STILL_DEAD, dead.workerId, dead.until) === undefined) return undefined;
  const tasks = tx.db.arrays(HELD_BY, dead.workerId).map((values) => {
    const row = toWorkRow(values);
    return { row, lost: toLost(row, values.at(-1) as number) };
  });
  const atWork = countAtWork(tasks.map(({ lost }) => lost));
  const recovered = tasks.map(({ row, lost }) => {
    const decision = decideRecovery(lost, { ...dead, atWork }, tx.now);
    return { taskId: row.id, status: applyRecovery(tx, row, decision) };
  });
  removeWorker(tx.db, dead.workerId);
  orphanGroups(tx, dead.workerId);
  return recovered;
}

function toLost({ idempotent, attempt, max_attempts: maxAttempts, open_questions }: WorkRow, losses: number): Lost {
  return { idempotent: idempotent === 1, attempt, maxAttempts, losses, openQuestions: open_questions };
}

function applyRecovery(tx: Transaction, task: WorkRow, decision: RecoveryDecision): Status {
  if (decision.kind === 'ended') {
    const status = endTask(tx, task, { outcome: decision.outcome });
    leaveQueue(tx.db, task);
    return status;
  }
  unlease(tx, task, decision.to);
  if (decision.to.isLoss) tx.db.run(NOTE_LOSS, task.row);
  return decision.to.status;
}
