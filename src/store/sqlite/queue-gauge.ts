/**
 * Tells whether a queue is full without counting it every time.
 *
 * A queue grows only by a transaction that also appends an event. So after one count, taken when the newest event had
 * row r, at most (newest row − r) tasks can have joined since, whichever process queued them. Only when that bound
 * reaches the limit is the queue counted again.
 */
import type { Database } from '../../sqlite/database.ts';

const COUNT = `SELECT count(*) AS queued FROM task WHERE status = 'queued' AND identity = ?`;
const NEWEST = 'SELECT max(row) AS row FROM event';

interface Count {
  readonly queued: number;
  readonly atRow: number;
}

export class QueueGauge {
  readonly #counts = new Map<string, Count>();

  /** Counts when it is time to. Outside of transactions, because what is remembered must not be rolled back. */
  refresh(db: Database, identity: string, limit: number): void {
    if (this.#toBound(db, identity) < limit) return;
    this.#counts.set(identity, { queued: countQueued(db, identity), atRow: findNewestEvent(db) });
  }

  /** How many tasks are queued when that is as many as may be, else nothing. */
  overflow(db: Database, identity: string, limit: number): number | undefined {
    if (this.#toBound(db, identity) < limit) return undefined;
    const queued = countQueued(db, identity);
    return queued < limit ? undefined : queued;
  }

  #toBound(db: Database, identity: string): number {
    const last = this.#counts.get(identity);
    return last === undefined ? Number.POSITIVE_INFINITY : last.queued + findNewestEvent(db) - last.atRow;
  }
}

export function countQueued(db: Database, identity: string): number {
  return db.get<{ queued: number }>(COUNT, identity)?.queued ?? 0;
}

export function findNewestEvent(db: Database): number {
  return db.get<{ row: number | null }>(NEWEST)?.row ?? 0;
}
