/** Which plain calls are waited for on an open line, and which can be taken up again. */

/**
 * Tasks behind plain calls that somebody keeps a line open for.
 *
 * A held task is waited for by one holder, or by nobody: then it has been left, and is to be cancelled at a time, or it
 * was handed over, and lives like any task. It stops being held when its result has been answered, or with its expiry.
 */
export interface Holds {
  /** Makes `by` the one who waits. False when somebody else does, or the task is not held. */
  attend(taskId: string, by: string): Promise<boolean>;
  /** `by` waits no longer. Handed over is for good: later releases set no time to cancel. False when it did not wait. */
  release(taskId: string, by: string, how: HoldRelease): Promise<boolean>;
  /** The task is not held any more. */
  remove(taskId: string): Promise<void>;
  /** All that are waited for or to be cancelled; with `key` only those that ask for that. */
  list(key?: string): Promise<Hold[]>;
}

export interface NewHold {
  /** Calls with the same key ask for the same thing. */
  readonly key: string;
  /** Who waits. */
  readonly by: string;
  /** How long it lives when whoever waits for it is lost. */
  readonly graceMs: number;
}

export type HoldRelease = { readonly how: 'hand-over' } | { readonly how: 'leave'; readonly graceMs: number };

export interface Hold {
  readonly taskId: string;
  /** Who waits, if anybody. */
  readonly by?: string;
  readonly graceMs: number;
  /** When it is to be cancelled, if nobody takes it up. */
  readonly cancelAt?: number;
}
