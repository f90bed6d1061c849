/** Rows of the database and the records they stand for. */
import type { Database } from '../../sqlite/database.ts';
import type { EventType, TaskEvent } from '../../task/event.ts';
import type { Json } from '../../task/json.ts';
import type { Outcome } from '../../task/outcome.ts';
import type { Answer, Question, QuestionRequest } from '../../task/question.ts';
import type { Delivery, Progress, Task, TraceContext } from '../../task/record.ts';
import type { StoreTime } from '../store-clock.ts';
import type { TaskRow } from './tasks/task-row.ts';

/** One transaction of the writer: its connection and its time. */
export interface Transaction extends StoreTime {
  readonly db: Database;
}

type Mutable<T> = { -readonly [K in keyof T]: T[K] };

export function toTask(db: Database, row: TaskRow): Task {
  const task: Mutable<Task> = {
    taskId: row.id,
    tool: row.tool,
    args: readArgs(db, row),
    principal: row.principal,
    identity: row.identity,
    status: row.status,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
    ttlMs: row.ttl_ms,
    attempt: row.attempt,
    fence: row.fence,
    idempotent: row.idempotent === 1,
    maxAttempts: row.max_attempts,
    runAt: row.run_at,
    questions: row.questions > 0 ? readQuestions(db, row.row) : [],
    deliver: row.deliver === null ? [] : (JSON.parse(row.deliver) as Delivery[]),
    lastSeq: row.last_seq,
  };
  addTexts(task, row);
  addTimes(task, row);
  if (row.losses > 0 && row.ended_at === null) task.losses = row.losses;
  return task;
}

export function readQuestions(db: Database, task: number): Question[] {
  return db
    .all<QuestionRow>(
      'SELECT key, request, asked_at, answer, answered_at FROM question WHERE task = ? ORDER BY row',
      task,
    )
    .map(toQuestion);
}

export interface EventRow {
  readonly seq: number;
  readonly at: number;
  readonly type: EventType;
  readonly body: string | null;
}

export function toEvent({ type, body, seq, at }: EventRow): TaskEvent {
  const rest = body === null ? undefined : (JSON.parse(body) as object);
  return Object.assign({ type }, rest, { seq, at }) as TaskEvent;
}

export function toJsonText(value: unknown): string | null {
  return value === undefined ? null : JSON.stringify(value);
}

/** The text of a list; nothing for an empty one. */
export function toListText(list: readonly unknown[]): string | null {
  return list.length === 0 ? null : JSON.stringify(list);
}

interface QuestionRow {
  readonly key: string;
  readonly request: string;
  readonly asked_at: number;
  readonly answer: string | null;
  readonly answered_at: number | null;
}

function toQuestion(row: QuestionRow): Question {
  const question: Question = {
    key: row.key,
    request: JSON.parse(row.request) as QuestionRequest,
    askedAt: row.asked_at,
  };
  if (row.answer === null || row.answered_at === null) return question;
  return { ...question, answer: JSON.parse(row.answer) as Answer, answeredAt: row.answered_at };
}

function readArgs(db: Database, row: TaskRow): Json {
  if (row.args !== null) return JSON.parse(row.args) as Json;
  if (row.tombstone_at !== null) return null;
  const long = db.get<{ args: string }>('SELECT args FROM long_args WHERE task = ?', row.row);
  return long === undefined ? null : (JSON.parse(long.args) as Json);
}

function addTexts(task: Mutable<Task>, row: TaskRow): void {
  if (row.alias !== null) task.alias = row.alias;
  if (row.status_message !== null) task.statusMessage = row.status_message;
  if (row.progress !== null) task.progress = JSON.parse(row.progress) as Progress;
  if (row.worker !== null) task.worker = row.worker;
  if (row.idempotency_key !== null) task.idempotencyKey = row.idempotency_key;
  if (row.outcome !== null) task.outcome = JSON.parse(row.outcome) as Outcome;
  if (row.trace !== null) task.trace = JSON.parse(row.trace) as TraceContext;
  if (row.labels !== null) task.labels = JSON.parse(row.labels) as Record<string, string>;
}

function addTimes(task: Mutable<Task>, row: TaskRow): void {
  if (row.poll_interval_ms > 0) task.pollIntervalMs = row.poll_interval_ms;
  if (row.estimate_ms !== null) task.estimateMs = row.estimate_ms;
  if (row.started_at !== null) task.startedAt = row.started_at;
  if (row.ended_at !== null) task.endedAt = row.ended_at;
  if (row.expires_at !== null) task.expiresAt = row.expires_at;
  if (row.start_by !== null) task.startBy = row.start_by;
}
