/** Rows of tasks, as a transaction reads and changes them. */
import type { Json } from '../../../task/json.ts';
import type { Outcome } from '../../../task/outcome.ts';
import type { Answer, Question, QuestionRequest } from '../../../task/question.ts';
import type { Delivery, Progress, Task, TraceContext } from '../../../task/record.ts';
import type { Status } from '../../../task/status.ts';

/** Columns that never change once a task is written, with their types. */
const FIXED = {
  row: 'bigint',
  id: 'text',
  alias: 'text',
  tool: 'text',
  principal: 'text',
  estimate_ms: 'double precision',
  created_at: 'bigint',
  ttl_ms: 'bigint',
  poll_interval_ms: 'double precision',
  idempotent: 'boolean',
  max_attempts: 'integer',
  idempotency_key: 'text',
  fingerprint: 'text',
  deliver: 'text',
  trace: 'text',
  labels: 'text',
  args: 'text',
} as const;

/** Columns that verbs change. */
const LIVE = {
  identity: 'text',
  status: 'text',
  status_message: 'text',
  progress: 'text',
  updated_at: 'bigint',
  started_at: 'bigint',
  attempt: 'integer',
  fence: 'integer',
  spend: 'boolean',
  run_at: 'bigint',
  start_by: 'bigint',
  worker: 'text',
  last_seq: 'integer',
  high_rate: 'integer',
  questions: 'integer',
  open_questions: 'integer',
  steps: 'integer',
  losses: 'integer',
  queue: 'text',
  behind: 'boolean',
  leaving: 'text',
  bytes: 'bigint',
} as const;

/** Columns that only the end of a task changes. */
const ENDED = { ended_at: 'bigint', expires_at: 'bigint', outcome: 'text' } as const;

/** A task row: as read from the database, then as changed by the transaction. */
export interface TaskRow {
  readonly row: number;
  readonly id: string;
  readonly alias: string | null;
  readonly tool: string;
  readonly principal: string;
  readonly estimate_ms: number | null;
  readonly created_at: number;
  readonly ttl_ms: number | null;
  readonly poll_interval_ms: number | null;
  readonly idempotent: boolean;
  readonly max_attempts: number;
  readonly idempotency_key: string | null;
  readonly fingerprint: string | null;
  readonly deliver: string | null;
  readonly trace: string | null;
  readonly labels: string | null;
  /** Missing where no caller needs it. */
  readonly args?: string | null;
  identity: string;
  status: Status;
  status_message: string | null;
  progress: string | null;
  updated_at: number;
  started_at: number | null;
  attempt: number;
  fence: number;
  /** Whether the next claim counts as an attempt. */
  spend: boolean;
  run_at: number;
  start_by: number | null;
  worker: string | null;
  last_seq: number;
  high_rate: number;
  questions: number;
  open_questions: number;
  steps: number;
  losses: number;
  queue: string | null;
  /** Whether an earlier task is in the same queue. */
  behind: boolean;
  /** The worker that is still running a task that has ended. */
  leaving: string | null;
  bytes: number;
  ended_at: number | null;
  expires_at: number | null;
  outcome?: string | null;
}

/** A task row plus what only a whole record needs. */
export interface RecordRow extends TaskRow {
  /** The questions as a list of lists, from JSON; `null` when there are none. */
  readonly asked: readonly QuestionColumns[] | null;
}

type QuestionColumns = readonly [string, string, number, string | null, number | null];

const ALL = { ...FIXED, ...LIVE, ...ENDED };
const LONG = new Set(['args', 'outcome']);

/** The columns from which verbs on a stored task decide, without those that can be long. */
export const WORK_COLUMNS = Object.keys(ALL)
  .filter((name) => !LONG.has(name))
  .map((name) => `task.${name}`)
  .join(', ');

const ASKED = `CASE WHEN task.questions > 0 THEN (SELECT json_agg(json_build_array(key, request, asked_at, answer, answered_at)
  ORDER BY question.row) FROM @question AS question WHERE question.task = task.row) END AS asked`;

