/** The verbs that end work: settle, recover and sweep. */
import type { Actor } from '../../../task/actor.ts';
import { LEARNED_RUNS } from '../../../task/estimate.ts';
import type { SettledOutcome } from '../../../task/outcome.ts';
import { isOpen } from '../../../task/question.ts';
import type { Task } from '../../../task/record.ts';
import type {
  DeadWorker,
  Recovered,
  Settlement,
  SettleTarget,
  SweepRequest,
  Swept,
} from '../../contracts/task-contract.ts';
import { ORPHAN_KEEP_MS } from '../../contracts/worker-contract.ts';
import {
  canSettle,
  countAtWork,
  decideEnd,
  decideRecovery,
  isAtWorkStill,
  type Lost,
  type RecoveryDecision,
} from '../../decide.ts';
import { toTextBytes } from '../../stored-bytes.ts';
import { toSure } from '../../sweep-limits.ts';
import { toExpired } from '../../tombstone.ts';
import { toFrozen } from '../frozen.ts';
import type { MemoryState } from '../memory-state.ts';
import type { SortedList } from '../sorted-list.ts';
import { toProgressChange } from './attempt.ts';
import { type TaskRow, toTombstoneBytes } from './task-row.ts';

export function settle(state: MemoryState, target: SettleTarget, settlement: Settlement): boolean {
  const row = state.tasks.find({ taskId: target.taskId });
  if (row === undefined || !canSettle(row.task, settlement.outcome, target)) return false;
  const kept = toFrozen(settlement);
  const { outcome, ranMs } = kept;
  const { worker = '' } = row.task;
  const isAtWork = isAtWorkStill(row.task, settlement, target.fence);
  end(state, row, kept);
  if (row.task.queue !== undefined && isAtWork) state.tasks.serialQueues.stay(row, worker);
  else leaveQueue(state, row);
  if (outcome.kind === 'result' && ranMs !== undefined) learn(state, row, ranMs);
  return true;
}

export function recover(state: MemoryState, dead: DeadWorker): Recovered[] | undefined {
  if (state.workers.get(dead.workerId)?.until !== dead.until) return undefined;
  const { now } = state;
  const held = state.tasks.heldBy(dead.workerId).map((row) => ({ row, lost: toLost(row.task) }));
  const atWork = countAtWork(held.map(({ lost }) => lost));
  const decided = held.map(({ row, lost }) => ({ row, decision: decideRecovery(lost, { ...dead, atWork }, now) }));
  for (const { row, decision } of decided) apply(state, row, decision);
  state.removeWorker(dead.workerId);
  state.groups.orphan(dead.workerId, now);
  return decided.map(({ row }) => ({ taskId: row.task.taskId, status: row.task.status }));
}

/** Deletes old tombstones before it makes new ones, so that a tombstone stays readable at least until the next sweep. */
export function sweep(state: MemoryState, request: SweepRequest): Swept {
  const { tasks } = state;
  const { limit, tombstonesBefore } = request;
  const { tombstonesUpTo, movedAt } = toSure(request, state.time());
  const isSure = ({ task: { updatedAt } }: TaskRow) => updatedAt <= tombstonesUpTo || updatedAt >= movedAt;
  const old = tasks.tombstones
    .takeWhile(Infinity, (row) => row.task.updatedAt <= tombstonesBefore)
    .filter(isSure)
    .slice(0, limit);
  for (const row of old) tasks.forget(row);
  state.groups.forgetOrphans(state.time().certain - ORPHAN_KEEP_MS);
  const expired = findExpired(state, request);
  for (const row of expired) writeTombstone(state, row, request.by);
  let trimmed = 0;
  for (const row of [...tasks.overfull].slice(0, limit)) {
    trimmed += tasks.trim(row);
  }
  return { expired: expired.length, forgotten: old.length, trimmed };
}

export function toLearnedName({ identity, tool, principal }: Pick<Task, 'identity' | 'tool' | 'principal'>): string {
  return JSON.stringify([identity, tool, principal]);
}

function toLost(task: Task): Lost {
  return { ...task, losses: task.losses ?? 0, openQuestions: task.questions.filter(isOpen).length };
}

function apply(state: MemoryState, row: TaskRow, decision: RecoveryDecision): void {
  if (decision.kind === 'ended') {
    end(state, row, { outcome: decision.outcome });
    leaveQueue(state, row);
    return;
  }
  const { status, runAt, countsAsAttempt, isLoss, event } = decision.to;
  row.countsAsAttempt = countsAsAttempt;
  const losses = isLoss ? { losses: (row.task.losses ?? 0) + 1 } : {};
  state.tasks.change(row, { status, runAt, worker: undefined, ...losses }, { at: state.now, events: [event] });
}

/** Removes an ended task from its queue, because its work is not running any more. */
export function leaveQueue(state: MemoryState, row: TaskRow): void {
  if (row.task.queue !== undefined) state.tasks.leaveQueue(row);
}

/** Ends a task without changing its queue. */
export function end(state: MemoryState, row: TaskRow, settlement: Omit<Settlement, 'ranMs'>): void {
  const { now } = state;
  const { event, ...ending } = decideEnd(row.task, settlement, now);
  const change = {
    ...toProgressChange(settlement.events, now),
    ...ending,
    outcome: settlement.outcome,
    worker: undefined,
    losses: undefined,
    startBy: undefined,
    questions: Object.freeze(row.task.questions.filter((question) => !isOpen(question))),
  };
  const bytes = toTextBytes(JSON.stringify(settlement.outcome));
  state.tasks.change(row, change, { at: now, events: [...(settlement.events ?? []), event], bytes });
  state.messages.addFor(row.task, now);
}

function learn(state: MemoryState, row: TaskRow, ranMs: number): void {
  const name = toLearnedName(row.task);
  state.durations.set(name, [...(state.durations.get(name) ?? []), ranMs].slice(-LEARNED_RUNS));
}

function findExpired(state: MemoryState, request: SweepRequest): TaskRow[] {
  const { expiring, ended } = state.tasks;
  const { expiresBefore, endedBefore = Number.NEGATIVE_INFINITY, limit } = request;
  const { expiresUpTo, movedAt } = toSure(request, state.time());
  const isSure = ({ expiresAt = 0, endedAt = 0 }: Task) => expiresAt <= expiresUpTo || endedAt >= movedAt;
  const found = new Set<TaskRow>();
  const collect = (list: SortedList<TaskRow>, isDue: (row: TaskRow) => boolean, passes = (_task: Task) => true) => {
    for (const row of list) {
      if (found.size >= limit || !isDue(row)) return;
      if (passes(row.task) && !state.messages.hasAny(row.task.taskId)) found.add(row);
    }
  };
  collect(expiring, ({ task }) => (task.expiresAt ?? Number.POSITIVE_INFINITY) <= expiresBefore, isSure);
  collect(ended, ({ task }) => (task.endedAt ?? Number.POSITIVE_INFINITY) <= endedBefore);
  return [...found];
}

function writeTombstone(state: MemoryState, row: TaskRow, by: Actor | undefined): void {
  row.steps.clear();
  row.artifacts.clear();
  state.holds.delete(row.task.taskId);
  row.events = [];
  row.highRate = 0;
  const change = {
    args: null,
    outcome: toFrozen(toExpired(row.task.outcome as SettledOutcome, by)),
    deliver: Object.freeze([]),
    questions: Object.freeze([]),
    progress: undefined,
    trace: undefined,
  };
  const bytes = toTombstoneBytes(row.task, change.outcome) - row.bytes;
  state.tasks.change(row, change, { at: state.now, events: [], bytes });
}
