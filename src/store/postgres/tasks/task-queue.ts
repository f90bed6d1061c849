/**
 * The queues in which tasks run one after the other.
 *
 * Exactly one task of a queue is not `behind` another. A transaction that adds or removes a task locks the queue until the
 * commit: otherwise two concurrent ones could both make their task the first, or neither.
 */
import type { Transaction } from '../transaction.ts';
import type { QueuePlace } from './draft.ts';
import { type TaskRow, WORK_COLUMNS } from './task-row.ts';

const LOCK = `SELECT pg_advisory_xact_lock(hashtextextended($1, 7))`;
const HAS_ANY = 'SELECT 1 FROM @task WHERE identity = $1 AND queue = $2 LIMIT 1';
const NEXT = `SELECT ${WORK_COLUMNS} FROM @task AS task WHERE identity = $1 AND queue = $2 AND behind ORDER BY row LIMIT 1
  FOR UPDATE`;
const LEFT_BY = `SELECT ${WORK_COLUMNS} FROM @task AS task WHERE leaving = $1 ORDER BY row FOR UPDATE`;

/** The queue of a new task: the first of these names that has any task, else the first name. */
export async function findPlace(tx: Transaction, identity: string, queues: readonly string[]): Promise<QueuePlace> {
  for (const queue of queues.toSorted()) await lockQueue(tx, identity, queue);
  for (const queue of queues) {
    if ((await tx.row(HAS_ANY, identity, queue)) !== undefined) return { queue, behind: true };
  }
  return { queue: queues[0] ?? null, behind: false };
}

/** Removes a task from its queue; the next one becomes runnable if this was the first. */
export async function leaveQueue(tx: Transaction, task: TaskRow): Promise<void> {
  const { identity, queue, behind } = task;
  if (queue === null) return;
  await lockQueue(tx, identity, queue);
  Object.assign(task, { queue: null, behind: false, leaving: null });
  tx.change(task);
  if (!behind) await promoteNext(tx, identity, queue);
}

/** Removes the ended tasks that a dead worker was still running from their queues. */
export async function leaveQueuesOf(tx: Transaction, worker: string): Promise<void> {
  for (const task of await tx.findAll(LEFT_BY, worker)) await leaveQueue(tx, task);
}

/** Moves a task to another identity, where it joins the end of its queue. */
export async function moveToIdentity(tx: Transaction, task: TaskRow, to: string): Promise<void> {
  const { identity: from, queue } = task;
  if (queue === null) {
    task.identity = to;
    tx.change(task);
    return;
  }
  await lockQueue(tx, from, queue);
  const place = await findPlace(tx, to, [queue]);
  const wasFirst = !task.behind;
  Object.assign(task, { identity: to, behind: place.behind });
  tx.change(task);
  if (wasFirst) await promoteNext(tx, from, queue);
}

async function promoteNext(tx: Transaction, identity: string, queue: string): Promise<void> {
  const [next] = await tx.findAll(NEXT, identity, queue);
  if (next === undefined) return;
  next.behind = false;
  tx.change(next);
}

async function lockQueue(tx: Transaction, identity: string, queue: string): Promise<void> {
  await tx.rows(LOCK, JSON.stringify([identity, queue]));
}
