import type { Backlog, TaskStore } from '../../contracts/task-contract.ts';
import type { MemoryState } from '../memory-state.ts';
import { answer, ask, claim, findHeld, release, write } from './attempt.ts';
import { recover, settle, sweep, toLearnedName } from './ending.ts';
import { create, list } from './intake.ts';
import { readEvents } from './task-row.ts';

export function createMemoryTasks(state: MemoryState): TaskStore {
  return {
    create: async (task, options) => create(state.open(), task, options),
    get: async (ref) => state.open().tasks.find(ref)?.task,
    list: async (filter) => list(state.open(), filter),
    claim: async (request) => claim(state.open(), request),
    holds: async (lease) => findHeld(state.open(), lease) !== undefined,
    write: async (lease, change) => write(state.open(), lease, change),
    ask: async (lease, question) => ask(state.open(), lease, question),
    answer: async (taskId, answers, by) => answer(state.open(), taskId, { answers, by }),
    release: async (lease, how) => release(state.open(), lease, how),
    settle: async (target, settlement) => settle(state.open(), target, settlement),
    recover: async (dead) => recover(state.open(), dead),
    sweep: async (request) => sweep(state.open(), request),
    events: async (taskId, afterSeq, limit) => {
      const row = state.open().tasks.find({ taskId });
      return row ? readEvents(row, afterSeq, limit) : [];
    },
    steps: async (taskId) => Object.fromEntries(state.open().tasks.find({ taskId })?.steps ?? []),
    durations: async (identity, tool, principal) => [
      ...(state.open().durations.get(toLearnedName({ identity, tool, principal })) ?? []),
    ],
    backlog: async (identity) => toBacklog(state.open(), identity),
  };
}

function toBacklog(state: MemoryState, identity: string): Backlog {
  const firsts = state.tasks.queues(identity).flatMap(({ rows }) => rows.first ?? []);
  const counts = { queued: state.tasks.queued(identity), leased: state.tasks.leased(identity) };
  if (firsts.length === 0) return counts;
  return { ...counts, nextRunAt: Math.min(...firsts.map((row) => row.task.runAt)) };
}
