import type { Json } from './json.ts';
import type { Outcome } from './outcome.ts';
import type { Question } from './question.ts';
import type { Status } from './status.ts';

/** W3C trace context, carried from the call to the worker. */
export interface TraceContext {
  readonly traceparent: string;
  readonly tracestate?: string;
  readonly baggage?: string;
}

/** The latest progress that a task reported. */
export interface Progress {
  /** 0..1, or any rising number when the total is unknown. */
  readonly value: number;
  readonly message?: string;
  readonly at: number;
}

/** A message to send when the task ends; it is written to the outbox in the settling transaction. */
export interface Delivery {
  readonly topic: string;
  readonly data?: Json;
}

/** The durable record of the work behind a call. */
export interface Task {
  readonly taskId: string;
  /** An id made by the client; unique per principal and identity. */
  readonly alias?: string;
  readonly tool: string;
  /** `null` once the task has expired. */
  readonly args: Json;
  readonly principal: string;
  readonly identity: string;
  readonly status: Status;
  readonly statusMessage?: string;
  readonly progress?: Progress;
  readonly estimateMs?: number;
  readonly createdAt: number;
  readonly updatedAt: number;
  /** When the first attempt began. */
  readonly startedAt?: number;
  readonly endedAt?: number;
  readonly expiresAt?: number;
  /** How long the finished task is kept, in ms; `null` keeps it for ever. */
  readonly ttlMs: number | null;
  /** The poll interval for clients, if the owner of the tool set one; else it depends on the remaining time. */
  readonly pollIntervalMs?: number;
  /** Attempts begun so far. */
  readonly attempt: number;
  /** Rises with every lease. Unlike `attempt`, it also rises when a parked task is claimed again. */
  readonly fence: number;
  /** Whether the work may be run again after its worker was lost. */
  readonly idempotent: boolean;
  readonly maxAttempts: number;
  /**
   * How many workers were lost while they ran this task, if any. From the first loss on the task is a suspect: until it ends
   * it runs isolated where possible, so that a crash can be attributed to the right task.
   */
  readonly losses?: number;
  /** Not to be claimed before this time. */
  readonly runAt: number;
  /** When its first attempt must have begun, or it ends as `NOT_STARTED`; absent once it has begun, or the task ended. */
  readonly startBy?: number;
  /** The worker that holds the lease, if any. */
  readonly worker?: string;
  readonly idempotencyKey?: string;
  /** The queue of the task, in the form in which the store keeps it; absent once it has left the queue. */
  readonly queue?: string;
  readonly outcome?: Outcome;
  /** Open and answered questions, oldest first. */
  readonly questions: readonly Question[];
  readonly deliver: readonly Delivery[];
  readonly trace?: TraceContext;
  /** Labels set by the submitter of the task, stored with it and never interpreted here. */
  readonly labels?: Readonly<Record<string, string>>;
  /** Number of the newest event. */
  readonly lastSeq: number;
}

/** The input of `TaskStore.create`. */
export interface NewTask {
  readonly taskId: string;
  readonly alias?: string;
  readonly tool: string;
  readonly args: Json;
  readonly principal: string;
  readonly identity: string;
  readonly estimateMs?: number;
  readonly ttlMs: number | null;
  readonly pollIntervalMs?: number;
  readonly idempotent: boolean;
  readonly maxAttempts: number;
  /** How long it may wait for its first attempt; see `Task.startBy`. */
  readonly startWithinMs?: number;
  readonly idempotencyKey?: string;
  /** Tasks of one identity with the same queue run one after the other, in the order in which they were written. */
  readonly queue?: string;
  readonly deliver: readonly Delivery[];
  readonly trace?: TraceContext;
  /** Labels set by the submitter of the task, stored with it and never interpreted here. */
  readonly labels?: Readonly<Record<string, string>>;
}
