/** The verbs of a worker that holds a task, and the answers to its questions. */
import type { Actor } from '../../../task/actor.ts';
import type { Outcome } from '../../../task/outcome.ts';
import type { Answer, Question, QuestionRequest } from '../../../task/question.ts';
import type { AnswerResult, AttemptWrite, Lease, Release } from '../../contracts/task-contract.ts';
import { decideAnswer, decideRelease, holdsLease, toProgress, toWriteEvents, type Unleased } from '../../decide.ts';
import { toTextBytes } from '../../stored-bytes.ts';
import type { Transaction } from '../transaction.ts';
import { getTask } from './create.ts';
import { SAVE_STEP } from './draft.ts';
import { leaveQueue } from './task-queue.ts';
import { type TaskRow, toHolding } from './task-row.ts';

const OPEN_QUESTION = `INSERT INTO @question (task, key, request, asked_at) VALUES ($1, $2, $3, $4)
  ON CONFLICT (task, key) DO NOTHING`;
const SAVE_ANSWER = 'UPDATE @question SET answer = $1, answered_at = $2 WHERE task = $3 AND key = $4';
const OUTCOME = 'SELECT outcome FROM @task WHERE row = $1';
const OPEN = `SELECT key, request, asked_at AS "askedAt" FROM @question WHERE task = $1 AND answer IS NULL ORDER BY row`;

/** The task of a lease; `undefined` when the lease is lost. */
export async function findHeld(tx: Transaction, lease: Lease): Promise<TaskRow | undefined> {
  const row = await tx.find(lease.taskId);
  return row && holdsLease(toHolding(row), lease) ? row : undefined;
}

export async function writeAttempt(tx: Transaction, lease: Lease, change: AttemptWrite): Promise<boolean> {
  const task = await findHeld(tx, lease);
  if (task === undefined) return false;
  const { step } = change;
  noteProgress(task, change.events, tx.now);
  task.updated_at = tx.now;
  if (step) {
    const value = JSON.stringify(step.value);
    tx.enqueue(SAVE_STEP, task.row, step.name, value);
    // The exact number does not matter, only that it is not 0: there are steps to read.
    task.steps += 1;
    task.bytes += toTextBytes(step.name, value);
  }
  tx.change(task, toWriteEvents(change));
  return true;
}

/** Sets the fields of the record that high-rate events change. */
export function noteProgress(task: TaskRow, events: AttemptWrite['events'], now: number): void {
  const progress = toProgress(events, now);
  if (progress === undefined) return;
  task.progress = JSON.stringify(progress);
  task.status_message = progress.message ?? task.status_message;
}

export async function askQuestion(
  tx: Transaction,
  lease: Lease,
  { key, request }: { readonly key: string; readonly request: QuestionRequest },
): Promise<boolean> {
  const task = await findHeld(tx, lease);
  if (task === undefined) return false;
  const text = JSON.stringify(request);
  if ((await tx.run(OPEN_QUESTION, task.row, key, text, tx.now)) === 0) return true;
  task.status = 'input_required';
  task.questions += 1;
  task.open_questions += 1;
  task.updated_at = tx.now;
  task.bytes += toTextBytes(key, text);
  tx.change(task, [{ type: 'asked', key, request }]);
  return true;
}

/** Answers, and who gave them. */
export interface GivenAnswers {
  readonly answers: Readonly<Record<string, Answer>>;
  readonly by: Actor | undefined;
}

export async function answerQuestions(
  tx: Transaction,
  taskId: string,
  given: GivenAnswers,
): Promise<AnswerResult | undefined> {
  const task = await tx.find(taskId);
  if (task === undefined) return undefined;
  const accepted = task.open_questions > 0 ? await accept(tx, task, given) : [];
  const after = await getTask(tx, taskId);
  return after && { accepted, task: after };
}

async function accept(tx: Transaction, task: TaskRow, given: GivenAnswers): Promise<string[]> {
  const open = await tx.rows<{ key: string; request: string; askedAt: number }>(OPEN, task.row);
  const questions: Question[] = open.map((one) => ({ ...one, request: JSON.parse(one.request) as QuestionRequest }));
  const waiting = { ...toHolding(task), runAt: task.run_at, questions };
  const { accepted, status, runAt, events } = decideAnswer(waiting, given, tx.now);
  if (accepted.length === 0) return [];
  for (const { key, answer } of accepted) {
    const text = JSON.stringify(answer);
    task.bytes += toTextBytes(text);
    tx.enqueue(SAVE_ANSWER, text, tx.now, task.row, key);
  }
  Object.assign(task, { status, run_at: runAt, updated_at: tx.now });
  task.open_questions -= accepted.length;
  tx.change(task, events);
  return accepted.map(({ key }) => key);
}

export async function releaseLease(tx: Transaction, lease: Lease, how: Release): Promise<boolean> {
  if (how.how === 'leave-queue') return leaveEnded(tx, lease);
  if (how.how === 'stopped') return noteStopped(tx, lease, how.note);
  const task = await findHeld(tx, lease);
  const to = task && decideRelease(task.open_questions, how, tx.now);
  if (task === undefined || to === undefined) return false;
  unlease(tx, task, to);
  return true;
}

async function leaveEnded(tx: Transaction, { taskId, fence, worker }: Lease): Promise<boolean> {
  const task = await tx.find(taskId);
  if (task === undefined || task.fence !== fence || task.leaving !== worker) return false;
  await leaveQueue(tx, task);
  return true;
}

/** Records how the work of a cancelled task was stopped. A tombstone has no such outcome any more. */
async function noteStopped(tx: Transaction, { taskId, fence }: Lease, note: string): Promise<boolean> {
  const task = await tx.find(taskId);
  if (task?.status !== 'cancelled' || task.fence !== fence) return false;
  const text = (await tx.row<{ outcome: string | null }>(OUTCOME, task.row))?.outcome ?? null;
  const outcome = text === null ? undefined : (JSON.parse(text) as Outcome);
  if (outcome?.kind !== 'cancelled' || outcome.stopped !== undefined) return false;
  task.updated_at = tx.now;
  task.outcome = JSON.stringify({ ...outcome, stopped: note });
  task.bytes += toTextBytes(task.outcome) - toTextBytes(text);
  tx.change(task);
  return true;
}

/** Removes the lease and puts the task into the state in which it waits next. */
export function unlease(tx: Transaction, task: TaskRow, to: Unleased): void {
  const { status, runAt, countsAsAttempt } = to;
  Object.assign(task, { status, run_at: runAt, spend: countsAsAttempt, worker: null, updated_at: tx.now });
  // The size of a task already includes the events of its claims and their ends.
  tx.change(task, [to.event], { isCounted: false });
}
