import type { Deadlines } from '../contracts/deadline-contract.ts';
import { toLateOutcome } from '../decide.ts';
import type { PostgresState } from './postgres-state.ts';
import { endTask } from './tasks/settle.ts';
import { leaveQueue } from './tasks/task-queue.ts';
import { WORK_COLUMNS } from './tasks/task-row.ts';
import type { Transaction } from './transaction.ts';

const EARLIEST = 'SELECT min(start_by) AS "startBy" FROM @task WHERE start_by IS NOT NULL';
// The condition of `isLate`. A task that is being claimed at this moment is locked, and is skipped.
const LATE = `SELECT ${WORK_COLUMNS} FROM @task AS task WHERE start_by IS NOT NULL AND start_by <= $1 ORDER BY start_by
  LIMIT $2 FOR UPDATE SKIP LOCKED`;

export function createDeadlines({ connection, transactor, time, reads }: PostgresState): Deadlines {
  return {
    async expire(limit) {
      // Read first, so that no transaction is begun for nothing.
      const [earliest] = await reads(() => connection.read<{ startBy: number | null }>(EARLIEST));
      const startBy = earliest?.startBy ?? null;
      if (startBy === null || startBy > time.read().now) return 0;
      return transactor.run('expire', (tx) => expireLate(tx, limit), { isAlone: true });
    },
  };
}

async function expireLate(tx: Transaction, limit: number): Promise<number> {
  const late = await tx.findAll(LATE, tx.now, limit);
  for (const task of late) {
    const outcome = toLateOutcome({ startBy: task.start_by ?? tx.now, createdAt: task.created_at });
    await leaveQueue(tx, task);
    endTask(tx, task, { outcome });
  }
  return late.length;
}
