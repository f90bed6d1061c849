import type { Deadlines } from '../contracts/deadline-contract.ts';
import { isLate, toLateOutcome } from '../decide.ts';
import type { MemoryState } from './memory-state.ts';
import { end, leaveQueue } from './tasks/ending.ts';

export function createMemoryDeadlines(state: MemoryState): Deadlines {
  return {
    expire: async (limit) => {
      const { tasks, now } = state.open();
      const late = tasks.starting.takeWhile(limit, ({ task }) => isLate(task, now));
      for (const row of late) {
        const { startBy = 0, createdAt } = row.task;
        end(state, row, { outcome: toLateOutcome({ startBy, createdAt }) });
        leaveQueue(state, row);
      }
      return late.length;
    },
  };
}
