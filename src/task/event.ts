import type { Actor } from './actor.ts';
import type { Json } from './json.ts';
import type { OutcomeKind } from './outcome.ts';
import type { Answer, QuestionRequest } from './question.ts';
import type { Status } from './status.ts';

/**
 * Why a task went back to the queue.
 *
 * - worker-lost: its worker was lost while no other task was at work there, or after 10 losses (`MAX_SHARED_LOSSES`) in any
 *                case. The attempt is spent.
 * - suspect:     its worker was lost while it ran several tasks; one of them may have caused the crash. No attempt is spent,
 *                and the task runs isolated from now on, where possible.
 * - crashed:     its own process ended without an outcome. The attempt is spent.
 */
export type RequeueReason = 'retry' | 'handed-back' | 'worker-lost' | 'suspect' | 'crashed' | 'answered';

/**
 * The events of a task.
 *
 * Lifecycle events are kept as long as the task. `progress`, `log` and `stream` are high-rate: they are written in small batches
 * and only the last 10,000 are kept.
 */
export type EventBody =
  /** `isInQueue`: it runs after other tasks of its queue. `rerunOf`: it runs this other task again; `by`: who asked for that. */
  | { readonly type: 'submitted'; readonly isInQueue?: true; readonly rerunOf?: string; readonly by?: Actor }
  | { readonly type: 'claimed'; readonly attempt: number; readonly fence: number; readonly worker: string }
  | { readonly type: 'asked'; readonly key: string; readonly request: QuestionRequest }
  | { readonly type: 'answered'; readonly key: string; readonly answer: Answer; readonly by?: Actor }
  | { readonly type: 'taken-over'; readonly by: Actor }
  /** The task was moved to another identity, because no worker of the previous identity could run it. */
  | { readonly type: 'adopted'; readonly from: string; readonly to: string; readonly by: Actor }
  | { readonly type: 'parked' }
  /** Its worker has been silent for so long that it will be declared lost unless it sends a heartbeat soon. */
  | { readonly type: 'stalled'; readonly worker: string; readonly silentMs: number }
  | { readonly type: 'requeued'; readonly reason: RequeueReason; readonly runAt: number }
  | { readonly type: 'stepped'; readonly name: string }
  | {
      readonly type: 'ended';
      readonly status: Status;
      readonly outcome: OutcomeKind;
      readonly message?: string;
      /** Who ended the task, when that was not the work itself. */
      readonly by?: Actor;
    }
  | AttemptBody;

/** Events that may occur many times per second: only the newest ones are kept. */
export type HighRateBody =
  | { readonly type: 'progress'; readonly value: number; readonly message?: string }
  | { readonly type: 'log'; readonly level: LogLevel; readonly message: string; readonly data?: Json }
  | { readonly type: 'stream'; readonly data: Json };

/** The events that an attempt emits: high-rate events, and the process groups that it starts. */
export type AttemptBody = HighRateBody | ProcessBody;

/** The start and end of a process group. A group that was killed with its worker has no `exited` event. */
export type ProcessBody =
  /** `command` is the name of the program, without its arguments. */
  | { readonly type: 'spawned'; readonly pid: number; readonly command: string }
  | { readonly type: 'exited'; readonly pid: number; readonly code: number | null; readonly signal: string | null };

/** The severity of a line in a task's log. */
export type LogLevel = 'debug' | 'info' | 'warning' | 'error';

/** The kinds of events. */
export type EventType = EventBody['type'];

/** One entry in a task's history, numbered from 1 without holes. */
export type TaskEvent = EventBody & { readonly seq: number; readonly at: number };

/** Replaces the trimmed events `from`..`to`. */
export interface EventGap {
  readonly type: 'gap';
  readonly from: number;
  readonly to: number;
}

/** How many high-rate events of one task are kept. */
export const KEPT_HIGH_RATE_EVENTS = 10_000;

/** Whether only the newest events of this kind are kept. */
export function isHighRate(type: EventType): boolean {
  return type === 'progress' || type === 'log' || type === 'stream';
}

/** Inserts a gap wherever numbers are missing after `afterSeq`. */
export function withGaps(events: readonly TaskEvent[], afterSeq: number): (TaskEvent | EventGap)[] {
  const whole: (TaskEvent | EventGap)[] = [];
  let last = afterSeq;
  for (const event of events) {
    if (event.seq > last + 1) whole.push({ type: 'gap', from: last + 1, to: event.seq - 1 });
    whole.push(event);
    last = event.seq;
  }
  return whole;
}
