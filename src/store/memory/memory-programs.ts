import {
  type Adopted,
  type Adoption,
  FORGOTTEN_AFTER_MS,
  type NewServing,
  type ProgramInfo,
  type Programs,
  type ServingInfo,
} from '../contracts/program-contract.ts';
import { toFrozen } from './frozen.ts';
import type { MemoryState } from './memory-state.ts';
import type { TaskRow } from './tasks/task-row.ts';

export interface ProgramRow {
  readonly identity: string;
  name: string;
  base: string;
  tools: readonly string[];
  seenAt: number;
  readonly servings: Map<string, ServingInfo>;
}

export function createMemoryPrograms(state: MemoryState): Programs {
  return {
    announce: async (serving) => announce(state.open(), toFrozen(serving)),
    leave: async (servingId) => {
      for (const { servings } of state.open().programs.values()) servings.delete(servingId);
    },
    servings: async () => [...state.open().programs.values()].flatMap(({ servings }) => [...servings.values()]),
    list: async (name) => list(state.open(), name),
    adopt: async (adoption) => adopt(state.open(), toFrozen(adoption)),
  };
}

function announce(state: MemoryState, serving: NewServing): void {
  const { programs, tasks, now } = state;
  const { servingId, identity, name, base, tools, process, formerly = [] } = serving;
  for (const old of formerly) {
    if (old === identity || programs.has(old) || !tasks.hasAny(old)) continue;
    programs.set(old, { identity: old, name, base, tools: [], seenAt: 0, servings: new Map() });
  }
  const known = programs.get(identity);
  const isNew = !known?.servings.has(servingId);
  const row = known ?? { identity, name, base, tools, seenAt: 0, servings: new Map() };
  if (isNew) {
    const latest = Math.max(-1, ...[...programs.values()].filter((one) => one.name === name).map((one) => one.seenAt));
    row.seenAt = Math.max(now, latest + 1);
    Object.assign(row, { name, base, tools });
  }
  row.servings.set(servingId, toFrozen({ servingId, tools, process, seenAt: now }));
  programs.set(identity, row);
  for (const one of [...programs.values()]) {
    const isUsed = one.servings.size > 0 || tasks.hasAny(one.identity);
    if (one.name === name && !isUsed && one.seenAt <= now - FORGOTTEN_AFTER_MS) programs.delete(one.identity);
  }
}

function list(state: MemoryState, name: string | undefined): ProgramInfo[] {
  return [...state.programs.values()]
    .filter((row) => name === undefined || row.name === name)
    .sort((a, b) => b.seenAt - a.seenAt)
    .map((row) => toFrozen({ ...row, servings: [...row.servings.values()], waiting: count(state, row.identity) }));
}

function count(state: MemoryState, identity: string): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { task } of state.tasks.waiting(identity)) counts[task.tool] = (counts[task.tool] ?? 0) + 1;
  return counts;
}

function adopt(state: MemoryState, adoption: Adoption): Adopted[] | undefined {
  const { from, to, by, limit } = adoption;
  if (isServed(state, adoption)) return undefined;
  const requested = state.tasks.waiting(from).filter((row) => isRequested(row, adoption));
  const isQueued = ({ task }: TaskRow) => task.status === 'queued';
  const rows = [...requested.filter(isQueued), ...requested.filter((row) => !isQueued(row))];
  const free = rows.filter(({ task }) => !state.tasks.hasNames({ ...task, identity: to }));
  const moved = from === to ? [] : free.slice(0, limit);
  // In the order of creation, which is then their order in the queues.
  for (const row of moved.toSorted((a, b) => a.row - b.row)) {
    state.tasks.move(row, to, { at: state.now, event: { type: 'adopted', from, to, by } });
  }
  return moved.map(({ task: { taskId, tool, principal } }) => ({ taskId, tool, principal }));
}

function isServed({ workers, programs }: MemoryState, { from, gone = {} }: Adoption): boolean {
  const isGone = (id: string, ids: readonly string[] = []) => ids.includes(id);
  const working = [...workers.values()].filter((one) => one.identity === from && one.state !== 'draining');
  if (working.some(({ workerId }) => !isGone(workerId, gone.workers))) return true;
  return [...(programs.get(from)?.servings.keys() ?? [])].some((id) => !isGone(id, gone.servings));
}

function isRequested({ task }: TaskRow, { taskIds, tools }: Adoption): boolean {
  return (taskIds?.includes(task.taskId) ?? true) && (tools?.includes(task.tool) ?? true);
}
