/**
 * Sees the commits of other processes.
 *
 * `PRAGMA data_version` tells whether there was one. Asking costs microseconds, but so often that an idle process would
 * never rest; so it is asked
 *
 * - eager: every millisecond, for a moment after a commit of interest: who has just asked or answered waits for the other;
 * - busy:  every 5 ms, until a second after it;
 * - quiet: when the system tells that somebody wrote to the log. That comes at the write, before the commit can be seen,
 *          and may be lost; so it is asked again with growing pauses, which end at two seconds;
 * - deaf:  every 25 ms, where the log cannot be watched or a commit was found that nobody told of. A minute later it is
 *          watched again, since the system may have had no watch to give or been late once; each time in vain, twice as long
 *          later, up to an hour.
 */
import { type FSWatcher, watch } from 'node:fs';
import type { Database } from './database.ts';

export interface WakeupOptions {
  /** Called after another connection has committed; tells whether that was of interest. */
  readonly onCommit: () => boolean;
  /** Called when looking fails, once until it works again. */
  readonly onError: (error: unknown) => void;
  /** Tells of writes to a file. @default that of the system */
  readonly watch?: typeof watch;
}

const EAGER_POLL_MS = 1;
const BUSY_POLL_MS = 5;
const DEAF_POLL_MS = 25;
const STAYS_EAGER_MS = 30;
const STAYS_BUSY_MS = 1000;
const STAYS_DEAF_MS = 60_000;
const MAX_DEAF_MS = 3_600_000;
// A sync lies between the write and the commit: the pauses after a write begin short, and grow until there was a commit. It may
// have been another one, so they go on to grow from there.
const FIRST_PAUSE_MS = 1;
const GROWTH = { unseen: 2, seen: 10 };
const MAX_PAUSE_MS = 2000;
// No version of a database is this one.
const UNSEEN = -1;

export class Wakeup {
  readonly #db: Database;
  readonly #options: WakeupOptions;
  #timer: NodeJS.Timeout | undefined;
  #version = UNSEEN;
  #eagerUntil = 0;
  #busyUntil = 0;
  #isFailing = false;
  #watcher: FSWatcher | undefined;
  #deafUntil = 0;
  #deafMs = STAYS_DEAF_MS;
  /** Somebody wrote to the log since the last look. */
  #isTold = false;
  #hasSeen = false;
  #pauseMs = FIRST_PAUSE_MS;

  constructor(db: Database, options: WakeupOptions) {
    this.#db = db;
    this.#options = options;
  }

  start(): void {
    if (this.#timer !== undefined) return;
    this.#version = this.#readVersion();
    this.#deafUntil = 0;
    this.#schedule(this.#toPause());
  }

  stop(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#unwatch();
  }

  /** Something of interest happened: more is likely to follow soon, so look more often. */
  touch(): void {
    const wasEager = performance.now() < this.#eagerUntil;
    this.#stayBusy();
    if (!wasEager && this.#timer !== undefined) this.#schedule(EAGER_POLL_MS);
  }

  /** What a commit of this connection brought could not be read: the next look calls `onCommit` for it. */
  lookAgain(): void {
    this.#version = UNSEEN;
    if (this.#timer !== undefined) this.#schedule(BUSY_POLL_MS);
  }

  #stayBusy(): void {
    this.#eagerUntil = performance.now() + STAYS_EAGER_MS;
    this.#busyUntil = performance.now() + STAYS_BUSY_MS;
  }

  #schedule(ms: number): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(this.#poll, ms);
    this.#timer.unref();
  }

  readonly #poll = (): void => {
    const wasTold = this.#isTold || this.#watcher === undefined;
    this.#isTold = false;
    try {
      const version = this.#readVersion();
      if (version !== this.#version) {
        if (!wasTold && this.#pauseMs === MAX_PAUSE_MS) this.#doubtWatch();
        if (this.#options.onCommit()) this.#stayBusy();
        // Only now: what could not be read is read at the next look, not after the next commit.
        this.#version = version;
        this.#hasSeen = true;
      }
      this.#isFailing = false;
    } catch (error) {
      if (!this.#isFailing) this.#options.onError(error);
      this.#isFailing = true;
    }
    if (this.#timer !== undefined) this.#schedule(this.#toPause());
  };

  #toPause(): number {
    if (performance.now() < this.#busyUntil) {
      // Each commit of our own would be told of, too.
      this.#unwatch();
      return performance.now() < this.#eagerUntil ? EAGER_POLL_MS : BUSY_POLL_MS;
    }
    if (this.#watcher === undefined) {
      // What was committed before the watch began is found by the first look after it.
      this.#pauseMs = FIRST_PAUSE_MS;
      return this.#watch() ? this.#pauseMs : DEAF_POLL_MS;
    }
    if (this.#isFailing) return DEAF_POLL_MS;
    this.#pauseMs = Math.min(this.#pauseMs * (this.#hasSeen ? GROWTH.seen : GROWTH.unseen), MAX_PAUSE_MS);
    return this.#pauseMs;
  }

  /** Whether the log is watched. It lives as long as this connection; whoever replaces it is noticed elsewhere. */
  #watch(): boolean {
    if (performance.now() < this.#deafUntil) return false;
    try {
      const begin = this.#options.watch ?? watch;
      this.#watcher = begin(`${this.#db.path}-wal`, { persistent: false }, this.#onWrite);
      this.#watcher.on('error', this.#becomeDeaf);
      return true;
    } catch {
      // No log, no system that tells, or no more watches allowed.
      this.#stopListening();
      return false;
    }
  }

  #stopListening(): void {
    this.#deafUntil = performance.now() + this.#deafMs;
    this.#deafMs = Math.min(this.#deafMs * 2, MAX_DEAF_MS);
  }

  #unwatch(): void {
    this.#watcher?.close();
    this.#watcher = undefined;
    this.#isTold = false;
  }

  readonly #onWrite = (): void => {
    this.#isTold = true;
    this.#hasSeen = false;
    if (this.#pauseMs === FIRST_PAUSE_MS || this.#timer === undefined) return;
    this.#pauseMs = FIRST_PAUSE_MS;
    this.#schedule(FIRST_PAUSE_MS);
  };

  /** A commit that nobody told of: unless we are told in this very round of the event loop, nobody ever will. */
  #doubtWatch(): void {
    const watcher = this.#watcher;
    setImmediate(() => {
      if (!this.#isTold && this.#watcher === watcher) this.#becomeDeaf();
    });
  }

  readonly #becomeDeaf = (): void => {
    this.#stopListening();
    this.#unwatch();
    if (this.#timer !== undefined) this.#schedule(DEAF_POLL_MS);
  };

  #readVersion(): number {
    return this.#db.get<{ data_version: number }>('PRAGMA data_version')?.data_version ?? 0;
  }
}
