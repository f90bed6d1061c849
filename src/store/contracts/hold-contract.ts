/** Held calls: plain calls (without tasks) whose request the server keeps open, and which of them a new call can take up. */

/**
 * Holds on the tasks behind plain calls whose request a server keeps open.
 *
 * A held task has at most one holder, the process that keeps the request open. Without a holder it is in one of three
 * states:
 * - left: the client went away, and the task is cancelled at `cancelAt`
 * - handed over: it lives on like any other task
 * - answered: it has ended and a response was sent, but it is not known whether the response arrived
 *
 * A hold ends when the result is known to have arrived, or when the task expires.
 */
export interface Holds {
  /** Makes `by` the holder. `false` when the task has another holder or is not held. */
  attend(taskId: string, by: string): Promise<boolean>;
  /**
   * Ends the wait of `by`. A hand-over is permanent: leaving the task later sets no `cancelAt`. The time in which an
   * answered call can be taken up counts from its first response. `false` when `by` is not the holder.
   */
  release(taskId: string, by: string, how: HoldRelease): Promise<boolean>;
  /** Ends the hold on a task. */
  remove(taskId: string): Promise<void>;
  /** Lists the holds that have a holder or a `cancelAt`; with `key` only those whose key or `answeredKey` equals it. */
  list(key?: string): Promise<Hold[]>;
}

/** The hold of a new call. */
export interface NewHold {
  /** Calls with the same key ask for the same work. */
  readonly key: string;
  /** Used instead of `key` once the call was answered. @default the key */
  readonly answeredKey?: string;
  /** The holder: who keeps the request open. */
  readonly by: string;
  /** How long the task survives without a holder when its holder is lost. */
  readonly graceMs: number;
}

/** Why a holder stops waiting. */
export type HoldRelease =
  | { readonly how: 'hand-over' }
  | { readonly how: 'leave'; readonly graceMs: number }
  /** For `joinMs`, calls with the same `answeredKey` can take the task up. */
  | { readonly how: 'answered'; readonly joinMs: number };

/** A held call: its holder, or when it is cancelled. */
export interface Hold {
  readonly taskId: string;
  /** The holder, if there is one. */
  readonly by?: string;
  readonly graceMs: number;
  /** When the task is cancelled unless a call takes it up. A task that has ended cannot be taken up from then on. */
  readonly cancelAt?: number;
  /** When the task ended, if it has. */
  readonly endedAt?: number;
}
