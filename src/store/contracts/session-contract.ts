/** What a store keeps about the sessions of HTTP clients: only what their signed ids cannot contain. */

/** A session, as decoded from its id. */
export interface SessionRef {
  /** Unguessable, and never reused. */
  readonly sessionId: string;
  readonly principal: string;
  /** Epoch ms. */
  readonly openedAt: number;
}

/** When a session was last used, if that was recorded, or that it has ended. */
export type SessionState = { readonly isEnded: true } | { readonly isEnded: false; readonly usedAt?: number };

/**
 * Sessions that have ended, and sessions in long use.
 *
 * A session without a record is alive. A record is deleted at `expiresAt`, when the session is over by its age anyway. At
 * most `max` sessions of one principal are recorded individually: beyond that, the older half is replaced by one mark, and
 * every session of the principal opened before the mark counts as ended.
 */
export interface Sessions {
  /** Records that a session is in use; an ended session stays ended. */
  touch(session: SessionRef, note: SessionNote): Promise<void>;
  /** Ends a session for every process on the store. */
  end(session: SessionRef, note: SessionNote): Promise<void>;
  find(session: SessionRef): Promise<SessionState>;
}

/** How long, and how many, sessions are recorded. */
export interface SessionNote {
  /** When the record can be deleted. */
  readonly expiresAt: number;
  /** How many sessions of one principal are recorded individually. */
  readonly max: number;
}
