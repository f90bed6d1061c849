/** Reads see the newest commit. */
import { checkText, isText } from '../../../sqlite/database.ts';
import { LEARNED_RUNS } from '../../../task/estimate.ts';
import type { EventType, TaskEvent } from '../../../task/event.ts';
import type { Json } from '../../../task/json.ts';
import type { Task } from '../../../task/record.ts';
import type { Backlog, Lease, TaskFilter, TaskPage, TaskRef } from '../../contracts/task-contract.ts';
import { parseCursor, toCursor } from '../../cursor.ts';
import type { Connection } from '../connection.ts';
import { ReadBatcher } from './read-batcher.ts';
import { RECORD_COLUMNS, type RecordRow, toTask } from './task-row.ts';

/** Reads a whole record by its id. */
export const RECORD_OF = `SELECT ${RECORD_COLUMNS} FROM @task AS task WHERE id = $1`;
const BY_ALIAS = `SELECT ${RECORD_COLUMNS} FROM @task AS task WHERE alias = $1 AND principal = $2 AND identity = $3`;
const RECORDS = `SELECT ${RECORD_COLUMNS} FROM @task AS task WHERE id = ANY($1::text[])`;
const LEASES = 'SELECT id, fence, worker FROM @task WHERE id = ANY($1::text[])';
const EVENTS = `SELECT seq, at, type, body FROM @event WHERE task = (SELECT row FROM @task WHERE id = $1) AND seq > $2
  ORDER BY seq LIMIT $3`;
const STEPS_OF = 'SELECT name, value FROM @step WHERE task = (SELECT row FROM @task WHERE id = $1)';
const LEARNED = `SELECT ran_ms AS "ranMs" FROM @learned WHERE identity = $1 AND tool = $2 AND principal = $3
  ORDER BY row DESC LIMIT ${LEARNED_RUNS}`;
const BACKLOG = `SELECT count(*) AS queued, min(run_at) FILTER (WHERE NOT behind) AS "nextRunAt",
  (SELECT count(*) FROM @task WHERE worker IS NOT NULL AND identity = $1) AS leased
  FROM @task WHERE status = 'queued' AND identity = $1`;

/** Reads of single tasks; simultaneous ones share a statement. */
export interface TaskReads {
  get(ref: TaskRef): Promise<Task | undefined>;
  holds(lease: Lease): Promise<boolean>;
}

export function createTaskReads(connection: Connection): TaskReads {
  const records = new ReadBatcher<RecordRow>((ids) => connection.read(RECORDS, ids));
  const leases = new ReadBatcher<LeaseRow>((ids) => connection.read(LEASES, ids));
  return {
    async get(ref) {
      // A text that cannot be stored is the id of no task.
      if (!isText('taskId' in ref ? ref.taskId : ref.alias)) return undefined;
      const row = 'taskId' in ref ? await records.find(ref.taskId) : await readByAlias(connection, ref);
      return row && toTask(row);
    },
    async holds({ taskId, fence, worker }) {
      checkText(taskId);
      const row = await leases.find(taskId);
      return row?.fence === fence && row.worker === worker;
    },
  };
}

interface LeaseRow {
  readonly id: string;
  readonly fence: number;
  readonly worker: string | null;
}

async function readByAlias(
  connection: Connection,
  { alias, principal, identity }: Extract<TaskRef, { alias: string }>,
): Promise<RecordRow | undefined> {
  return (await connection.read<RecordRow>(BY_ALIAS, alias, principal, identity))[0];
}

/** Pages of tasks, newest first. */
export async function listTasks(connection: Connection, filter: TaskFilter): Promise<TaskPage> {
  const values: unknown[] = [filter.cursor === undefined ? Number.MAX_SAFE_INTEGER : parseCursor(filter.cursor)];
  const clauses = ['row < $1'];
  for (const column of ['principal', 'identity', 'tool'] as const) {
    const value = filter[column];
    if (value !== undefined) clauses.push(`${column} = $${values.push(value)}`);
  }
  // A literal, because PostgreSQL uses a partial index only then.
  if (filter.status !== undefined) clauses.push(`status = '${filter.status.replaceAll("'", '')}'`);
  const limit = `LIMIT $${values.push(filter.limit + 1)}`;
  const text = `SELECT ${RECORD_COLUMNS} FROM @task AS task WHERE ${clauses.join(' AND ')} ORDER BY row DESC ${limit}`;
  const rows = await connection.read<RecordRow>(text, ...values);
  const tasks = rows.slice(0, filter.limit).map(toTask);
  const last = rows[filter.limit - 1];
  return rows.length > filter.limit && last ? { tasks, nextCursor: toCursor(last.row) } : { tasks };
}

interface EventRow {
  readonly seq: number;
  readonly at: number;
  readonly type: EventType;
  readonly body: string | null;
}

export async function readEvents(
  connection: Connection,
  taskId: string,
  range: { readonly afterSeq: number; readonly limit: number },
): Promise<TaskEvent[]> {
  const rows = await connection.read<EventRow>(EVENTS, taskId, range.afterSeq, range.limit);
  return rows.map(({ seq, at, type, body }) => {
    const rest = body === null ? undefined : (JSON.parse(body) as object);
    return Object.assign({ type }, rest, { seq, at }) as TaskEvent;
  });
}

export async function readStepsOf(connection: Connection, taskId: string): Promise<Record<string, Json>> {
  if (!isText(taskId)) return {};
  const rows = await connection.read<{ name: string; value: string }>(STEPS_OF, taskId);
  return Object.fromEntries(rows.map(({ name, value }) => [name, JSON.parse(value) as Json]));
}

export async function readDurations(
  connection: Connection,
  { identity, tool, principal }: Pick<Task, 'identity' | 'tool' | 'principal'>,
): Promise<number[]> {
  const rows = await connection.read<{ ranMs: number }>(LEARNED, identity, tool, principal);
  return rows.map(({ ranMs }) => ranMs).reverse();
}

export async function readBacklog(connection: Connection, identity: string): Promise<Backlog> {
  const [row] = await connection.read<{ queued: number; leased: number; nextRunAt: number | null }>(BACKLOG, identity);
  const { queued = 0, leased = 0, nextRunAt = null } = row ?? {};
  return nextRunAt === null ? { queued, leased } : { queued, leased, nextRunAt };
}
