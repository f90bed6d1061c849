/**
 * The columns of a task, each defined once: its SQL type, its value in a new task, and its field in the record.
 *
 * The lists of SELECT and INSERT, the types of rows and the record are derived from this table; `schema.ts` keeps the
 * migrations that led to it, and a test compares the two.
 */
import type { SqliteValue } from '../../../sqlite/driver.ts';
import type { Json } from '../../../task/json.ts';
import type { Outcome } from '../../../task/outcome.ts';
import type { Delivery, Progress, Task, TraceContext } from '../../../task/record.ts';
import type { Status } from '../../../task/status.ts';
import { toStartBy } from '../../decide.ts';
import { type Draft, hasLongArgs } from './draft.ts';

/** A record while it is built. */
export type MutableTask = { -readonly [Field in keyof Task]: Task[Field] };

interface Column<Value extends SqliteValue> {
  /** The column's type as `CREATE TABLE` would declare it today. */
  readonly sql: string;
  /** The value for a new task; without it NULL or the column's default. */
  readonly insert?: (draft: Draft, now: number) => Value;
  /**
   * Puts a value that is not NULL into the record; some columns are in no record. Each names its field literally, because
   * objects built with computed property names stay slow.
   */
  readonly read?: (task: MutableTask, value: NonNullable<Value>) => unknown;
}

type About<Value extends SqliteValue> = Omit<Column<Value>, 'sql'>;

const text = <T extends string = string>(about: About<T> = {}): Column<T> => ({ sql: 'TEXT NOT NULL', ...about });
const textOrNull = (about: About<string | null> = {}): Column<string | null> => ({ sql: 'TEXT', ...about });
const integer = (about: About<number> = {}): Column<number> => ({ sql: 'INTEGER NOT NULL', ...about });
const integerOrNull = (about: About<number | null> = {}): Column<number | null> => ({ sql: 'INTEGER', ...about });

const zero = () => 0;

/** The columns from which verbs on a stored task decide, without those that can be long. */
export const WORK = {
  row: { ...integer(), sql: 'INTEGER PRIMARY KEY' },
  id: text({ insert: ({ task }) => task.taskId, read: (task, value) => (task.taskId = value) }),
  tool: text({ insert: ({ task }) => task.tool, read: (task, value) => (task.tool = value) }),
  principal: text({ insert: ({ task }) => task.principal, read: (task, value) => (task.principal = value) }),
  identity: text({ insert: ({ task }) => task.identity, read: (task, value) => (task.identity = value) }),
  status: text<Status>({ insert: () => 'queued', read: (task, value) => (task.status = value) }),
  ttl_ms: integerOrNull({ insert: ({ task }) => task.ttlMs, read: (task, value) => (task.ttlMs = value) }),
  attempt: integer({ insert: zero, read: (task, value) => (task.attempt = value) }),
  fence: integer({ insert: zero, read: (task, value) => (task.fence = value) }),
  /** Whether the next claim counts as an attempt. */
  spend: integer({ insert: () => 1 }),
  idempotent: integer({
    insert: ({ task }) => (task.idempotent ? 1 : 0),
    read: (task, value) => (task.idempotent = value === 1),
  }),
  max_attempts: integer({ insert: ({ task }) => task.maxAttempts, read: (task, value) => (task.maxAttempts = value) }),
  run_at: integer({ insert: (_, now) => now, read: (task, value) => (task.runAt = value) }),
  deliver: textOrNull({
    insert: ({ texts }) => texts.deliver,
    read: (task, value) => (task.deliver = JSON.parse(value) as Delivery[]),
  }),
  last_seq: integer({
    insert: ({ rerun }) => 1 + (rerun?.steps.length ?? 0),
    read: (task, value) => (task.lastSeq = value),
  }),
  high_rate: integer({ insert: zero }),
  /** How many rows the task has in `question`. */
  questions: integer({ insert: zero }),
  open_questions: integer({ insert: zero }),
  steps: integer({ insert: ({ rerun }) => rerun?.steps.length ?? 0 }),
  queue: textOrNull({ insert: ({ place }) => place.queue, read: (task, value) => (task.queue = value) }),
  /** 1 while an earlier task is in the same queue. */
  behind: { ...integer({ insert: ({ place }) => place.behind }), sql: 'INTEGER NOT NULL DEFAULT 0' },
  worker: textOrNull({ read: (task, value) => (task.worker = value) }),
  started_at: integerOrNull({ read: (task, value) => (task.startedAt = value) }),
  progress: textOrNull({ read: (task, value) => (task.progress = JSON.parse(value) as Progress) }),
  status_message: textOrNull({ read: (task, value) => (task.statusMessage = value) }),
};

