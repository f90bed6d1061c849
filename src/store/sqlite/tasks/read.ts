/** Reads see the newest commit and never wait for a lock. */
import { type Database, isText } from '../../../sqlite/database.ts';
import type { TaskEvent } from '../../../task/event.ts';
import type { Json } from '../../../task/json.ts';
import type { Task } from '../../../task/record.ts';
import type { Backlog, Lease, TaskRef } from '../../contracts/task-contract.ts';
import { holdsLease } from '../../decide.ts';
import { type EventRow, toEvent } from '../rows.ts';
import { TASK_COLUMNS, type TaskRow, toTask, toTaskRow, toWorkRow, WORK_COLUMNS, type WorkRow } from './task-row.ts';

const BY_ID = `SELECT ${TASK_COLUMNS} FROM task WHERE id = ?`;
const BY_ALIAS = `SELECT ${TASK_COLUMNS} FROM task WHERE alias = ? AND principal = ? AND identity = ?`;
const WORK_BY_ID = `SELECT ${WORK_COLUMNS} FROM task WHERE id = ?`;
// A task that has ended has no worker.
const HELD = 'SELECT 1 FROM task WHERE id = ? AND fence = ? AND worker = ?';
const EVENTS = `SELECT seq, at, type, body FROM event
  WHERE task = (SELECT row FROM task WHERE id = ?) AND seq > ? ORDER BY seq LIMIT ? + 0`;
const QUEUED = `SELECT count(*) AS queued, min(CASE behind WHEN 0 THEN run_at END) AS nextRunAt FROM task
  WHERE status = 'queued' AND identity = ?`;
const LEASED = `SELECT count(*) AS leased FROM task WHERE worker > '' AND identity = ?`;

/** Reads a task inside a transaction. */
export function getTask(db: Database, ref: TaskRef): Task | undefined {
  const row = findRow(db, ref);
  return row && toTask(db, row);
}

/**
 * Reads a task at one moment. A single row is consistent by itself; rows of other tables must be read in the same snapshot.
 */
export function readTask(db: Database, ref: TaskRef): Task | undefined {
  const row = findRow(db, ref);
  if (!row || isWhole(row)) return row && toTask(db, row);
  return db.snapshot(() => getTask(db, ref));
}

function findRow(db: Database, ref: TaskRef): TaskRow | undefined {
  // A text that cannot be stored is the id of no task.
  if (!isText('taskId' in ref ? ref.taskId : ref.alias)) return undefined;
  const [row] =
    'taskId' in ref ? db.arrays(BY_ID, ref.taskId) : db.arrays(BY_ALIAS, ref.alias, ref.principal, ref.identity);
  return row && toTaskRow(row);
}

/** Whether the task has nothing in other tables. */
function isWhole({ questions, args, tombstone_at }: TaskRow): boolean {
  return questions === 0 && (args !== null || tombstone_at !== null);
}

export function readEvents(db: Database, taskId: string, range: { afterSeq: number; limit: number }): TaskEvent[] {
  return db.all<EventRow>(EVENTS, taskId, range.afterSeq, range.limit).map(toEvent);
}

const STEPS = 'SELECT name, value FROM step WHERE task = ?';
const STEPS_OF = 'SELECT name, value FROM step WHERE task = (SELECT row FROM task WHERE id = ?)';

type StepRow = { readonly name: string; readonly value: string };

/** The values of a task's finished steps, by its row number. */
export function readSteps(db: Database, row: number): Record<string, Json> {
  return toSteps(db.all<StepRow>(STEPS, row));
}

export function readStepsOf(db: Database, taskId: string): Record<string, Json> {
  return isText(taskId) ? toSteps(db.all<StepRow>(STEPS_OF, taskId)) : {};
}

function toSteps(rows: readonly StepRow[]): Record<string, Json> {
  return Object.fromEntries(rows.map(({ name, value }) => [name, JSON.parse(value) as Json]));
}

const LEARNED = 'SELECT runs FROM learned WHERE identity = ? AND tool = ? AND principal = ?';

export function readDurations(
  db: Database,
  { identity, tool, principal }: Pick<Task, 'identity' | 'tool' | 'principal'>,
): number[] {
  const found = db.get<{ runs: string }>(LEARNED, identity, tool, principal);
  return found ? (JSON.parse(found.runs) as number[]) : [];
}

export function readBacklog(db: Database, identity: string): Backlog {
  const { queued, nextRunAt } = db.get<{ queued: number; nextRunAt: number | null }>(QUEUED, identity) ?? {
    queued: 0,
    nextRunAt: null,
  };
  const leased = db.get<{ leased: number }>(LEASED, identity)?.leased ?? 0;
  return nextRunAt === null ? { queued, leased } : { queued, leased, nextRunAt };
}

export function isHeldBy(db: Database, { taskId, fence, worker }: Lease): boolean {
  return db.get(HELD, taskId, fence, worker) !== undefined;
}

export function findWork(db: Database, taskId: string): WorkRow | undefined {
  const [row] = db.arrays(WORK_BY_ID, taskId);
  return row && toWorkRow(row);
}

/** The task of a lease; `undefined` when the lease is lost. */
export function findHeld(db: Database, lease: Lease): WorkRow | undefined {
  const row = findWork(db, lease.taskId);
  return row && holdsLease(toHolding(row), lease) ? row : undefined;
}

export function toHolding({ status, fence, worker }: WorkRow) {
  return worker === null ? { status, fence } : { status, fence, worker };
}
