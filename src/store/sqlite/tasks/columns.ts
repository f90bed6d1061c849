/**
 * The columns of a task, each in one place: its SQL type, what a new task gets, and what it is in the record.
 *
 * The lists of SELECT and INSERT, the types of rows and the record follow from this table; `schema.ts` keeps the history
 * of the table in the file, and a test compares the two.
 */
import type { SqliteValue } from '../../../sqlite/driver.ts';
import type { Task } from '../../../task/record.ts';
import type { Status } from '../../../task/status.ts';
import { toStartBy } from '../../decide.ts';
import { type Draft, hasLongArgs } from './draft.ts';

interface Column<Value extends SqliteValue> {
  /** As `CREATE TABLE` would say it today. */
  readonly sql: string;
  /** What a new task gets; NULL or the column's default without it. */
  readonly insert?: (draft: Draft, now: number) => Value;
  /** Where the record has it, unless it is NULL. Some columns are in no record. */
  readonly field?: keyof Task;
  /** What the record has instead of the value itself; nothing leaves it out. */
  readonly parse?: (value: NonNullable<Value>, row: { readonly ended_at: number | null }) => unknown;
}

/** The fields of a record that can have a value as it is. */
type FieldFor<Value> = {
  [Field in keyof Task]-?: NonNullable<Value> extends Task[Field] ? Field : never;
}[keyof Task];

type Inserted<Value extends SqliteValue> = Pick<Column<Value>, 'insert'>;
type Plain<Value extends SqliteValue> = Inserted<Value> & { readonly field?: FieldFor<Value> };
type Parsed<Value extends SqliteValue> = Inserted<Value> & Required<Pick<Column<Value>, 'field' | 'parse'>>;
type About<Value extends SqliteValue> = Plain<Value> | Parsed<Value>;

const text = <T extends string = string>(about: About<T> = {}): Column<T> => ({ sql: 'TEXT NOT NULL', ...about });
const textOrNull = (about: About<string | null> = {}): Column<string | null> => ({ sql: 'TEXT', ...about });
const integer = (about: About<number> = {}): Column<number> => ({ sql: 'INTEGER NOT NULL', ...about });
const integerOrNull = (about: About<number | null> = {}): Column<number | null> => ({ sql: 'INTEGER', ...about });

const zero = () => 0;
const parse = (value: string): unknown => JSON.parse(value);

/** What verbs on a stored task decide from; leaves out what can be long. */
export const WORK = {
  row: { ...integer(), sql: 'INTEGER PRIMARY KEY' },
  id: text({ insert: ({ task }) => task.taskId, field: 'taskId' }),
  tool: text({ insert: ({ task }) => task.tool, field: 'tool' }),
  principal: text({ insert: ({ task }) => task.principal, field: 'principal' }),
  identity: text({ insert: ({ task }) => task.identity, field: 'identity' }),
  status: text<Status>({ insert: () => 'queued', field: 'status' }),
  status_message: textOrNull({ field: 'statusMessage' }),
  progress: textOrNull({ field: 'progress', parse }),
  started_at: integerOrNull({ field: 'startedAt' }),
  ttl_ms: integerOrNull({ insert: ({ task }) => task.ttlMs, field: 'ttlMs' }),
  attempt: integer({ insert: zero, field: 'attempt' }),
  fence: integer({ insert: zero, field: 'fence' }),
  /** Whether the next claim counts as an attempt. */
  spend: integer({ insert: () => 1 }),
  idempotent: integer({
    insert: ({ task }) => (task.idempotent ? 1 : 0),
    field: 'idempotent',
    parse: (value) => value === 1,
  }),
  max_attempts: integer({ insert: ({ task }) => task.maxAttempts, field: 'maxAttempts' }),
  run_at: integer({ insert: (_, now) => now, field: 'runAt' }),
  worker: textOrNull({ field: 'worker' }),
  deliver: textOrNull({ insert: ({ texts }) => texts.deliver, field: 'deliver', parse }),
  last_seq: integer({ insert: () => 1, field: 'lastSeq' }),
  high_rate: integer({ insert: zero }),
  /** How many there are in `question`. */
  questions: integer({ insert: zero }),
  open_questions: integer({ insert: zero }),
  steps: integer({ insert: zero }),
};

/** What only a whole record needs. */
export const RECORD = {
  alias: textOrNull({ insert: ({ task }) => task.alias ?? null, field: 'alias' }),
  estimate_ms: integerOrNull({ insert: ({ task }) => task.estimateMs ?? null, field: 'estimateMs' }),
  created_at: integer({ insert: (_, now) => now, field: 'createdAt' }),
  updated_at: integer({ insert: (_, now) => now, field: 'updatedAt' }),
  ended_at: integerOrNull({ field: 'endedAt' }),
  expires_at: integerOrNull({ field: 'expiresAt' }),
  /** 0 when the tool's owner set none: the column is older than tasks without one. */
  poll_interval_ms: integer({
    insert: ({ task }) => task.pollIntervalMs ?? 0,
    field: 'pollIntervalMs',
    parse: (value) => (value > 0 ? value : undefined),
  }),
  idempotency_key: textOrNull({ insert: ({ task }) => task.idempotencyKey ?? null, field: 'idempotencyKey' }),
  trace: textOrNull({ insert: ({ texts }) => texts.trace, field: 'trace', parse }),
  tombstone_at: integerOrNull(),
  /** NULL when they lie in `long_args`, or are gone. */
  args: textOrNull({ insert: (draft) => (hasLongArgs(draft) ? null : draft.argsText), field: 'args', parse }),
  outcome: textOrNull({ field: 'outcome', parse }),
  labels: textOrNull({ insert: ({ texts }) => texts.labels, field: 'labels', parse }),
  losses: {
    ...integer({ field: 'losses', parse: (value, row) => (value > 0 && row.ended_at === null ? value : undefined) }),
    sql: 'INTEGER NOT NULL DEFAULT 0',
  },
  start_by: integerOrNull({ insert: ({ task }, now) => toStartBy(task, now) ?? null, field: 'startBy' }),
};

/** What is asked for only by name. */
const ASIDE = {
  fingerprint: textOrNull({ insert: ({ fingerprints }) => fingerprints?.[0] ?? null }),
  bytes: { ...integer({ insert: ({ bytes }) => bytes }), sql: 'INTEGER NOT NULL DEFAULT 1024' },
};

type RowOf<Columns> = {
  readonly [Name in keyof Columns]: Columns[Name] extends Column<infer Value> ? Value : never;
};

export type WorkRow = RowOf<typeof WORK>;
export type TaskRow = WorkRow & RowOf<typeof RECORD>;

interface AnyColumn extends Omit<Column<SqliteValue>, 'parse'> {
  readonly parse?: (value: never, row: TaskRow) => unknown;
}

/** All columns, by name. */
export const COLUMNS: Readonly<Record<string, AnyColumn>> = { ...WORK, ...RECORD, ...ASIDE };
