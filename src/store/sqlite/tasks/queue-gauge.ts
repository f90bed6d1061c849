/**
 * Checks whether a queue is full without counting it every time.
 *
 * A queue grows only by a transaction that also appends an event. So after one count, taken when the newest event had row r,
 * at most (newest row − r) tasks can have joined since, whichever process queued them. Only when that bound reaches the
 * limit is the queue counted again. Far below the limit, not even the newest row is read before a transaction: the row that
 * the last transaction saw is close enough, since each transaction checks again.
 */
import type { Database } from '../../../sqlite/database.ts';

const COUNT = `SELECT count(*) AS waiting FROM task WHERE status = 'queued' AND identity = ?`;
const COUNT_OF_PRINCIPAL = `SELECT
  (SELECT count(*) FROM task WHERE status = 'queued' AND identity = ?1 AND principal = ?2) +
  (SELECT count(*) FROM task WHERE status = 'input_required' AND identity = ?1 AND principal = ?2) AS waiting`;
const NEWEST = 'SELECT max(row) AS row FROM event';

/** More events than are nearly ever written between two transactions that check. */
const SLACK = 1000;

// A forgotten count only costs another count.
const MAX_COUNTS = 10_000;

/** What is counted: the queue of an identity, or what one principal has waiting in it, including for answers. */
interface Queue {
  readonly identity: string;
  readonly principal?: string;
}

interface Count {
  readonly waiting: number;
  readonly atRow: number;
}

export class QueueGauge {
  readonly #counts = new Map<string, Count>();
  #newest = 0;

  /** Counts when needed. Called outside of transactions, because the remembered count must not be rolled back. */
  refresh(db: Database, queue: Queue, limit: number): void {
    const last = this.#counts.get(toName(queue));
    if (last && last.waiting + this.#newest + SLACK - last.atRow < limit) return;
    if (this.#toBound(db, last) < limit) return;
    if (this.#counts.size >= MAX_COUNTS) this.#counts.clear();
    this.#counts.set(toName(queue), { waiting: countWaiting(db, queue), atRow: findNewestEvent(db) });
  }

  /** How many tasks wait, when the limit is reached; otherwise `undefined`. */
  countIfFull(db: Database, queue: Queue, limit: number): number | undefined {
    if (this.#toBound(db, this.#counts.get(toName(queue))) < limit) return undefined;
    const waiting = countWaiting(db, queue);
    return waiting < limit ? undefined : waiting;
  }

  #toBound(db: Database, last: Count | undefined): number {
    if (last === undefined) return Number.POSITIVE_INFINITY;
    this.#newest = findNewestEvent(db);
    return last.waiting + this.#newest - last.atRow;
  }
}

export function countQueued(db: Database, identity: string): number {
  return countWaiting(db, { identity });
}

export function findNewestEvent(db: Database): number {
  return db.get<{ row: number | null }>(NEWEST)?.row ?? 0;
}

function countWaiting(db: Database, { identity, principal }: Queue): number {
  const found =
    principal === undefined
      ? db.get<{ waiting: number }>(COUNT, identity)
      : db.get<{ waiting: number }>(COUNT_OF_PRINCIPAL, identity, principal);
  return found?.waiting ?? 0;
}

function toName({ identity, principal }: Queue): string {
  return JSON.stringify([identity, principal]);
}
