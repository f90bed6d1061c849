/**
 * Notifies subscribers of what was committed, in this or another process.
 *
 * Events are read from the database after a cursor, once a commit was made or detected. SQLite has one writer at a time, so
 * the order of event rows is the order of commits. Events written by this process are not read back when they come right
 * after the cursor: then no other process has written in between. Without subscribers nothing is read at all.
 */

import { CommitWatcher } from '../../sqlite/commit-watcher.ts';
import type { Database } from '../../sqlite/database.ts';
import type { Change, Changes } from '../contract.ts';
import { findNewestEvent } from './tasks/queue-gauge.ts';
import type { EventRun } from './written-events.ts';

const AFTER = `SELECT event.row AS row, task.id AS taskId, event.type AS type FROM event
  JOIN task ON task.row = event.task WHERE event.row > ? ORDER BY event.row LIMIT ? + 0`;
const PAGE = 1000;

type Listener = (changes: readonly Change[]) => void;

export class ChangeFeed implements Changes {
  readonly #db: Database;
  readonly #watcher: CommitWatcher;
  readonly #onError: (error: unknown) => void;
  readonly #listeners = new Set<Listener>();
  #cursor = 0;

  constructor(db: Database, onError: (error: unknown) => void) {
    this.#db = db;
    this.#onError = onError;
    this.#watcher = new CommitWatcher(db, { onCommit: () => this.#announceUnread(), onError });
  }

  subscribe(listener: Listener): () => void {
    // A separate wrapper, so that a function subscribed twice is called twice and each subscription ends separately.
    const entry: Listener = (changes) => listener(changes);
    if (this.#listeners.size === 0) this.#start();
    this.#listeners.add(entry);
    return () => {
      if (this.#listeners.delete(entry) && this.#listeners.size === 0) this.#watcher.stop();
    };
  }

  /** Call after each commit of this connection, with what it wrote; without `written` the events are read. */
  announce(written?: EventRun): void {
    if (this.#listeners.size === 0 || written?.changes.length === 0) return;
    try {
      if (this.#announceWritten(written) || this.#announceUnread()) this.#watcher.pollSoon();
    } catch (error) {
      this.#watcher.invalidate();
      this.#onError(error);
    }
  }

  close(): void {
    this.#listeners.clear();
    this.#watcher.stop();
  }

  #start(): void {
    this.#watcher.start();
    this.#cursor = findNewestEvent(this.#db);
  }

  /** Rows are numbered without gaps, so a run that starts with the next number is complete. */
  #announceWritten(written: EventRun | undefined): boolean {
    if (written?.firstRow !== this.#cursor + 1) return false;
    this.#cursor += written.changes.length;
    this.#notifyListeners(written.changes);
    return true;
  }

  /** Returns whether there was anything to announce. */
  #announceUnread(): boolean {
    let found = 0;
    // A listener may close the store.
    while (this.#listeners.size > 0) {
      const rows = this.#db.all<Change & { readonly row: number }>(AFTER, this.#cursor, PAGE);
      const last = rows.at(-1);
      if (last === undefined) return found > 0;
      found += rows.length;
      this.#cursor = last.row;
      this.#notifyListeners(rows.map(({ taskId, type }) => ({ taskId, type })));
      if (rows.length < PAGE) return true;
    }
    return found > 0;
  }

  #notifyListeners(changes: readonly Change[]): void {
    for (const listener of [...this.#listeners]) {
      try {
        listener(changes);
      } catch (error) {
        this.#onError(error);
      }
    }
  }
}
