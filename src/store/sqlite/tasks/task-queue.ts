/**
 * The queues in which tasks run one after the other.
 *
 * Exactly one task of a queue is not `behind` another. Claims see only that one, so ten thousand tasks waiting behind it
 * cost them nothing.
 */
import type { Database } from '../../../sqlite/database.ts';
import type { QueuePlace } from './draft.ts';
import type { WorkRow } from './task-row.ts';

const HAS_ANY = 'SELECT 1 FROM task WHERE identity = ? AND queue = ? LIMIT 1';
const LEAVE = 'UPDATE task SET queue = NULL, behind = 0, leaving = NULL WHERE row = ?';
const NEXT = `UPDATE task SET behind = 0 WHERE row =
  (SELECT row FROM task WHERE identity = ? AND queue = ? AND behind = 1 ORDER BY row LIMIT 1)`;
const STAY = 'UPDATE task SET leaving = ? WHERE row = ?';
const LEFT_BY = 'SELECT row, identity, queue, behind FROM task WHERE leaving = ? ORDER BY row';
const LEAVING = 'SELECT row, identity, queue, behind FROM task WHERE id = ? AND fence = ? AND leaving = ?';
const BEHIND = 'SELECT behind FROM task WHERE row = ?';
const MOVE = 'UPDATE task SET identity = ?, behind = ? WHERE row = ?';

type QueuedRow = Pick<WorkRow, 'row' | 'identity' | 'queue' | 'behind'>;

/** The queue of a new task: the first of these names that has any task, else the first name. */
export function findPlace(db: Database, identity: string, queues: readonly string[]): QueuePlace {
  const taken = queues.find((queue) => db.get(HAS_ANY, identity, queue) !== undefined);
  return taken === undefined ? { queue: queues[0] ?? null, behind: 0 } : { queue: taken, behind: 1 };
}

/** Removes a task from its queue; the next one becomes runnable if this was the first. */
export function leaveQueue(db: Database, { row, identity, queue, behind }: QueuedRow): void {
  if (queue === null) return;
  db.run(LEAVE, row);
  if (behind === 0) db.run(NEXT, identity, queue);
}

/** Keeps the place of a task that has ended until its worker has stopped the work. */
export function stayInQueue(db: Database, { row }: QueuedRow, worker: string): void {
  db.run(STAY, worker, row);
}

export function findLeaving(
  db: Database,
  { taskId, fence, worker }: { readonly taskId: string; readonly fence: number; readonly worker: string },
): QueuedRow | undefined {
  return db.get<QueuedRow>(LEAVING, taskId, fence, worker);
}

/** Removes the ended tasks that a dead worker was still running from their queues. */
export function leaveQueuesOf(db: Database, worker: string): void {
  for (const task of db.all<QueuedRow>(LEFT_BY, worker)) leaveQueue(db, task);
}

/** Moves a task to another identity, where it joins the end of its queue. */
export function moveToIdentity(db: Database, task: QueuedRow, to: string): void {
  const { row, identity, queue } = task;
  if (queue === null) {
    db.run(MOVE, to, 0, row);
    return;
  }
  // Read again: the task may have become the first when another one was moved.
  const wasFirst = db.get<QueuedRow>(BEHIND, row)?.behind === 0;
  db.run(MOVE, to, findPlace(db, to, [queue]).behind, row);
  if (wasFirst) db.run(NEXT, identity, queue);
}
