/** What must reach the outside. */
import type { Json } from '../../task/json.ts';
import type { Task } from '../../task/record.ts';

/** What must reach the outside: messages that are kept until somebody has delivered them. */
export interface Outbox {
  /** Takes due messages for these topics; others do not get them until `holdMs` has passed. */
  take(request: {
    readonly topics: readonly string[];
    readonly max: number;
    readonly holdMs: number;
  }): Promise<OutboxTake>;
  /** The message has reached the outside. */
  done(messageId: string): Promise<void>;
  /** It has not; try again at `dueAt`. */
  postpone(messageId: string, dueAt: number): Promise<void>;
  /** What has not reached the outside yet of what a task has to tell, in the order of its deliveries. */
  waiting(taskId: string): Promise<readonly WaitingMessage[]>;
}

/** A message for the outside, and the task whose end it tells of. */
export interface OutboxMessage {
  /** The same on every delivery of this message, so that a receiver can show it once. */
  readonly messageId: string;
  readonly topic: string;
  readonly data?: Json;
  readonly task: Task;
  /** Deliveries begun, this one included. */
  readonly tries: number;
}

/** A message that waits for its delivery. */
export interface WaitingMessage {
  readonly messageId: string;
  readonly topic: string;
  /** When it is tried next, or given to another courier. */
  readonly dueAt: number;
  /** Deliveries begun. */
  readonly tries: number;
}

/** Messages that were taken, and when to come again. */
export interface OutboxTake {
  readonly messages: readonly OutboxMessage[];
  /** When the next message for these topics is due. */
  readonly nextDueAt?: number;
}
