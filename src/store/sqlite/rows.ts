/** Rows of the database and the records they stand for. */
import type { Database } from '../../sqlite/database.ts';
import type { SqliteValue } from '../../sqlite/driver.ts';
import type { EventBody, EventType, TaskEvent } from '../../task/event.ts';
import type { Json } from '../../task/json.ts';
import type { Outcome } from '../../task/outcome.ts';
import type { Answer, Question, QuestionRequest } from '../../task/question.ts';
import type { Delivery, Progress, Task, TraceContext } from '../../task/record.ts';
import type { Status } from '../../task/status.ts';

/** One transaction of the writer: its connection and its time. */
export interface Transaction {
  readonly db: Database;
  readonly now: number;
}

/** What verbs on a stored task decide from; leaves out what can be long. */
export const WORK_COLUMNS = `row, id, tool, identity, status, status_message, progress, started_at, ttl_ms, attempt,
  fence, spend, idempotent, max_attempts, run_at, worker, deliver, last_seq, high_rate, questions, open_questions, steps`;

export interface WorkRow {
  readonly row: number;
  readonly id: string;
  readonly tool: string;
  readonly identity: string;
  readonly status: Status;
  readonly status_message: string | null;
  readonly progress: string | null;
  readonly started_at: number | null;
  readonly ttl_ms: number | null;
  readonly attempt: number;
  readonly fence: number;
  readonly spend: number;
  readonly idempotent: number;
  readonly max_attempts: number;
  readonly run_at: number;
  readonly worker: string | null;
  readonly deliver: string | null;
  readonly last_seq: number;
  readonly high_rate: number;
  readonly questions: number;
  readonly open_questions: number;
  readonly steps: number;
}

export const TASK_COLUMNS = `${WORK_COLUMNS}, alias, principal, estimate_ms, created_at, updated_at, ended_at, expires_at,
  poll_interval_ms, idempotency_key, trace, tombstone_at, args, outcome`;

export interface TaskRow extends WorkRow {
  readonly alias: string | null;
  readonly principal: string;
  readonly estimate_ms: number | null;
  readonly created_at: number;
  readonly updated_at: number;
  readonly ended_at: number | null;
  readonly expires_at: number | null;
  readonly poll_interval_ms: number;
  readonly idempotency_key: string | null;
  readonly trace: string | null;
  readonly tombstone_at: number | null;
  readonly args: string | null;
  readonly outcome: string | null;
}

/** Reads `WORK_COLUMNS`, in their order. */
export function toWorkRow(values: readonly SqliteValue[]): WorkRow {
  return {
    row: values[0] as WorkRow['row'],
    id: values[1] as WorkRow['id'],
    tool: values[2] as WorkRow['tool'],
    identity: values[3] as WorkRow['identity'],
    status: values[4] as WorkRow['status'],
    status_message: values[5] as WorkRow['status_message'],
    progress: values[6] as WorkRow['progress'],
    started_at: values[7] as WorkRow['started_at'],
    ttl_ms: values[8] as WorkRow['ttl_ms'],
    attempt: values[9] as WorkRow['attempt'],
    fence: values[10] as WorkRow['fence'],
    spend: values[11] as WorkRow['spend'],
    idempotent: values[12] as WorkRow['idempotent'],
    max_attempts: values[13] as WorkRow['max_attempts'],
    run_at: values[14] as WorkRow['run_at'],
    worker: values[15] as WorkRow['worker'],
    deliver: values[16] as WorkRow['deliver'],
    last_seq: values[17] as WorkRow['last_seq'],
    high_rate: values[18] as WorkRow['high_rate'],
    questions: values[19] as WorkRow['questions'],
    open_questions: values[20] as WorkRow['open_questions'],
    steps: values[21] as WorkRow['steps'],
  };
}

/** Reads `TASK_COLUMNS`, in their order. */
export function toTaskRow(values: readonly SqliteValue[]): TaskRow {
  return {
    row: values[0] as WorkRow['row'],
    id: values[1] as WorkRow['id'],
    tool: values[2] as WorkRow['tool'],
    identity: values[3] as WorkRow['identity'],
    status: values[4] as WorkRow['status'],
    status_message: values[5] as WorkRow['status_message'],
    progress: values[6] as WorkRow['progress'],
    started_at: values[7] as WorkRow['started_at'],
    ttl_ms: values[8] as WorkRow['ttl_ms'],
    attempt: values[9] as WorkRow['attempt'],
    fence: values[10] as WorkRow['fence'],
    spend: values[11] as WorkRow['spend'],
    idempotent: values[12] as WorkRow['idempotent'],
    max_attempts: values[13] as WorkRow['max_attempts'],
    run_at: values[14] as WorkRow['run_at'],
    worker: values[15] as WorkRow['worker'],
    deliver: values[16] as WorkRow['deliver'],
    last_seq: values[17] as WorkRow['last_seq'],
    high_rate: values[18] as WorkRow['high_rate'],
    questions: values[19] as WorkRow['questions'],
    open_questions: values[20] as WorkRow['open_questions'],
    steps: values[21] as WorkRow['steps'],
    alias: values[22] as TaskRow['alias'],
    principal: values[23] as TaskRow['principal'],
    estimate_ms: values[24] as TaskRow['estimate_ms'],
    created_at: values[25] as TaskRow['created_at'],
    updated_at: values[26] as TaskRow['updated_at'],
    ended_at: values[27] as TaskRow['ended_at'],
    expires_at: values[28] as TaskRow['expires_at'],
    poll_interval_ms: values[29] as TaskRow['poll_interval_ms'],
    idempotency_key: values[30] as TaskRow['idempotency_key'],
    trace: values[31] as TaskRow['trace'],
    tombstone_at: values[32] as TaskRow['tombstone_at'],
    args: values[33] as TaskRow['args'],
    outcome: values[34] as TaskRow['outcome'],
  };
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
    pollIntervalMs: row.poll_interval_ms,
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

export function toEvent(row: EventRow): TaskEvent {
  const body = row.body === null ? {} : (JSON.parse(row.body) as object);
  return { type: row.type, ...body, seq: row.seq, at: row.at } as TaskEvent;
}

export interface EventRow {
  readonly seq: number;
  readonly at: number;
  readonly type: EventType;
  readonly body: string | null;
}

/** What of an event is not in a column of its own. */
export function toBodyText({ type: _type, ...rest }: EventBody): string | null {
  const text = JSON.stringify(rest);
  return text === '{}' ? null : text;
}

export function toJsonText(value: unknown): string | null {
  return value === undefined ? null : JSON.stringify(value);
}

/** The text of a list; nothing for an empty one. */
export function toListText(list: readonly unknown[]): SqliteValue {
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
}

function addTimes(task: Mutable<Task>, row: TaskRow): void {
  if (row.estimate_ms !== null) task.estimateMs = row.estimate_ms;
  if (row.started_at !== null) task.startedAt = row.started_at;
  if (row.ended_at !== null) task.endedAt = row.ended_at;
  if (row.expires_at !== null) task.expiresAt = row.expires_at;
}
