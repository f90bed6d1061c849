/** The verbs of a worker that holds a task, and the answers to its questions. */
import type { Actor } from '../../../task/actor.ts';
import type { Answer, QuestionRequest } from '../../../task/question.ts';
import type { AnswerResult, AttemptWrite, Lease, Release } from '../../contracts/task-contract.ts';
import { decideAnswer, decideRelease, toProgress, toWriteEvents, type Unleased } from '../../decide.ts';
import { toTextBytes } from '../../stored-bytes.ts';
import { readQuestions, type Transaction, toJsonText } from '../rows.ts';
import { appendEvents } from './append.ts';
import { findHeld, findWork, getTask, toHolding } from './read.ts';
import { findLeaving, leaveQueue } from './task-queue.ts';
import type { WorkRow } from './task-row.ts';

export const SAVE_STEP = `INSERT INTO step (task, name, value) VALUES (?, ?, ?)
  ON CONFLICT (task, name) DO UPDATE SET value = excluded.value`;
const WRITE = `UPDATE task SET progress = ?, status_message = ?, updated_at = ?, last_seq = ?, high_rate = ?, steps = ?,
  bytes = bytes + ? WHERE row = ?`;
const OPEN_QUESTION = `INSERT INTO question (task, key, request, asked_at) VALUES (?, ?, ?, ?)
  ON CONFLICT (task, key) DO NOTHING`;
const ASK = `UPDATE task SET status = 'input_required', questions = questions + 1, open_questions = open_questions + 1,
  updated_at = ?, last_seq = ?, bytes = bytes + ? WHERE row = ?`;
const SAVE_ANSWER = 'UPDATE question SET answer = ?, answered_at = ? WHERE task = ? AND key = ?';
const ANSWER = `UPDATE task SET status = ?, run_at = ?, open_questions = open_questions - ?, updated_at = ?, last_seq = ?,
  bytes = bytes + ? WHERE row = ?`;
const UNLEASE = `UPDATE task SET status = ?, run_at = ?, spend = ?, worker = NULL, updated_at = ?, last_seq = ?
  WHERE row = ?`;

const NOTE_STOPPED = `UPDATE task SET outcome = json_set(outcome, '$.stopped', ?), updated_at = ?, bytes = bytes + ?
  WHERE id = ? AND fence = ? AND status = 'cancelled' AND json_extract(outcome, '$.kind') = 'cancelled'
    AND json_extract(outcome, '$.stopped') IS NULL`;

export function writeAttempt(tx: Transaction, lease: Lease, change: AttemptWrite): boolean {
  const task = findHeld(tx.db, lease);
  if (task === undefined) return false;
  const { step } = change;
  const value = step ? JSON.stringify(step.value) : null;
  if (step) tx.db.run(SAVE_STEP, task.row, step.name, value);
  const { progress, message } = toProgressColumns(task, change.events, tx.now);
  const { lastSeq, highRate, bytes } = appendEvents(tx, task, toWriteEvents(change));
  // The exact number does not matter, only that it is not 0: there are steps to read.
  const steps = task.steps + (step ? 1 : 0);
  const grown = bytes + toTextBytes(step?.name, value);
  tx.db.run(WRITE, progress, message, tx.now, lastSeq, highRate, steps, grown, task.row);
  return true;
}

/** The columns that high-rate events change on the record. */
export function toProgressColumns(
  task: Pick<WorkRow, 'progress' | 'status_message'>,
  events: AttemptWrite['events'],
  now: number,
): { progress: string | null; message: string | null } {
  const progress = toProgress(events, now);
  return {
    progress: toJsonText(progress) ?? task.progress,
    message: progress?.message ?? task.status_message,
  };
}

export function askQuestion(
  tx: Transaction,
  lease: Lease,
  { key, request }: { readonly key: string; readonly request: QuestionRequest },
): boolean {
  const task = findHeld(tx.db, lease);
  if (task === undefined) return false;
  const text = JSON.stringify(request);
  const opened = tx.db.run(OPEN_QUESTION, task.row, key, text, tx.now);
  if (opened === 0) return true;
  const { lastSeq, bytes } = appendEvents(tx, task, [{ type: 'asked', key, request }]);
  tx.db.run(ASK, tx.now, lastSeq, bytes + toTextBytes(key, text), task.row);
  return true;
}

/** Answers, and who gave them. */
export interface GivenAnswers {
  readonly answers: Readonly<Record<string, Answer>>;
  readonly by: Actor | undefined;
}

export function answerQuestions(tx: Transaction, taskId: string, given: GivenAnswers): AnswerResult | undefined {
  const task = findWork(tx.db, taskId);
  if (task === undefined) return undefined;
  const accepted = task.open_questions > 0 ? accept(tx, task, given) : [];
  const after = getTask(tx.db, { taskId });
  return after && { accepted, task: after };
}

function accept(tx: Transaction, task: WorkRow, given: GivenAnswers): string[] {
  const waiting = { ...toHolding(task), runAt: task.run_at, questions: readQuestions(tx.db, task.row) };
  const { accepted, status, runAt, events } = decideAnswer(waiting, given, tx.now);
  if (accepted.length === 0) return [];
  let size = 0;
  for (const { key, answer } of accepted) {
    const text = JSON.stringify(answer);
    size += toTextBytes(text);
    tx.db.run(SAVE_ANSWER, text, tx.now, task.row, key);
  }
  const { lastSeq, bytes } = appendEvents(tx, task, events);
  tx.db.run(ANSWER, status, runAt, accepted.length, tx.now, lastSeq, bytes + size, task.row);
  return accepted.map(({ key }) => key);
}

export function releaseLease(tx: Transaction, lease: Lease, how: Release): boolean {
  if (how.how === 'leave-queue') return leaveEnded(tx, lease);
  if (how.how === 'stopped') return noteStopped(tx, lease, how.note);
  const task = findHeld(tx.db, lease);
  if (task === undefined) return false;
  const to = decideRelease(task.open_questions, how, tx.now);
  if (to === undefined) return false;
  unlease(tx, task, to);
  return true;
}

function leaveEnded({ db }: Transaction, lease: Lease): boolean {
  const task = findLeaving(db, lease);
  if (task) leaveQueue(db, task);
  return task !== undefined;
}

function noteStopped({ db, now }: Transaction, { taskId, fence }: Lease, note: string): boolean {
  return db.run(NOTE_STOPPED, note, now, toTextBytes(note), taskId, fence) > 0;
}

/** Removes the lease and puts the task into the state in which it waits next. */
export function unlease(tx: Transaction, task: WorkRow, to: Unleased): void {
  const { lastSeq } = appendEvents(tx, task, [to.event]);
  tx.db.run(UNLEASE, to.status, to.runAt, to.countsAsAttempt ? 1 : 0, tx.now, lastSeq, task.row);
}
