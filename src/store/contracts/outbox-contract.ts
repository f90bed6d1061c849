/** The outbox: messages that must be delivered outside the store. */
import type { Json } from '../../task/json.ts';
import type { Task } from '../../task/record.ts';

/** Messages for the outside, written in the same transaction as an outcome and kept until a courier has delivered them. */
export interface Outbox {
  /** Claims due messages of these topics; other couriers do not get them until `holdMs` has passed. */
  take(request: {
    readonly topics: readonly string[];
    readonly max: number;
    readonly holdMs: number;
  }): Promise<OutboxTake>;
  /** Removes a message that was delivered. */
  done(messageId: string): Promise<void>;
  /** Schedules a message whose delivery failed for another try at `dueAt`. */
  postpone(messageId: string, dueAt: number): Promise<void>;
  /** Returns the undelivered messages of a task, in the order of its deliveries. */
  waiting(taskId: string): Promise<readonly WaitingMessage[]>;
}

/** A message to deliver, and the task whose end it reports. */
export interface OutboxMessage {
  /** The same on every delivery of this message, so that receivers can deduplicate. */
  readonly messageId: string;
  readonly topic: string;
  readonly data?: Json;
  readonly task: Task;
  /** How many deliveries have begun, including this one. */
  readonly tries: number;
}

/** A message that is not delivered yet. */
export interface WaitingMessage {
  readonly messageId: string;
  readonly topic: string;
  /** When the message is tried next, or offered to another courier. */
  readonly dueAt: number;
  /** How many deliveries have begun. */
  readonly tries: number;
}

/** Claimed messages, and when to poll again. */
export interface OutboxTake {
  readonly messages: readonly OutboxMessage[];
  /** When the next message of these topics is due. */
  readonly nextDueAt?: number;
}
