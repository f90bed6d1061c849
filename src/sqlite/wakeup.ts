/**
 * Sees the commits of other processes by polling `PRAGMA data_version`, which costs a few microseconds.
 *
 * Watching the file instead would be wrong: its events come at the write, before the commit can be seen, and some
 * never come.
 */
import type { Database } from './database.ts';

export interface WakeupOptions {
  /** Called after another connection has committed; tells whether that was of interest. */
  readonly onCommit: () => boolean;
  /** Called when looking fails, once until it works again. */
  readonly onError: (error: unknown) => void;
}

const ACTIVE_POLL_MS = 5;
const QUIET_POLL_MS = 25;
// A program that speaks every few seconds is heard at once each time.
const STAYS_ACTIVE_MS = 10_000;
// No version of a database is this one.
const UNSEEN = -1;

export class Wakeup {
  readonly #db: Database;
  readonly #options: WakeupOptions;
  #timer: NodeJS.Timeout | undefined;
  #version = UNSEEN;
  #activeUntil = 0;
  #isFailing = false;

  constructor(db: Database, options: WakeupOptions) {
    this.#db = db;
    this.#options = options;
  }

  start(): void {
    if (this.#timer !== undefined) return;
    this.#version = this.#readVersion();
    this.#schedule();
  }

  stop(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  /** Something of interest happened: more is likely to follow soon, so look more often. */
  touch(): void {
    const wasQuiet = performance.now() > this.#activeUntil;
    this.#activeUntil = performance.now() + STAYS_ACTIVE_MS;
    if (wasQuiet && this.#timer !== undefined) this.#schedule();
  }

  /** What a commit of this connection brought could not be read: the next look calls `onCommit` for it. */
  lookAgain(): void {
    this.#version = UNSEEN;
  }

  #schedule(): void {
    clearTimeout(this.#timer);
    const isActive = performance.now() < this.#activeUntil;
    this.#timer = setTimeout(this.#poll, isActive ? ACTIVE_POLL_MS : QUIET_POLL_MS);
    this.#timer.unref();
  }

  readonly #poll = (): void => {
    try {
      const version = this.#readVersion();
      if (version !== this.#version) {
        if (this.#options.onCommit()) this.#activeUntil = performance.now() + STAYS_ACTIVE_MS;
        // Only now: what could not be read is read at the next look, not after the next commit.
        this.#version = version;
      }
      this.#isFailing = false;
    } catch (error) {
      if (!this.#isFailing) this.#options.onError(error);
      this.#isFailing = true;
    }
    if (this.#timer !== undefined) this.#schedule();
  };

  #readVersion(): number {
    return this.#db.get<{ data_version: number }>('PRAGMA data_version')?.data_version ?? 0;
  }
}
