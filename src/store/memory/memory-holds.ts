import type { Hold, HoldRelease, Holds, NewHold } from '../hold-contract.ts';
import type { MemoryState } from './memory-state.ts';
import type { TaskRow } from './task-row.ts';

/** A hold as it is kept; `by` and `cancelAt` come and go. */
export interface HoldRow {
  readonly key: string;
  readonly graceMs: number;
  by: string | undefined;
  isHandedOver: boolean;
  cancelAt: number | undefined;
}

export function createMemoryHolds(state: MemoryState): Holds {
  return {
    attend: async (taskId, by) => attend(state.open().holds.get(taskId), by),
    release: async (taskId, by, how) => release(state.open(), { taskId, by, how }),
    remove: async (taskId) => void state.open().holds.delete(taskId),
    list: async (key) =>
      [...state.open().holds].flatMap(([taskId, row]) =>
        key === undefined || row.key === key ? (toHold(taskId, row) ?? []) : [],
      ),
  };
}

export function addHold(state: MemoryState, taskId: string, { key, by, graceMs }: NewHold): void {
  state.holds.set(taskId, { key, graceMs, by, isHandedOver: false, cancelAt: undefined });
}

/** Takes up the newest held task that asks for the same and that nobody waits for. */
export function joinHold(state: MemoryState, { key, by }: NewHold): TaskRow | undefined {
  const free = [...state.holds].filter(([, row]) => row.key === key && row.by === undefined);
  for (const [taskId, hold] of free.reverse()) {
    const row = state.tasks.find({ taskId });
    if (!row || row.task.status === 'cancelled' || row.task.outcome?.kind === 'expired') continue;
    attend(hold, by);
    return row;
  }
  return undefined;
}

function attend(row: HoldRow | undefined, by: string): boolean {
  if (!row || (row.by !== undefined && row.by !== by)) return false;
  row.by = by;
  row.cancelAt = undefined;
  return true;
}

function release(
  state: MemoryState,
  { taskId, by, how }: { readonly taskId: string; readonly by: string; readonly how: HoldRelease },
): boolean {
  const row = state.holds.get(taskId);
  if (row?.by !== by) return false;
  row.by = undefined;
  if (how.how === 'hand-over') row.isHandedOver = true;
  row.cancelAt = how.how === 'hand-over' || row.isHandedOver ? undefined : state.now + how.graceMs;
  return true;
}

function toHold(taskId: string, { by, graceMs, cancelAt }: HoldRow): Hold | undefined {
  if (by === undefined && cancelAt === undefined) return undefined;
  return { taskId, graceMs, ...(by !== undefined && { by }), ...(cancelAt !== undefined && { cancelAt }) };
}
