/**
 * Session lifetimes: a session lasts until its client ends it, it has been idle for too long, or it is too old.
 *
 * The id of a session says when it was opened. That it was ended, or has been in use for long, is recorded in the
 * store, for every process on it; the last use is written only now and then, and is exact to a tenth of the maximum
 * idle time. A server without a store remembers ended sessions in memory.
 */
import type { Clock } from '../../clock.ts';
import type { Engine } from '../../engine/engine.ts';
import { MAX_REMEMBERED_SESSIONS } from '../../limits.ts';
import type { HttpSettings } from '../http-options.ts';
import type { SessionRecord } from './session-id.ts';

type Sessions = Engine['sessions'];

export interface SessionLifetimesOptions {
  readonly clock: Clock;
  readonly http: Pick<HttpSettings, 'sessionMaxIdleMs' | 'sessionMaxAgeMs'>;
  /** Opens the store's record of sessions; resolves with undefined where no store is opened for them. */
  openSessions(): Promise<Sessions | undefined>;
}

// How many times the last use is recorded per maximum idle time.
const RECORDS_PER_IDLE_TIME = 10;

export class SessionLifetimes {
  readonly #options: SessionLifetimesOptions;
  /** Ended sessions, for a server without a store. */
  readonly #ended = new Set<string>();
  /** When the use of a session was last recorded, by nonce; only of sessions in use. */
  readonly #recordedAt = new Map<string, number>();

  constructor(options: SessionLifetimesOptions) {
    this.#options = options;
  }

  /** Whether a session is over. @param usedAt when it was last used here, if it was */
  async isOver(record: SessionRecord, usedAt = 0): Promise<boolean> {
    const { clock, http } = this.#options;
    const now = clock.now();
    if (now >= record.openedAt + http.sessionMaxAgeMs) return true;
    const state = (await (await this.#options.openSessions())?.find(toRef(record))) ?? {
      isEnded: this.#ended.has(record.nonce),
    };
    if (state.isEnded) return true;
    const recordedAt = 'usedAt' in state ? (state.usedAt ?? 0) : 0;
    return now >= Math.max(record.openedAt, recordedAt, usedAt) + http.sessionMaxIdleMs;
  }

  /** Records that a session is in use, unless that was done recently. */
  async use(record: SessionRecord): Promise<void> {
    const now = this.#options.clock.now();
    const recordedAt = this.#recordedAt.get(record.nonce) ?? record.openedAt;
    if (now < recordedAt + this.#options.http.sessionMaxIdleMs / RECORDS_PER_IDLE_TIME) return;
    this.#recordedAt.set(record.nonce, now);
    await (await this.#options.openSessions())?.touch(toRef(record), this.#toRecord(record));
  }

  /** Ends a session, here and for every process on the store. */
  async end(record: SessionRecord): Promise<void> {
    this.forget(record);
    const sessions = await this.#options.openSessions();
    if (sessions) await sessions.end(toRef(record), this.#toRecord(record));
    else this.#remember(record.nonce);
  }

  /** Drops what is remembered of a session that was removed from memory. */
  forget({ nonce }: SessionRecord): void {
    this.#recordedAt.delete(nonce);
  }

  #toRecord({ openedAt }: SessionRecord) {
    return { expiresAt: openedAt + this.#options.http.sessionMaxAgeMs, max: MAX_REMEMBERED_SESSIONS };
  }

  #remember(nonce: string): void {
    this.#ended.add(nonce);
    const [oldest] = this.#ended;
    if (this.#ended.size > MAX_REMEMBERED_SESSIONS && oldest !== undefined) this.#ended.delete(oldest);
  }
}

function toRef({ nonce, principal, openedAt }: SessionRecord) {
  return { sessionId: nonce, principal, openedAt };
}
