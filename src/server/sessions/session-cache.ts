import type { LegacySession } from './legacy-session.ts';
import type { SessionRecord } from './session-id.ts';

/** A session in memory. */
export interface CachedSession {
  readonly sessionId: string;
  readonly record: SessionRecord;
  readonly session: LegacySession;
  /** Resolves when the session can be used. */
  readonly starting: Promise<LegacySession>;
  /** Epoch ms. */
  usedAt: number;
  /** How many requests have looked it up and are not answered yet. */
  users: number;
}

/** Whether a session must stay in memory: it has an open stream, or a request is about to use it. */
export function isInUse({ users, session }: CachedSession): boolean {
  return users > 0 || !session.isIdle;
}

export interface SessionCacheOptions {
  readonly max: number;
  readonly maxPerPrincipal: number;
  /** Called when a session was evicted for another, or is no longer needed. */
  onDropped(kept: CachedSession): void;
}

/** Which limit is reached: the share of one principal, or the total. */
export interface CacheLimit {
  readonly isOwn: boolean;
  readonly max: number;
}

/** The sessions in memory, in total and per principal, least recently used first. */
export class SessionCache {
  readonly #options: SessionCacheOptions;
  readonly #all = new Map<string, CachedSession>();
  readonly #byPrincipal = new Map<string, Map<string, CachedSession>>();

  constructor(options: SessionCacheOptions) {
    this.#options = options;
  }

  get size(): number {
    return this.#all.size;
  }

  get(sessionId: string): CachedSession | undefined {
    return this.#all.get(sessionId);
  }

  list(): readonly CachedSession[] {
    return [...this.#all.values()];
  }

  /** Makes room for one more session of this principal, by dropping an idle one; returns the limit if there is none. */
  makeRoom(principal: string): CacheLimit | undefined {
    const { max, maxPerPrincipal } = this.#options;
    const own = this.#byPrincipal.get(principal);
    if (own && own.size >= maxPerPrincipal && !this.#dropIdle(own)) return { isOwn: true, max: maxPerPrincipal };
    if (this.#all.size >= max && !this.#dropIdle(this.#all)) return { isOwn: false, max };
    return undefined;
  }

  add(kept: CachedSession): CachedSession {
    const { sessionId, record } = kept;
    const own = this.#byPrincipal.get(record.principal) ?? new Map<string, CachedSession>();
    this.#byPrincipal.set(record.principal, own.set(sessionId, kept));
    this.#all.set(sessionId, kept);
    return kept;
  }

  /** Marks a session as most recently used, so that it is dropped last. */
  use(kept: CachedSession, now: number): void {
    kept.usedAt = now;
    this.remove(kept);
    this.add(kept);
  }

  /** Removes a session without closing it. */
  remove({ sessionId, record }: CachedSession): void {
    this.#all.delete(sessionId);
    const own = this.#byPrincipal.get(record.principal);
    own?.delete(sessionId);
    if (own?.size === 0) this.#byPrincipal.delete(record.principal);
  }

  drop(kept: CachedSession): void {
    if (this.#all.get(kept.sessionId) !== kept) return;
    this.remove(kept);
    this.#options.onDropped(kept);
  }

  /** Removes all sessions, without closing them. */
  clear(): readonly CachedSession[] {
    const all = this.list();
    this.#all.clear();
    this.#byPrincipal.clear();
    return all;
  }

  #dropIdle(sessions: ReadonlyMap<string, CachedSession>): boolean {
    for (const kept of sessions.values()) {
      if (isInUse(kept)) continue;
      this.drop(kept);
      return true;
    }
    return false;
  }
}
