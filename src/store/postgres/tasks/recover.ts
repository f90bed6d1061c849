import type { Status } from '../../../task/status.ts';
import type { DeadWorker, Recovered } from '../../contracts/task-contract.ts';
import { countAtWork, decideRecovery, type Lost, type RecoveryDecision } from '../../decide.ts';
import type { Transaction } from '../transaction.ts';
import { orphanGroups } from '../workers/process-groups.ts';
import { removeWorker } from '../workers/workers.ts';
import { unlease } from './attempt.ts';
import { endTask } from './settle.ts';
import { leaveQueue } from './task-queue.ts';
import { type TaskRow, WORK_COLUMNS } from './task-row.ts';

// A claim locks its worker's row until the commit, so nothing is claimed between this read and the removal.
const STILL_DEAD = 'SELECT 1 FROM @worker WHERE id = $1 AND until = $2 FOR UPDATE';
const HELD_BY = `SELECT ${WORK_COLUMNS} FROM @task AS task WHERE worker = $1 ORDER BY row FOR UPDATE`;

export async function recoverWorker(tx: Transaction, dead: DeadWorker): Promise<Recovered[] | undefined> {
  if ((await tx.row(STILL_DEAD, dead.workerId, dead.until)) === undefined) return undefined;
  const tasks = await tx.findAll(HELD_BY, dead.workerId);
  const atWork = countAtWork(tasks.map(toLost));
  const recovered: Recovered[] = [];
  for (const task of tasks) {
    const decision = decideRecovery(toLost(task), { ...dead, atWork }, tx.now);
    recovered.push({ taskId: task.id, status: await applyRecovery(tx, task, decision) });
  }
  await removeWorker(tx, dead.workerId);
  orphanGroups(tx, dead.workerId);
  return recovered;
}

function toLost(task: TaskRow): Lost {
  const { idempotent, attempt, max_attempts: maxAttempts, open_questions: openQuestions, losses } = task;
  return { idempotent, attempt, maxAttempts, losses, openQuestions };
}

async function applyRecovery(tx: Transaction, task: TaskRow, decision: RecoveryDecision): Promise<Status> {
  if (decision.kind === 'ended') {
    const status = endTask(tx, task, { outcome: decision.outcome });
    await leaveQueue(tx, task);
    return status;
  }
  if (decision.to.isLoss) task.losses += 1;
  unlease(tx, task, decision.to);
  return decision.to.status;
}
