import type { Deadlines } from '../contracts/deadline-contract.ts';
import { toLateOutcome } from '../decide.ts';
import type { Transaction } from './rows.ts';
import { endTask } from './tasks/settle.ts';
import { leaveQueue } from './tasks/task-queue.ts';
import { toWorkRow, WORK_COLUMNS } from './tasks/task-row.ts';
import { type SqliteState, transact } from './transact.ts';

const EARLIEST = 'SELECT min(start_by) AS startBy FROM task WHERE start_by IS NOT NULL';
// The condition of `isLate`.
const LATE = `SELECT ${WORK_COLUMNS}, start_by, created_at FROM task
  WHERE start_by <= ? ORDER BY start_by LIMIT ? + 0`;
const START_BY = WORK_COLUMNS.split(',').length;

export function createDeadlines(state: SqliteState): Deadlines {
  const { db, time } = state;
  return {
    async expire(limit) {
      // Read first, so that the write lock is not taken for nothing.
      const { startBy } = db.get<{ startBy: number | null }>(EARLIEST) ?? { startBy: null };
      if (startBy === null || startBy > time.read().now) return 0;
      return transact(state, 'expire', (tx) => expireLate(tx, limit));
    },
  };
}

function expireLate(tx: Transaction, limit: number): number {
  const late = tx.db.arrays(LATE, tx.now, limit);
  for (const values of late) {
    const [startBy, createdAt] = [values[START_BY] as number, values[START_BY + 1] as number];
    const task = toWorkRow(values);
    leaveQueue(tx.db, task);
    endTask(tx, task, { outcome: toLateOutcome({ startBy, createdAt }) });
  }
  return late.length;
}
