import type { Json } from '../../task/json.ts';
import type { Task } from '../../task/record.ts';
import type { WaitingMessage } from '../contracts/outbox-contract.ts';
import { SortedList } from './sorted-list.ts';

/** An undelivered message. */
export interface Message {
  readonly messageId: string;
  readonly taskId: string;
  readonly topic: string;
  readonly data: Json | undefined;
  readonly order: number;
  dueAt: number;
  tries: number;
}

/** Undelivered messages, ordered by due time within each topic. */
export class MessageTable {
  readonly #byId = new Map<string, Message>();
  readonly #byTopic = new Map<string, SortedList<Message>>();
  readonly #ofTask = new Map<string, number>();
  #lastOrder = 0;

  addFor(task: Task, dueAt: number): void {
    for (const [place, { topic, data }] of task.deliver.entries()) {
      this.#lastOrder += 1;
      const messageId = toMessageId(task.taskId, place);
      const message = { messageId, taskId: task.taskId, topic, data, order: this.#lastOrder, dueAt, tries: 0 };
      this.#byId.set(messageId, message);
      this.#topic(topic).add(message);
      this.#ofTask.set(task.taskId, (this.#ofTask.get(task.taskId) ?? 0) + 1);
    }
  }

  hasAny(taskId: string): boolean {
    return this.#ofTask.has(taskId);
  }

  /** The undelivered messages of a task, in the order of its deliveries. */
  of({ taskId, deliver }: Pick<Task, 'taskId' | 'deliver'>): WaitingMessage[] {
    return deliver.flatMap((_, place) => {
      const message = this.#byId.get(toMessageId(taskId, place));
      if (message === undefined) return [];
      const { messageId, topic, dueAt, tries } = message;
      return { messageId, topic, dueAt, tries };
    });
  }

  /** Due messages of these topics, longest due first. */
  due(topics: ReadonlySet<string>, now: number, max: number): Message[] {
    const due = [...topics].flatMap((topic) => this.#topic(topic).takeWhile(max, (message) => message.dueAt <= now));
    return due.sort(inOrder).slice(0, max);
  }

  nextDueAt(topics: ReadonlySet<string>): number | undefined {
    const next = [...topics].flatMap((topic) => this.#topic(topic).first ?? []).sort(inOrder);
    return next[0]?.dueAt;
  }

  postpone(messageId: string, dueAt: number): Message | undefined {
    const message = this.#byId.get(messageId);
    if (message === undefined) return undefined;
    this.#topic(message.topic).remove(message);
    message.dueAt = dueAt;
    this.#topic(message.topic).add(message);
    return message;
  }

  remove(messageId: string): void {
    const message = this.#byId.get(messageId);
    if (message === undefined) return;
    this.#byId.delete(messageId);
    this.#topic(message.topic).remove(message);
    const left = (this.#ofTask.get(message.taskId) ?? 0) - 1;
    if (left > 0) this.#ofTask.set(message.taskId, left);
    else this.#ofTask.delete(message.taskId);
  }

  #topic(topic: string): SortedList<Message> {
    const list = this.#byTopic.get(topic) ?? new SortedList(inOrder);
    this.#byTopic.set(topic, list);
    return list;
  }
}

function inOrder(a: Message, b: Message): number {
  return a.dueAt - b.dueAt || a.order - b.order;
}

function toMessageId(taskId: string, place: number): string {
  return `${taskId}:${place}`;
}