/** The columns that only a whole record needs. */
export const RECORD = {
  created_at: integer({ insert: (_, now) => now, read: (task, value) => (task.createdAt = value) }),
  updated_at: integer({ insert: (_, now) => now, read: (task, value) => (task.updatedAt = value) }),
  estimate_ms: integerOrNull({
    insert: ({ task }) => task.estimateMs ?? null,
    read: (task, value) => (task.estimateMs = value),
  }),
  alias: textOrNull({ insert: ({ task }) => task.alias ?? null, read: (task, value) => (task.alias = value) }),
  ended_at: integerOrNull({ read: (task, value) => (task.endedAt = value) }),
  expires_at: integerOrNull({ read: (task, value) => (task.expiresAt = value) }),
  /** 0 when the tool's owner set none: the column was NOT NULL before tasks without an interval existed. */
  poll_interval_ms: integer({
    insert: ({ task }) => task.pollIntervalMs ?? 0,
    read: (task, value) => {
      if (value > 0) task.pollIntervalMs = value;
    },
  }),
  idempotency_key: textOrNull({
    insert: ({ task }) => task.idempotencyKey ?? null,
    read: (task, value) => (task.idempotencyKey = value),
  }),
  trace: textOrNull({
    insert: ({ texts }) => texts.trace,
    read: (task, value) => (task.trace = JSON.parse(value) as TraceContext),
  }),
  tombstone_at: integerOrNull(),
  /** NULL when the arguments are in `long_args`, or were deleted. */
  args: textOrNull({
    insert: (draft) => (hasLongArgs(draft) ? null : draft.argsText),
    read: (task, value) => (task.args = JSON.parse(value) as Json),
  }),
  outcome: textOrNull({ read: (task, value) => (task.outcome = JSON.parse(value) as Outcome) }),
  labels: textOrNull({
    insert: ({ texts }) => texts.labels,
    read: (task, value) => (task.labels = JSON.parse(value) as Record<string, string>),
  }),
  losses: {
    ...integer({
      read: (task, value) => {
        if (value > 0 && task.endedAt === undefined) task.losses = value;
      },
    }),
    sql: 'INTEGER NOT NULL DEFAULT 0',
  },
  start_by: integerOrNull({
    insert: ({ task }, now) => toStartBy(task, now) ?? null,
    read: (task, value) => (task.startBy = value),
  }),
};

/** Columns that are read only individually. */
const EXTRA = {
  /** The worker that is still running a task that has ended. */
  leaving: textOrNull(),
  fingerprint: textOrNull({ insert: ({ fingerprints }) => fingerprints?.[0] ?? null }),
  bytes: { ...integer({ insert: ({ bytes }) => bytes }), sql: 'INTEGER NOT NULL DEFAULT 1024' },
};

type RowOf<Columns> = {
  readonly [Name in keyof Columns]: Columns[Name] extends Column<infer Value> ? Value : never;
};

export type WorkRow = RowOf<typeof WORK>;
export type TaskRow = WorkRow & RowOf<typeof RECORD>;

interface AnyColumn extends Omit<Column<SqliteValue>, 'read'> {
  readonly read?: (task: MutableTask, value: never) => unknown;
}

/** All columns, by name. */
export const COLUMNS: Readonly<Record<string, AnyColumn>> = { ...WORK, ...RECORD, ...EXTRA };
