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
 * - fallback: every 25 ms, when the log cannot be watched, or a commit was found that the watcher did not report. A minute
 *          later watching is tried again, since watches may have run out or one report may have been late; after each
 *          failure the time doubles, up to an hour.
 */
import { type FSWatcher, watch } from 'node:fs';
import type { Database } from './database.ts';

export interface CommitWatcherOptions {
  /** Called after another connection has committed; returns whether the commit was of interest. */
  readonly onCommit: () => boolean;
  /** Called when polling fails, then not again until it has worked. */
  readonly onError: (error: unknown) => void;
  /** Watches a file for writes. @default `fs.watch` */
  readonly watch?: typeof watch;
}

const EAGER_POLL_MS = 1;
const BUSY_POLL_MS = 5;
const FALLBACK_POLL_MS = 25;
const STAYS_EAGER_MS = 30;
const STAYS_BUSY_MS = 1000;
const FALLBACK_MS = 60_000;
const MAX_FALLBACK_MS = 3_600_000;
// There is a sync between the write and the commit: the pauses after a write start short, and grow until a commit is seen.
// That may have been a different commit, so the pauses keep growing from there.
const FIRST_PAUSE_MS = 1;
const GROWTH = { unseen: 2, seen: 10 };
const MAX_PAUSE_MS = 2000;
// A value that `data_version` never has.
const UNKNOWN_VERSION = -1;

export class CommitWatcher {
  readonly #db: Database;
  readonly #options: CommitWatcherOptions;
  #timer: NodeJS.Timeout | undefined;
  #version = UNKNOWN_VERSION;
  #eagerUntil = 0;
  #busyUntil = 0;
  #isFailing = false;
  #watcher: FSWatcher | undefined;
  #fallbackUntil = 0;
  #fallbackMs = FALLBACK_MS;
  /** Whether the log was written to since the last poll. */
  #wasNotified = false;
  #hasSeenCommit = false;
  #pauseMs = FIRST_PAUSE_MS;

  constructor(db: Database, options: CommitWatcherOptions) {
    this.#db = db;
    this.#options = options;
  }

  start(): void {
    if (this.#timer !== undefined) return;
    this.#version = this.#readVersion();
    this.#fallbackUntil = 0;
    this.#schedule(this.#nextPause());
  }

  stop(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#unwatch();
  }

  /** Polls more often for a while: after something of interest, more is likely to follow soon. */
  pollSoon(): void {
    const wasEager = performance.now() < this.#eagerUntil;
    this.#stayBusy();
    if (!wasEager && this.#timer !== undefined) this.#schedule(EAGER_POLL_MS);
  }

  /** Makes the next poll call `onCommit`, because what a commit of this connection wrote could not be read. */
  invalidate(): void {
    this.#version = UNKNOWN_VERSION;
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
    const wasNotified = this.#wasNotified || this.#watcher === undefined;
    this.#wasNotified = false;
    try {
      const version = this.#readVersion();
      if (version !== this.#version) {
        if (!wasNotified && this.#pauseMs === MAX_PAUSE_MS) this.#verifyWatch();
        if (this.#options.onCommit()) this.#stayBusy();
        // Set last: if `onCommit` throws, the next poll repeats it, instead of the next commit.
        this.#version = version;
        this.#hasSeenCommit = true;
      }
      this.#isFailing = false;
    } catch (error) {
      if (!this.#isFailing) this.#options.onError(error);
      this.#isFailing = true;
    }
    if (this.#timer !== undefined) this.#schedule(this.#nextPause());
  };

  #nextPause(): number {
    if (performance.now() < this.#busyUntil) {
      // The watcher would report each of our own commits too.
      this.#unwatch();
      return performance.now() < this.#eagerUntil ? EAGER_POLL_MS : BUSY_POLL_MS;
    }
    if (this.#watcher === undefined) {
      // The first poll after this finds what was committed before the watch began.
      this.#pauseMs = FIRST_PAUSE_MS;
      return this.#watch() ? this.#pauseMs : FALLBACK_POLL_MS;
    }
    if (this.#isFailing) return FALLBACK_POLL_MS;
    this.#pauseMs = Math.min(this.#pauseMs * (this.#hasSeenCommit ? GROWTH.seen : GROWTH.unseen), MAX_PAUSE_MS);
    return this.#pauseMs;
  }

  /** Whether the log is watched. It exists as long as this connection; `DatabaseFile` detects a replaced log. */
  #watch(): boolean {
    if (performance.now() < this.#fallbackUntil) return false;
    try {
      const begin = this.#options.watch ?? watch;
      this.#watcher = begin(`${this.#db.path}-wal`, { persistent: false }, this.#onWrite);
      this.#watcher.on('error', this.#fallBackToPolling);
      return true;
    } catch {
      // No log, no support by the system, or no more watches allowed.
      this.#postponeWatch();
      return false;
    }
  }

  #postponeWatch(): void {
    this.#fallbackUntil = performance.now() + this.#fallbackMs;
    this.#fallbackMs = Math.min(this.#fallbackMs * 2, MAX_FALLBACK_MS);
  }

  #unwatch(): void {
    this.#watcher?.close();
    this.#watcher = undefined;
    this.#wasNotified = false;
  }

  readonly #onWrite = (): void => {
    this.#wasNotified = true;
    this.#hasSeenCommit = false;
    if (this.#pauseMs === FIRST_PAUSE_MS || this.#timer === undefined) return;
    this.#pauseMs = FIRST_PAUSE_MS;
    this.#schedule(FIRST_PAUSE_MS);
  };

  /**
   * Handles a commit that the watcher did not report: if the report does not arrive in this round of the event loop, it
   * never will.
   */
  #verifyWatch(): void {
    const watcher = this.#watcher;
    setImmediate(() => {
      if (!this.#wasNotified && this.#watcher === watcher) this.#fallBackToPolling();
    });
  }

  readonly #fallBackToPolling = (): void => {
    this.#postponeWatch();
    this.#unwatch();
    if (this.#timer !== undefined) this.#schedule(FALLBACK_POLL_MS);
  };

  #readVersion(): number {
    return this.#db.get<{ data_version: number }>('PRAGMA data_version')?.data_version ?? 0;
  }
}
