/** The verbs of a running task: leases, writes, questions and answers. */
import type { Actor } from '../../../task/actor.ts';
import type { Answer, QuestionRequest } from '../../../task/question.ts';
import { isOpen } from '../../../task/question.ts';
import type { Task } from '../../../task/record.ts';
import type {
  AnswerResult,
  AttemptWrite,
  Claimed,
  ClaimRequest,
  Lease,
  Release,
} from '../../contracts/task-contract.ts';
import { decideAnswer, decideClaim, decideRelease, holdsLease, toProgress, toWriteEvents } from '../../decide.ts';
import { toTextBytes } from '../../stored-bytes.ts';
import { takeTurns } from '../../take-turns.ts';
import { type Changed, toFrozen } from '../frozen.ts';
import type { MemoryState } from '../memory-state.ts';
import { findContenders } from './contenders.ts';
import type { TaskRow } from './task-row.ts';

export function claim(state: MemoryState, request: ClaimRequest): Claimed[] {
  if (state.workers.get(request.worker)?.state !== 'ready') return [];
  if (request.max <= 0) return [];
  const { tasks } = state;
  const turns = takeTurns(findContenders(state, request), request);
  const claimed = turns.map(({ task }) => lease(state, task.entry, request.worker));
  for (const { task } of turns) tasks.usage.serve(task.entry.task);
  return claimed;
}

export function write(state: MemoryState, lease: Lease, change: AttemptWrite): boolean {
  const row = findHeld(state, lease);
  if (row === undefined) return false;
  const { now } = state;
  const kept = toFrozen(change);
  const { step } = kept;
  if (step) row.steps.set(step.name, step.value);
  const bytes = step ? toTextBytes(step.name, JSON.stringify(step.value)) : 0;
  state.tasks.change(row, toProgressChange(kept.events, now), { at: now, events: toWriteEvents(kept), bytes });
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
    { at: now, events: [{ type: 'asked', key, request }], bytes: toTextBytes(key, JSON.stringify(request)) },
  );
  return true;
}

export function answer(
  state: MemoryState,
  taskId: string,
  given: { readonly answers: Readonly<Record<string, Answer>>; readonly by: Actor | undefined },
): AnswerResult | undefined {
  const row = state.tasks.find({ taskId });
  if (row === undefined) return undefined;
  const { now } = state;
  const { accepted, status, runAt, events } = decideAnswer(row.task, toFrozen(given), now);
  if (accepted.length === 0) return { accepted: [], task: row.task };
  const taken = new Map(accepted.map((one) => [one.key, one.answer]));
  const questions = row.task.questions.map((question) => {
    const mine = taken.get(question.key);
    return mine ? Object.freeze({ ...question, answer: mine, answeredAt: now }) : question;
  });
  const bytes = toTextBytes(...accepted.map((one) => JSON.stringify(one.answer)));
  state.tasks.change(row, { status, runAt, questions: Object.freeze(questions) }, { at: now, events, bytes });
  return { accepted: [...taken.keys()], task: row.task };
}

export function release(state: MemoryState, lease: Lease, how: Release): boolean {
  if (how.how === 'leave-queue') return leaveQueue(state, lease);
  if (how.how === 'stopped') return noteStopped(state, lease, how.note);
  const row = findHeld(state, lease);
  if (row === undefined) return false;
  const { now } = state;
  const to = decideRelease(row.task.questions.filter(isOpen).length, how, now);
  if (to === undefined) return false;
  row.countsAsAttempt = to.countsAsAttempt;
  const change = { status: to.status, runAt: to.runAt, worker: undefined };
  state.tasks.change(row, change, { at: now, events: [to.event] });
  return true;
}

function leaveQueue({ tasks }: MemoryState, { taskId, fence, worker }: Lease): boolean {
  const row = tasks.find({ taskId });
  if (row?.leaving !== worker || row.task.fence !== fence) return false;
  tasks.leaveQueue(row);
  return true;
}

function noteStopped(state: MemoryState, { taskId, fence }: Lease, note: string): boolean {
  const row = state.tasks.find({ taskId });
  const outcome = row?.task.outcome;
  if (row?.task.fence !== fence || outcome?.kind !== 'cancelled' || outcome.stopped !== undefined) return false;
  const noted = Object.freeze({ ...outcome, stopped: note });
  state.tasks.change(row, { outcome: noted }, { at: state.now, events: [], bytes: toTextBytes(note) });
  return true;
}

/** The fields of the record that high-rate events change. */
export function toProgressChange(events: AttemptWrite['events'], now: number): Changed<Task> {
  const progress = toProgress(events, now);
  if (progress === undefined) return {};
  return progress.message === undefined ? { progress } : { progress, statusMessage: progress.message };
}

function lease(state: MemoryState, row: TaskRow, worker: string): Claimed {
  const { now } = state;
  const { attempt, fence, startedAt, event } = decideClaim(
    { ...row.task, countsAsAttempt: row.countsAsAttempt },
    worker,
    now,
  );
  const change = { status: 'working', worker, attempt, fence, startedAt, startBy: undefined } as const;
  state.tasks.change(row, change, { at: now, events: [event] });
  return { task: row.task, steps: Object.fromEntries(row.steps) };
}

export function findHeld(state: MemoryState, lease: Lease): TaskRow | undefined {
  const row = state.tasks.find({ taskId: lease.taskId });
  return row && holdsLease(row.task, lease) ? row : undefined;
}
