/**
 * The tasks in memory, with an index for every question a verb asks: by id, by alias, by idempotency key, the
 * queue of each tool, what each worker holds, and what ended, expires or is a tombstone.
 *
 * `change` is the only way to change a task, so the indexes, the events and the feed cannot fall behind.
 */
import { TaskError } from '../../errors.ts';
import { type EventBody, KEPT_HIGH_RATE_EVENTS } from '../../task/event.ts';
import type { Task } from '../../task/record.ts';
import { isTerminal } from '../../task/status.ts';
import type { TaskRef } from '../task-contract.ts';
import type { ChangeFeed } from './change-feed.ts';
import { type Changed, toChanged } from './frozen.ts';
import { SortedList } from './sorted-list.ts';
import { appendEvents, type TaskRow } from './task-row.ts';

type Named = Pick<Task, 'principal' | 'identity'>;

export class TaskTable {
  readonly newest = byTime(() => 0);
  readonly expiring = byTime((task) => task.expiresAt);
  readonly ended = byTime((task) => task.endedAt);
  readonly tombstones = byTime((task) => task.updatedAt);
  readonly overfull = new Set<TaskRow>();
  readonly #byId = new Map<string, TaskRow>();
  readonly #byName = new Map<string, TaskRow>();
  readonly #queues = new Map<string, Map<string, SortedList<TaskRow>>>();
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

  add(task: Task, fingerprint: string, event: EventBody): TaskRow {
    const { taskId } = task;
    if (this.#byId.has(taskId)) throw new TaskError('STORE_FAILED', `A task with the id ${taskId} exists already`);
    this.#lastRow += 1;
    const row: TaskRow = {
      row: this.#lastRow,
      fingerprint,
      task,
      spend: true,
      steps: new Map(),
      events: [],
      highRate: 0,
    };
    this.#byId.set(taskId, row);
    for (const name of toNames(task)) this.#byName.set(name, row);
    this.newest.add(row);
    this.#index(row);
    this.change(row, {}, { at: task.createdAt, events: [event] });
    return row;
  }

  change(
    row: TaskRow,
    change: Changed<Task>,
    what: { readonly at: number; readonly events: readonly EventBody[] },
  ): void {
    const { at, events } = what;
    this.#unindex(row);
    appendEvents(row, events, at);
    row.task = toChanged(row.task, { ...change, updatedAt: at, lastSeq: row.task.lastSeq + events.length });
    this.#index(row);
    this.#feed.announce(events.map(({ type }) => ({ taskId: row.task.taskId, type })));
  }

  forget(row: TaskRow): void {
    this.#unindex(row);
    this.newest.remove(row);
    this.#byId.delete(row.task.taskId);
    for (const name of toNames(row.task)) this.#byName.delete(name);
  }

  queue(identity: string, tool: string): SortedList<TaskRow> | undefined {
    return this.#queues.get(identity)?.get(tool);
  }

  /** The queues of an identity that are not empty. */
  queues(identity: string): SortedList<TaskRow>[] {
    return [...(this.#queues.get(identity)?.values() ?? [])];
  }

  queued(identity: string): number {
    return this.queues(identity).reduce((sum, queue) => sum + queue.size, 0);
  }

  leased(identity: string): number {
    return this.#leased.get(identity) ?? 0;
  }

  /** What a worker holds, oldest task first. */
  heldBy(worker: string): TaskRow[] {
    return [...(this.#held.get(worker) ?? [])].sort((a, b) => a.row - b.row);
  }

  #index(row: TaskRow): void {
    const { task } = row;
    if (task.status === 'queued') this.#enqueue(row);
    if (task.worker !== undefined) this.#hold(row, task.worker);
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
    if (task.worker !== undefined) this.#letGo(row, task.worker);
    for (const list of [this.tombstones, this.ended, this.expiring]) list.remove(row);
    this.overfull.delete(row);
  }

  #enqueue(row: TaskRow): void {
    const { identity, tool } = row.task;
    const tools = this.#queues.get(identity) ?? new Map<string, SortedList<TaskRow>>();
    const queue = tools.get(tool) ?? byTime((task) => task.runAt);
    queue.add(row);
    this.#queues.set(identity, tools.set(tool, queue));
  }

  #dequeue(row: TaskRow): void {
    const { identity, tool } = row.task;
    const tools = this.#queues.get(identity);
    const queue = tools?.get(tool);
    queue?.remove(row);
    if (queue?.size === 0) tools?.delete(tool);
    if (tools?.size === 0) this.#queues.delete(identity);
  }

  #hold(row: TaskRow, worker: string): void {
    this.#held.set(worker, (this.#held.get(worker) ?? new Set()).add(row));
    this.#leased.set(row.task.identity, this.leased(row.task.identity) + 1);
  }

  #letGo(row: TaskRow, worker: string): void {
    const held = this.#held.get(worker);
    held?.delete(row);
    if (held?.size === 0) this.#held.delete(worker);
    this.#leased.set(row.task.identity, this.leased(row.task.identity) - 1);
  }
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
