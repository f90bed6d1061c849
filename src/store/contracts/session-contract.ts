/** What a store remembers of the sessions of HTTP clients: only what their signed ids cannot say. */

/** A session, as its id tells. */
export interface SessionRef {
  /** Unguessable, and never used twice. */
  readonly sessionId: string;
  readonly principal: string;
  /** Epoch ms. */
  readonly openedAt: number;
}

/** When a session was last used, as far as somebody noted it, or that it is over. */
export type SessionState = { readonly isEnded: true } | { readonly isEnded: false; readonly usedAt?: number };

/**
 * Sessions that have ended, and those that are in use for long.
 *
 * A session nobody noted anything about is alive. What is noted is forgotten at `expiresAt`, when the session is over
 * by its age, and of one principal no more than `max` are remembered one by one: beyond that the older half becomes one
 * mark, and every session of the principal that was opened before it is over.
 */
export interface Sessions {
  /** Notes that a session is in use; one that has ended stays so. */
  touch(session: SessionRef, note: SessionNote): Promise<void>;
  /** Ends a session, for every process on the store. */
  end(session: SessionRef, note: SessionNote): Promise<void>;
  find(session: SessionRef): Promise<SessionState>;
}

/** How long and how many ended sessions are remembered. */
export interface SessionNote {
  /** When it can be forgotten. */
  readonly expiresAt: number;
  /** How many of one principal are remembered one by one. */
  readonly max: number;
}
