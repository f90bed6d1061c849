/**
 * Detects the commits of other processes.
 *
 * `PRAGMA data_version` shows whether there was one. A read costs microseconds, but constant polling would never let an idle
 * process rest, so the poll interval depends on the state:
 *
 * - eager: every millisecond, for a moment after a commit of interest: a process that has just asked or answered another
 *          one waits for its reply;
 * - busy:  every 5 ms, until a second after such a commit;
 * - quiet: when the file watcher reports a write to the log. The report comes at the write, before the commit is visible,
 *          and may be lost; so polling goes on with growing pauses, up to two seconds;
 * - deaf:  every 25 ms, when the log cannot be watched, or a commit was found that the watcher did not report. A minute
 *          later watching is tried again, since watches may have run out or one report may have been late; after each
 *          failure the time doubles, up to an hour.
 */
import { type FSWatcher, watch } from 'node:fs';
import type { Database } from './database.ts';

export interface WakeupOptions {
  /** Called after another connection has committed; returns whether the commit was of interest. */
  readonly onCommit: () => boolean;
  /** Called when polling fails, then not again until it has worked. */
  readonly onError: (error: unknown) => void;
  /** Watches a file for writes. @default `fs.watch` */
  readonly watch?: typeof watch;
}

const EAGER_POLL_MS = 1;
const BUSY_POLL_MS = 5;
const DEAF_POLL_MS = 25;
const STAYS_EAGER_MS = 30;
const STAYS_BUSY_MS = 1000;
const STAYS_DEAF_MS = 60_000;
const MAX_DEAF_MS = 3_600_000;
// There is a sync between the write and the commit: the pauses after a write start short, and grow until a commit is seen.
// That may have been a different commit, so the pauses keep growing from there.
const FIRST_PAUSE_MS = 1;
const GROWTH = { unseen: 2, seen: 10 };
const MAX_PAUSE_MS = 2000;
// A value that `data_version` never has.
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
  /** Whether the log was written to since the last poll. */
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

  /** Polls more often for a while: after something of interest, more is likely to follow soon. */
  touch(): void {
    const wasEager = performance.now() < this.#eagerUntil;
    this.#stayBusy();
    if (!wasEager && this.#timer !== undefined) this.#schedule(EAGER_POLL_MS);
  }

  /** Makes the next poll call `onCommit`, because what a commit of this connection wrote could not be read. */
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
        // Set last: if `onCommit` throws, the next poll repeats it, instead of the next commit.
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
      // The watcher would report each of our own commits too.
      this.#unwatch();
      return performance.now() < this.#eagerUntil ? EAGER_POLL_MS : BUSY_POLL_MS;
    }
    if (this.#watcher === undefined) {
      // The first poll after this finds what was committed before the watch began.
      this.#pauseMs = FIRST_PAUSE_MS;
      return this.#watch() ? this.#pauseMs : DEAF_POLL_MS;
    }
    if (this.#isFailing) return DEAF_POLL_MS;
    this.#pauseMs = Math.min(this.#pauseMs * (this.#hasSeen ? GROWTH.seen : GROWTH.unseen), MAX_PAUSE_MS);
    return this.#pauseMs;
  }

  /** Whether the log is watched. It exists as long as this connection; `DatabaseFile` detects a replaced log. */
  #watch(): boolean {
    if (performance.now() < this.#deafUntil) return false;
    try {
      const begin = this.#options.watch ?? watch;
      this.#watcher = begin(`${this.#db.path}-wal`, { persistent: false }, this.#onWrite);
      this.#watcher.on('error', this.#becomeDeaf);
      return true;
    } catch {
      // No log, no support by the system, or no more watches allowed.
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

  /**
   * Handles a commit that the watcher did not report: if the report does not arrive in this round of the event loop, it
   * never will.
   */
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