/** All columns of a record, including its questions, read in one statement. */
export const RECORD_COLUMNS = `${Object.keys(ALL)
  .map((name) => `task.${name}`)
  .join(', ')}, ${ASKED}`;

/** Writes many rows with one array per column: the statement is the same for any number of rows. */
export interface Bulk {
  readonly text: string;
  toValues(rows: readonly TaskRow[]): unknown[];
}

export const INSERT_TASKS = toBulk(
  Object.entries(ALL),
  (names, lists) => `INSERT INTO @task (${names.join(', ')}) SELECT * FROM unnest(${lists})`,
);
export const UPDATE_LIVE = toUpdate(LIVE);
export const UPDATE_ENDED = toUpdate({ ...LIVE, ...ENDED });

function toUpdate(columns: Readonly<Record<string, string>>): Bulk {
  return toBulk([['row', 'bigint'], ...Object.entries(columns)], (names, lists) => {
    const sets = names.slice(1).map((name) => `${name} = new.${name}`);
    return `UPDATE @task AS task SET ${sets.join(', ')} FROM unnest(${lists}) AS new(${names.join(', ')})
      WHERE task.row = new.row`;
  });
}

function toBulk(columns: readonly [string, string][], toText: (names: string[], lists: string) => string): Bulk {
  const names = columns.map(([name]) => name);
  const lists = columns.map(([, type], place) => `$${place + 1}::${type}[]`).join(', ');
  return {
    text: toText(names, lists),
    toValues: (rows) => names.map((name) => rows.map((row) => row[name as keyof TaskRow] ?? null)),
  };
}

/** The record made from a row. */
export function toTask(row: RecordRow): Task {
  const task: Record<string, unknown> = {
    ...{ taskId: row.id, tool: row.tool, args: parse<Json>(row.args) ?? null, principal: row.principal },
    ...{ identity: row.identity, status: row.status, createdAt: row.created_at, updatedAt: row.updated_at },
    ...{ ttlMs: row.ttl_ms, attempt: row.attempt, fence: row.fence, idempotent: row.idempotent },
    ...{ maxAttempts: row.max_attempts, runAt: row.run_at, lastSeq: row.last_seq },
    questions: (row.asked ?? []).map(toQuestion),
    deliver: parse<Delivery[]>(row.deliver) ?? [],
  };
  const optional: Record<string, unknown> = {
    ...{ alias: row.alias, statusMessage: row.status_message, progress: parse<Progress>(row.progress) },
    ...{ estimateMs: row.estimate_ms, startedAt: row.started_at, endedAt: row.ended_at, expiresAt: row.expires_at },
    ...{ pollIntervalMs: row.poll_interval_ms, startBy: row.start_by, worker: row.worker, queue: row.queue },
    ...{
      idempotencyKey: row.idempotency_key,
      outcome: parse<Outcome>(row.outcome),
      trace: parse<TraceContext>(row.trace),
    },
    labels: parse<Record<string, string>>(row.labels),
    losses: row.losses > 0 && row.ended_at === null ? row.losses : null,
  };
  for (const [name, value] of Object.entries(optional)) {
    if (value !== null && value !== undefined) task[name] = value;
  }
  return task as unknown as Task;
}

function toQuestion([key, request, askedAt, answer, answeredAt]: QuestionColumns): Question {
  const question = { key, request: JSON.parse(request) as QuestionRequest, askedAt };
  if (answer === null || answeredAt === null) return question;
  return { ...question, answer: JSON.parse(answer) as Answer, answeredAt };
}

function parse<T>(text: string | null | undefined): T | undefined {
  return text === null || text === undefined ? undefined : (JSON.parse(text) as T);
}

/** The fields of a row that the functions in `decide.ts` need. */
export function toHolding({ status, fence, worker }: TaskRow) {
  return worker === null ? { status, fence } : { status, fence, worker };
}
