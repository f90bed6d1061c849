/** The verbs that end work: settling it, taking it from the dead, and forgetting it. */
import { LEARNED_RUNS } from '../../task/estimate.ts';
import type { SettledOutcome } from '../../task/outcome.ts';
import { isOpen } from '../../task/question.ts';
import { canSettle, decideEnd, decideRecovery, type RecoveryDecision } from '../decide.ts';
import type { DeadWorker, Recovered, Settlement, SweepRequest, Swept } from '../task-contract.ts';
import { toExpired } from '../tombstone.ts';
import { toProgressChange } from './attempt.ts';
import { toFrozen } from './frozen.ts';
import type { MemoryState } from './memory-state.ts';
import type { SortedList } from './sorted-list.ts';
import { type TaskRow, trimEvents } from './task-row.ts';

export function settle(
  state: MemoryState,
  target: { readonly taskId: string; readonly fence?: number },
  settlement: Settlement,
): boolean {
  const row = state.tasks.find({ taskId: target.taskId });
  if (row === undefined || !canSettle(row.task, settlement.outcome, target.fence)) return false;
  const { outcome, events, ranMs } = toFrozen(settlement);
  end(state, row, events === undefined ? { outcome } : { outcome, events });
  if (outcome.kind === 'result' && ranMs !== undefined) learn(state, row, ranMs);
  return true;
}

export function recover(state: MemoryState, dead: DeadWorker): Recovered[] | undefined {
  if (state.workers.get(dead.workerId)?.until !== dead.until) return undefined;
  const { now } = state;
  const decided = state.tasks.heldBy(dead.workerId).map((row) => {
    const openQuestions = row.task.questions.filter(isOpen).length;
    return { row, decision: decideRecovery({ ...row.task, openQuestions }, dead, now) };
  });
  for (const { row, decision } of decided) apply(state, row, decision);
  state.removeWorker(dead.workerId);
  return decided.map(({ row }) => ({ taskId: row.task.taskId, status: row.task.status }));
}

/** Forgets before it expires: a tombstone can be read until the next sweep at least. */
export function sweep(state: MemoryState, request: SweepRequest): Swept {
  const { tasks } = state;
  const { limit, tombstonesBefore } = request;
  const old = tasks.tombstones.takeWhile(limit, (row) => row.task.updatedAt <= tombstonesBefore);
  for (const row of old) tasks.forget(row);
  const expired = findExpired(state, request);
  for (const row of expired) bury(state, row);
  let trimmed = 0;
  for (const row of [...tasks.overfull].slice(0, limit)) {
    trimmed += trimEvents(row);
    tasks.overfull.delete(row);
  }
  return { expired: expired.length, forgotten: old.length, trimmed };
}

export function toToolName(identity: string, tool: string): string {
  return JSON.stringify([identity, tool]);
}

function apply(state: MemoryState, row: TaskRow, decision: RecoveryDecision): void {
  if (decision.kind === 'ended') {
    end(state, row, { outcome: decision.outcome });
    return;
  }
  const { status, runAt, spend, event } = decision.to;
  row.spend = spend;
  state.tasks.change(row, { status, runAt, worker: undefined }, { at: state.now, events: [event] });
}

function end(state: MemoryState, row: TaskRow, settlement: Pick<Settlement, 'outcome' | 'events'>): void {
  const { now } = state;
  const { event, ...ending } = decideEnd(row.task, settlement.outcome, now);
  const change = {
    ...toProgressChange(settlement.events, now),
    ...ending,
    outcome: settlement.outcome,
    worker: undefined,
    questions: Object.freeze(row.task.questions.filter((question) => !isOpen(question))),
  };
  state.tasks.change(row, change, { at: now, events: [...(settlement.events ?? []), event] });
  state.messages.addFor(row.task, now);
}

function learn(state: MemoryState, row: TaskRow, ranMs: number): void {
  const name = toToolName(row.task.identity, row.task.tool);
  state.durations.set(name, [...(state.durations.get(name) ?? []), ranMs].slice(-LEARNED_RUNS));
}

function findExpired(state: MemoryState, request: SweepRequest): TaskRow[] {
  const { expiring, ended } = state.tasks;
  const { expiresBefore, endedBefore = Number.NEGATIVE_INFINITY, limit } = request;
  const found = new Set<TaskRow>();
  const collect = (list: SortedList<TaskRow>, isDue: (row: TaskRow) => boolean) => {
    for (const row of list) {
      if (found.size >= limit || !isDue(row)) return;
      if (!state.messages.hasAny(row.task.taskId)) found.add(row);
    }
  };
  collect(expiring, ({ task }) => (task.expiresAt ?? Number.POSITIVE_INFINITY) <= expiresBefore);
  collect(ended, ({ task }) => (task.endedAt ?? Number.POSITIVE_INFINITY) <= endedBefore);
  return [...found];
}

function bury(state: MemoryState, row: TaskRow): void {
  row.steps.clear();
  state.holds.delete(row.task.taskId);
  row.events = [];
  row.highRate = 0;
  const change = {
    args: null,
    outcome: toFrozen(toExpired(row.task.outcome as SettledOutcome)),
    deliver: Object.freeze([]),
    questions: Object.freeze([]),
    progress: undefined,
    trace: undefined,
  };
  state.tasks.change(row, change, { at: state.now, events: [] });
}
