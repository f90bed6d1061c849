/**
 * The tasks in memory, with an index for every lookup of a verb: by id, by alias, by idempotency key, the queues of each
 * principal, the tasks of each worker, ended and expiring tasks, and tombstones.
 *
 * `change` is the only way to change a task, so indexes, events and feed always agree with the record.
 */
import { TaskError } from '../../../errors.ts';
import { type EventBody, KEPT_HIGH_RATE_EVENTS } from '../../../task/event.ts';
import type { Task } from '../../../task/record.ts';
import { isTerminal } from '../../../task/status.ts';
import type { TaskRef } from '../../contracts/task-contract.ts';
import type { ChangeFeed } from '../change-feed.ts';
import { type Changed, toChanged } from '../frozen.ts';
import { SortedList } from '../sorted-list.ts';
import { TaskQueues } from './task-queues.ts';
import { appendEvents, type TaskRow, toNewBytes, trimEvents } from './task-row.ts';
import { UsageTable } from './usage-table.ts';

type Named = Pick<Task, 'principal' | 'identity'>;

/** The queued tasks of one principal for one tool, the earliest due first. */
export interface TaskQueue {
  readonly principal: string;
  readonly tool: string;
  readonly rows: SortedList<TaskRow>;
}

export class TaskTable {
  readonly newest = byTime(() => 0);
  readonly expiring = byTime((task) => task.expiresAt);
  /** Tasks whose first attempt has a deadline. */
  readonly starting = byTime((task) => task.startBy);
  readonly ended = byTime((task) => task.endedAt);
  readonly tombstones = byTime((task) => task.updatedAt);
  readonly overfull = new Set<TaskRow>();
  readonly usage = new UsageTable();
  readonly serialQueues = new TaskQueues((row, behind) => this.#setBehind(row, behind));
  readonly #byId = new Map<string, TaskRow>();
  readonly #byName = new Map<string, TaskRow>();
  /** By identity, then by principal and tool. */
  readonly #queues = new Map<string, Map<string, TaskQueue>>();
  /** How many tasks are behind others in their queues, by identity. */
  readonly #behind = new Map<string, number>();
  readonly #held = new Map<string, Set<TaskRow>>();
  readonly #leased = new Map<string, number>();
  readonly #feed: ChangeFeed;
  #lastRow = 0;

  constructor(feed: ChangeFeed) {
    this.#feed = feed;
  }

  find(ref: TaskRef): TaskRow | undefined {
    return 'taskId' in ref ? this.#byId.get(ref.taskId) : this.#byName.get(toAliasName(ref, ref.alias));
  }

  findByKey(task: Named & Pick<Task, 'tool'>, key: string | undefined): TaskRow | undefined {
    return key === undefined ? undefined : this.#byName.get(toKeyName(task, key));
  }

  add(task: Task, fingerprint: string, events: readonly EventBody[]): TaskRow {
    const { taskId } = task;
    if (this.#byId.has(taskId)) throw new TaskError('STORE_FAILED', `A task with the id ${taskId} exists already`);
    this.#lastRow += 1;
    const row: TaskRow = {
      row: this.#lastRow,
      fingerprint,
      task,
      countsAsAttempt: true,
      behind: false,
      steps: new Map(),
      artifacts: new Map(),
      events: [],
      highRate: 0,
      bytes: toNewBytes(task),
    };
    this.#byId.set(taskId, row);
    for (const name of toNames(task)) this.#byName.set(name, row);
    this.newest.add(row);
    this.usage.add(task, row.bytes);
    this.#index(row);
    this.serialQueues.join(row);
    this.change(row, {}, { at: task.createdAt, events, bytes: 0 });
    return row;
  }

  /** Removes a task from its queue. Writes no event, because the task has ended. */
  leaveQueue(row: TaskRow): void {
    this.serialQueues.leave(row, row.task);
    this.#unindex(row);
    row.task = toChanged(row.task, { queue: undefined });
    this.#index(row);
  }

  /** Events count for the task's principal only when `bytes` is given; `bytes` is added to them. */
  change(
    row: TaskRow,
    change: Changed<Task>,
    what: { readonly at: number; readonly events: readonly EventBody[]; readonly bytes?: number | undefined },
  ): void {
    const { at, events, bytes } = what;
    this.#unindex(row);
    const appended = appendEvents(row, events, at);
    if (bytes !== undefined) this.grow(row, appended + bytes);
    row.task = toChanged(row.task, { ...change, updatedAt: at, lastSeq: row.task.lastSeq + events.length });
    this.#index(row);
    this.#feed.announce(events.map(({ type }) => ({ taskId: row.task.taskId, type })));
  }

  /** Moves a task to another identity, with its bytes, its names and its queue. */
  move(row: TaskRow, identity: string, what: { readonly at: number; readonly event: EventBody }): void {
    for (const name of toNames(row.task)) this.#byName.delete(name);
    this.serialQueues.leave(row, row.task);
    this.#unindex(row);
    this.usage.remove(row.task, row.bytes);
    row.task = toChanged(row.task, { identity });
    this.usage.add(row.task, row.bytes);
    this.#index(row);
    this.serialQueues.join(row);
    for (const name of toNames(row.task)) this.#byName.set(name, row);
    this.change(row, {}, { at: what.at, events: [what.event], bytes: 0 });
  }

  /** Tasks of an identity that no worker holds and that have not ended, oldest first. */
  waiting(identity: string): TaskRow[] {
    const isMine = ({ task }: TaskRow) => task.identity === identity && task.worker === undefined && isWaiting(task);
    return [...this.newest].filter(isMine);
  }

  hasNames(task: Task): boolean {
    return toNames(task).some((name) => this.#byName.has(name));
  }

  /** Tasks of an identity that have not ended and that no worker holds, oldest first. */
  hasAny(identity: string): boolean {
    return this.usage.has(identity);
  }

  forget(row: TaskRow): void {
    if (row.task.queue !== undefined) this.leaveQueue(row);
    this.#unindex(row);
    this.newest.remove(row);
    this.#byId.delete(row.task.taskId);
    for (const name of toNames(row.task)) this.#byName.delete(name);
    this.usage.remove(row.task, row.bytes);
  }

  /** Deletes surplus high-rate events; returns how many. */
  trim(row: TaskRow): number {
    const { events, bytes } = trimEvents(row);
    this.grow(row, -bytes);
    this.overfull.delete(row);
    return events;
  }

  /** The queues of an identity that have claimable tasks. */
  queues(identity: string): TaskQueue[] {
    return [...(this.#queues.get(identity)?.values() ?? [])];
  }

  queued(identity: string): number {
    const behind = this.#behind.get(identity) ?? 0;
    return this.queues(identity).reduce((sum, queue) => sum + queue.rows.size, behind);
  }

  leased(identity: string): number {
    return this.#leased.get(identity) ?? 0;
  }

  /** The tasks that a worker holds, oldest first. */
  heldBy(worker: string): TaskRow[] {
    return [...(this.#held.get(worker) ?? [])].sort((a, b) => a.row - b.row);
  }

  #index(row: TaskRow): void {
    const { task } = row;
    if (task.status === 'queued') this.#enqueue(row);
    if (task.startBy !== undefined) this.starting.add(row);
    if (isWaiting(task)) this.usage.wait(task, 1);
    if (task.worker !== undefined) this.#addHeld(row, task.worker);
    if (task.outcome?.kind === 'expired') this.tombstones.add(row);
    else if (isTerminal(task.status)) {
      this.ended.add(row);
      if (task.expiresAt !== undefined) this.expiring.add(row);
    }
    if (row.highRate > KEPT_HIGH_RATE_EVENTS) this.overfull.add(row);
  }

  #unindex(row: TaskRow): void {
    const { task } = row;
    if (task.status === 'queued') this.#dequeue(row);
    if (isWaiting(task)) this.usage.wait(task, -1);
    if (task.worker !== undefined) this.#removeHeld(row, task.worker);
    for (const list of [this.tombstones, this.ended, this.expiring, this.starting]) list.remove(row);
    this.overfull.delete(row);
  }

  #setBehind(row: TaskRow, behind: boolean): void {
    if (row.behind === behind) return;
    this.#unindex(row);
    row.behind = behind;
    this.#index(row);
  }

  #countBehind(identity: string, by: 1 | -1): void {
    this.#behind.set(identity, (this.#behind.get(identity) ?? 0) + by);
  }

  #enqueue(row: TaskRow): void {
    const { identity, tool, principal } = row.task;
    if (row.behind) {
      this.#countBehind(identity, 1);
      return;
    }
    const queues = this.#queues.get(identity) ?? new Map<string, TaskQueue>();
    const name = JSON.stringify([principal, tool]);
    const queue = queues.get(name) ?? { principal, tool, rows: byTime((task) => task.runAt) };
    queue.rows.add(row);
    this.#queues.set(identity, queues.set(name, queue));
  }

  #dequeue(row: TaskRow): void {
    const { identity, tool, principal } = row.task;
    if (row.behind) {
      this.#countBehind(identity, -1);
      return;
    }
    const queues = this.#queues.get(identity);
    const name = JSON.stringify([principal, tool]);
    const queue = queues?.get(name);
    queue?.rows.remove(row);
    if (queue?.rows.size === 0) queues?.delete(name);
    if (queues?.size === 0) this.#queues.delete(identity);
  }

  /** Changes how many bytes a task counts for its principal. */
  grow(row: TaskRow, bytes: number): void {
    row.bytes += bytes;
    this.usage.add(row.task, bytes);
  }

  #addHeld(row: TaskRow, worker: string): void {
    this.#held.set(worker, (this.#held.get(worker) ?? new Set()).add(row));
    this.#leased.set(row.task.identity, this.leased(row.task.identity) + 1);
  }

  #removeHeld(row: TaskRow, worker: string): void {
    const held = this.#held.get(worker);
    held?.delete(row);
    if (held?.size === 0) this.#held.delete(worker);
    this.#leased.set(row.task.identity, this.leased(row.task.identity) - 1);
  }
}

/** Whether a task is queued or waits for an answer. */
function isWaiting({ status }: Task): boolean {
  return status === 'queued' || status === 'input_required';
}

function byTime(toTime: (task: Task) => number | undefined): SortedList<TaskRow> {
  return new SortedList((a, b) => (toTime(a.task) ?? 0) - (toTime(b.task) ?? 0) || a.row - b.row);
}

function toNames(task: Task): string[] {
  const alias = task.alias === undefined ? [] : [toAliasName(task, task.alias)];
  return task.idempotencyKey === undefined ? alias : [...alias, toKeyName(task, task.idempotencyKey)];
}

function toAliasName(owner: Named, alias: string): string {
  return JSON.stringify(['alias', owner.principal, owner.identity, alias]);
}

function toKeyName(owner: Named & Pick<Task, 'tool'>, key: string): string {
  return JSON.stringify(['key', owner.principal, owner.identity, owner.tool, key]);
}
