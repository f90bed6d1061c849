/** Which tasks are in which queue; exactly one task of a queue is not behind another. */
import type { Task } from '../../../task/record.ts';
import { SortedList } from '../sorted-list.ts';
import type { TaskRow } from './task-row.ts';

export class TaskQueues {
  readonly #queues = new Map<string, SortedList<TaskRow>>();
  readonly #leaving = new Map<string, Set<TaskRow>>();
  readonly #setBehind: (row: TaskRow, behind: boolean) => void;

  constructor(setBehind: (row: TaskRow, behind: boolean) => void) {
    this.#setBehind = setBehind;
  }

  hasAny(identity: string, queue: string): boolean {
    return this.#queues.has(toName(identity, queue));
  }

  /** Adds a task to the end of its queue. */
  join(row: TaskRow): void {
    const { identity, queue } = row.task;
    if (queue === undefined) return;
    const name = toName(identity, queue);
    const rows = this.#queues.get(name) ?? new SortedList<TaskRow>((a, b) => a.row - b.row);
    this.#setBehind(row, rows.size > 0);
    rows.add(row);
    this.#queues.set(name, rows);
  }

  /** Removes a task from its queue; the next one becomes runnable if this was the first. The caller changes the record. */
  leave(row: TaskRow, { identity, queue }: Pick<Task, 'identity' | 'queue'>): void {
    if (queue === undefined) return;
    const name = toName(identity, queue);
    const rows = this.#queues.get(name);
    rows?.remove(row);
    if (row.leaving !== undefined) this.#leaving.get(row.leaving)?.delete(row);
    row.leaving = undefined;
    if (rows?.size === 0) this.#queues.delete(name);
    if (!row.behind && rows?.first) this.#setBehind(rows.first, false);
    this.#setBehind(row, false);
  }

  /** Keeps the place of a task that has ended until its worker has stopped the work. */
  stay(row: TaskRow, worker: string): void {
    row.leaving = worker;
    this.#leaving.set(worker, (this.#leaving.get(worker) ?? new Set()).add(row));
  }

  /** Removes and returns the ended tasks that a worker was still running; called when the worker is gone. */
  takeLeaving(worker: string): TaskRow[] {
    const rows = [...(this.#leaving.get(worker) ?? [])];
    this.#leaving.delete(worker);
    return rows;
  }
}

function toName(identity: string, queue: string): string {
  return JSON.stringify([identity, queue]);
}
