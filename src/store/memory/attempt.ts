/** The verbs of a task that is being worked on: leases, writes, questions and answers. */
import type { Answer, QuestionRequest } from '../../task/question.ts';
import { isOpen } from '../../task/question.ts';
import type { Task } from '../../task/record.ts';
import { decideAnswer, decideClaim, decideRelease, holdsLease, toProgress, toWriteEvents } from '../decide.ts';
import type { AnswerResult, AttemptWrite, Claimed, ClaimRequest, Lease, Release } from '../task-contract.ts';
import { type Changed, toFrozen } from './frozen.ts';
import type { MemoryState } from './memory-state.ts';
import type { TaskRow } from './task-row.ts';

export function claim(state: MemoryState, request: ClaimRequest): Claimed[] {
  if (state.workers.get(request.worker)?.state !== 'ready') return [];
  const { now, tasks } = state;
  const runnable = Object.entries(request.free).flatMap(([tool, slots]) => {
    const max = Math.min(slots, request.max);
    return tasks.queue(request.identity, tool)?.takeWhile(max, (row) => row.task.runAt <= now) ?? [];
  });
  runnable.sort((a, b) => a.task.runAt - b.task.runAt || a.row - b.row);
  return runnable.slice(0, Math.max(0, request.max)).map((row) => lease(state, row, request.worker));
}

export function write(state: MemoryState, lease: Lease, change: AttemptWrite): boolean {
  const row = findHeld(state, lease);
  if (row === undefined) return false;
  const { now } = state;
  const kept = toFrozen(change);
  if (kept.step) row.steps.set(kept.step.name, kept.step.value);
  state.tasks.change(row, toProgressChange(kept.events, now), { at: now, events: toWriteEvents(kept) });
  return true;
}

export function ask(
  state: MemoryState,
  lease: Lease,
  question: { readonly key: string; readonly request: QuestionRequest },
): boolean {
  const row = findHeld(state, lease);
  if (row === undefined) return false;
  if (row.task.questions.some(({ key }) => key === question.key)) return true;
  const { now } = state;
  const { key, request } = toFrozen(question);
  const questions = Object.freeze([...row.task.questions, Object.freeze({ key, request, askedAt: now })]);
  state.tasks.change(
    row,
    { status: 'input_required', questions },
    { at: now, events: [{ type: 'asked', key, request }] },
  );
  return true;
}

export function answer(
  state: MemoryState,
  taskId: string,
  answers: Readonly<Record<string, Answer>>,
): AnswerResult | undefined {
  const row = state.tasks.find({ taskId });
  if (row === undefined) return undefined;
  const { now } = state;
  const { accepted, status, runAt, events } = decideAnswer(row.task, toFrozen(answers), now);
  if (accepted.length === 0) return { accepted: [], task: row.task };
  const given = new Map(accepted.map((one) => [one.key, one.answer]));
  const questions = row.task.questions.map((question) => {
    const mine = given.get(question.key);
    return mine ? Object.freeze({ ...question, answer: mine, answeredAt: now }) : question;
  });
  state.tasks.change(row, { status, runAt, questions: Object.freeze(questions) }, { at: now, events });
  return { accepted: [...given.keys()], task: row.task };
}

export function release(state: MemoryState, lease: Lease, how: Release): boolean {
  const row = findHeld(state, lease);
  if (row === undefined) return false;
  const { now } = state;
  const to = decideRelease(row.task.questions.filter(isOpen).length, how, now);
  if (to === undefined) return false;
  row.spend = to.spend;
  const change = { status: to.status, runAt: to.runAt, worker: undefined };
  state.tasks.change(row, change, { at: now, events: [to.event] });
  return true;
}

/** What high-rate events leave on the record. */
export function toProgressChange(events: AttemptWrite['events'], now: number): Changed<Task> {
  const progress = toProgress(events, now);
  if (progress === undefined) return {};
  return progress.message === undefined ? { progress } : { progress, statusMessage: progress.message };
}

function lease(state: MemoryState, row: TaskRow, worker: string): Claimed {
  const { now } = state;
  const { attempt, fence, startedAt, event } = decideClaim({ ...row.task, spend: row.spend }, worker, now);
  const change = { status: 'working', worker, attempt, fence, startedAt } as const;
  state.tasks.change(row, change, { at: now, events: [event] });
  return { task: row.task, steps: Object.fromEntries(row.steps) };
}

function findHeld(state: MemoryState, lease: Lease): TaskRow | undefined {
  const row = state.tasks.find({ taskId: lease.taskId });
  return row && holdsLease(row.task, lease) ? row : undefined;
}
