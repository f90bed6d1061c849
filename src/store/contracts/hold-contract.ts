/** Which plain calls are waited for on an open line, and which can be taken up again. */

/**
 * Tasks behind plain calls that somebody keeps a line open for.
 *
 * A held task is waited for by one holder, or by nobody: then it has been left, and is to be cancelled at a time, or it
 * was handed over, and lives like any task, or it has ended and been answered, and whether the answer arrived is not
 * known. It stops being held when its result has arrived, or with its expiry.
 */
export interface Holds {
  /** Makes `by` the one who waits. False when somebody else does, or the task is not held. */
  attend(taskId: string, by: string): Promise<boolean>;
  /**
   * `by` waits no longer. Handed over is for good: to leave it later sets no time to cancel. How long one that was
   * answered can be taken up counts from the first answer. False when `by` did not wait.
   */
  release(taskId: string, by: string, how: HoldRelease): Promise<boolean>;
  /** The task is not held any more. */
  remove(taskId: string): Promise<void>;
  /** All that are waited for or to be cancelled; with `key` only those that have it, as either of their keys. */
  list(key?: string): Promise<Hold[]>;
}

/** A wait that begins. */
export interface NewHold {
  /** Calls with the same key ask for the same thing. */
  readonly key: string;
  /** The same for those that were answered. @default the key */
  readonly answeredKey?: string;
  /** Who waits. */
  readonly by: string;
  /** How long it lives when whoever waits for it is lost. */
  readonly graceMs: number;
}

/** Why nobody waits any more. */
export type HoldRelease =
  | { readonly how: 'hand-over' }
  | { readonly how: 'leave'; readonly graceMs: number }
  /** For `joinMs` it is taken up by calls with the same `answeredKey`. */
  | { readonly how: 'answered'; readonly joinMs: number };

/** A plain call that somebody waits for on an open line, or has left. */
export interface Hold {
  readonly taskId: string;
  /** Who waits, if anybody. */
  readonly by?: string;
  readonly graceMs: number;
  /** When it is to be cancelled, if nobody takes it up. From then on one that has ended is not taken up any more. */
  readonly cancelAt?: number;
  /** When its task ended, if it has. */
  readonly endedAt?: number;
}
