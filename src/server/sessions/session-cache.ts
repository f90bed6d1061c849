import type { LegacySession } from './legacy-session.ts';
import type { SessionRecord } from './session-id.ts';

/** A session in memory. */
export interface KeptSession {
  readonly sessionId: string;
  readonly record: SessionRecord;
  readonly session: LegacySession;
  /** Resolves when it can be used. */
  readonly starting: Promise<LegacySession>;
  /** Epoch ms. */
  usedAt: number;
  /** Requests that have found it and are not answered yet. */
  users: number;
}

/** Whether somebody needs a session in memory: it has an open stream, or a request is on its way to it. */
export function isInUse({ users, session }: KeptSession): boolean {
  return users > 0 || !session.isIdle;
}

export interface KeptSessionsOptions {
  readonly max: number;
  readonly maxPerPrincipal: number;
  /** A session had to make room, or is not needed. */
  onDropped(kept: KeptSession): void;
}

/** What there is not enough of: the share of one principal, or room for anybody. */
export interface NoRoom {
  readonly isOwn: boolean;
  readonly max: number;
}

/** The sessions in memory, each principal's least recently used first. */
export class KeptSessions {
  readonly #options: KeptSessionsOptions;
  readonly #all = new Map<string, KeptSession>();
  readonly #byPrincipal = new Map<string, Map<string, KeptSession>>();

  constructor(options: KeptSessionsOptions) {
    this.#options = options;
  }

  get size(): number {
    return this.#all.size;
  }

  get(sessionId: string): KeptSession | undefined {
    return this.#all.get(sessionId);
  }

  list(): readonly KeptSession[] {
    return [...this.#all.values()];
  }

  /** Makes room for one more session of this principal, at the cost of one that nobody uses. */
  makeRoom(principal: string): NoRoom | undefined {
    const { max, maxPerPrincipal } = this.#options;
    const own = this.#byPrincipal.get(principal);
    if (own && own.size >= maxPerPrincipal && !this.#dropIdle(own)) return { isOwn: true, max: maxPerPrincipal };
    if (this.#all.size >= max && !this.#dropIdle(this.#all)) return { isOwn: false, max };
    return undefined;
  }

  add(kept: KeptSession): KeptSession {
    const { sessionId, record } = kept;
    const own = this.#byPrincipal.get(record.principal) ?? new Map<string, KeptSession>();
    this.#byPrincipal.set(record.principal, own.set(sessionId, kept));
    this.#all.set(sessionId, kept);
    return kept;
  }

  /** Puts a session last in line for being dropped. */
  use(kept: KeptSession, now: number): void {
    kept.usedAt = now;
    this.remove(kept);
    this.add(kept);
  }

  /** Takes a session out without a word to it. */
  remove({ sessionId, record }: KeptSession): void {
    this.#all.delete(sessionId);
    const own = this.#byPrincipal.get(record.principal);
    own?.delete(sessionId);
    if (own?.size === 0) this.#byPrincipal.delete(record.principal);
  }

  drop(kept: KeptSession): void {
    if (this.#all.get(kept.sessionId) !== kept) return;
    this.remove(kept);
    this.#options.onDropped(kept);
  }

  /** Takes all of them out. */
  clear(): readonly KeptSession[] {
    const all = this.list();
    this.#all.clear();
    this.#byPrincipal.clear();
    return all;
  }

  #dropIdle(sessions: ReadonlyMap<string, KeptSession>): boolean {
    for (const kept of sessions.values()) {
      if (isInUse(kept)) continue;
      this.drop(kept);
      return true;
    }
    return false;
  }
}
