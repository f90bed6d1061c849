import type { Hold, HoldRelease, Holds, NewHold } from '../contracts/hold-contract.ts';
import type { MemoryState } from './memory-state.ts';
import type { TaskRow } from './tasks/task-row.ts';

/** A stored hold; `by` and `cancelAt` change. */
export interface HoldRow {
  key: string;
  readonly answeredKey: string | undefined;
  readonly graceMs: number;
  by: string | undefined;
  isHandedOver: boolean;
  cancelAt: number | undefined;
  joinUntil: number | undefined;
}

export function createMemoryHolds(state: MemoryState): Holds {
  return {
    attend: async (taskId, by) => attend(state.open().holds.get(taskId), by),
    release: async (taskId, by, how) => release(state.open(), { taskId, by, how }),
    remove: async (taskId) => void state.open().holds.delete(taskId),
    list: async (key) =>
      [...state.open().holds].flatMap(([taskId, row]) =>
        key === undefined || row.key === key || row.answeredKey === key ? (toHold(state, taskId, row) ?? []) : [],
      ),
  };
}

export function addHold(state: MemoryState, taskId: string, { key, answeredKey, by, graceMs }: NewHold): void {
  const waited = { by, isHandedOver: false, cancelAt: undefined, joinUntil: undefined };
  state.holds.set(taskId, { key, answeredKey, graceMs, ...waited });
}

/** Makes `by` the holder of the newest free held task of an identity with the same key. */
export function joinHold(
  state: MemoryState,
  identity: string,
  { key, answeredKey = key, by }: NewHold,
): TaskRow | undefined {
  const isFree = (row: HoldRow) => (row.key === key || row.key === answeredKey) && row.by === undefined;
  const free = [...state.holds].filter(([, row]) => isFree(row));
  for (const [taskId, hold] of free.reverse()) {
    const row = state.tasks.find({ taskId });
    if (
      !row ||
      row.task.identity !== identity ||
      row.task.status === 'cancelled' ||
      row.task.outcome?.kind === 'expired'
    )
      continue;
    const isOver = row.task.endedAt !== undefined && hold.cancelAt !== undefined && hold.cancelAt <= state.now;
    if (isOver) continue;
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
  if (how.how === 'answered') {
    row.key = row.answeredKey ?? row.key;
    row.joinUntil ??= state.now + how.joinMs;
    row.cancelAt = row.joinUntil;
    return true;
  }
  if (how.how === 'hand-over') row.isHandedOver = true;
  row.cancelAt = how.how === 'hand-over' || row.isHandedOver ? undefined : state.now + how.graceMs;
  return true;
}

function toHold(state: MemoryState, taskId: string, { by, graceMs, cancelAt }: HoldRow): Hold | undefined {
  if (by === undefined && cancelAt === undefined) return undefined;
  const endedAt = state.tasks.find({ taskId })?.task.endedAt;
  return {
    taskId,
    graceMs,
    ...(by !== undefined && { by }),
    ...(cancelAt !== undefined && { cancelAt }),
    ...(endedAt !== undefined && { endedAt }),
  };
}
