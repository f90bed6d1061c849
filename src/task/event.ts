import type { Actor } from './actor.ts';
import type { Json } from './json.ts';
import type { OutcomeKind } from './outcome.ts';
import type { Answer, QuestionRequest } from './question.ts';
import type { Status } from './status.ts';

/**
 * Why a task went back to the queue.
 *
 * - worker-lost: its worker was lost, and nothing else was at work there. The attempt is spent.
 * - suspect:     its worker was lost with several tasks at work; one of them may have done it. No attempt is spent, and
 *                the task runs apart from now on.
 * - crashed:     its own process ended without an outcome. The attempt is spent.
 */
export type RequeueReason = 'retry' | 'handed-back' | 'worker-lost' | 'suspect' | 'crashed' | 'answered';

/**
 * What can happen to a task.
 *
 * Lifecycle events are kept as long as the task. `progress`, `log` and `stream` are high-rate: they are written in
 * small batches and only the last 10,000 are kept.
 */
export type EventBody =
  /** `isInQueue`: it runs after others of its queue. `rerunOf`: it is another task run again, and by whom. */
  | { readonly type: 'submitted'; readonly isInQueue?: true; readonly rerunOf?: string; readonly by?: Actor }
  | { readonly type: 'claimed'; readonly attempt: number; readonly fence: number; readonly worker: string }
  | { readonly type: 'asked'; readonly key: string; readonly request: QuestionRequest }
  | { readonly type: 'answered'; readonly key: string; readonly answer: Answer; readonly by?: Actor }
  | { readonly type: 'taken-over'; readonly by: Actor }
  /** It belongs to another identity now, because no worker of the one before could come. */
  | { readonly type: 'adopted'; readonly from: string; readonly to: string; readonly by: Actor }
  | { readonly type: 'parked' }
  /** Its worker has been silent for so long that it is given up unless it beats again soon. */
  | { readonly type: 'stalled'; readonly worker: string; readonly silentMs: number }
  | { readonly type: 'requeued'; readonly reason: RequeueReason; readonly runAt: number }
  | { readonly type: 'stepped'; readonly name: string }
  | {
      readonly type: 'ended';
      readonly status: Status;
      readonly outcome: OutcomeKind;
      readonly message?: string;
      /** Who ended it, when somebody did and not the work itself. */
      readonly by?: Actor;
    }
  | AttemptBody;

/** Events that may come many times a second: only the newest of them are kept. */
export type HighRateBody =
  | { readonly type: 'progress'; readonly value: number; readonly message?: string }
  | { readonly type: 'log'; readonly level: LogLevel; readonly message: string; readonly data?: Json }
  | { readonly type: 'stream'; readonly data: Json };

/** What an attempt tells of itself: the many small things, and the process groups that it starts. */
export type AttemptBody = HighRateBody | ProcessBody;

/** The life of a process group. One that was cut off with its worker has no end of its own. */
export type ProcessBody =
  /** `command` is the name of the program, without its arguments. */
  | { readonly type: 'spawned'; readonly pid: number; readonly command: string }
  | { readonly type: 'exited'; readonly pid: number; readonly code: number | null; readonly signal: string | null };

/** How much a line of a task's log matters. */
export type LogLevel = 'debug' | 'info' | 'warning' | 'error';

/** The kinds of events. */
export type EventType = EventBody['type'];

/** One entry in a task's history, numbered from 1 without holes. */
export type TaskEvent = EventBody & { readonly seq: number; readonly at: number };

/** Stands in for trimmed events `from`..`to`. */
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

/** Puts a gap wherever numbers are missing after `afterSeq`. */
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
