import type { Clock } from '../../clock.ts';
import { readSteady } from '../../clock.ts';
import { STORE_TIME } from '../../limits.ts';
import type { Database } from '../../sqlite/database.ts';
import { type KeptTime, StoreClock, type StoreTime } from '../store-clock.ts';

const READ = `SELECT at, lag_ms AS lagMs, moved_at AS movedAt, steady_ms AS steadyMs, boot, ahead_ms AS aheadMs, ahead_since AS aheadSince
  FROM store_time WHERE id = 1`;
const KEEP = `INSERT INTO store_time (id, at, lag_ms, moved_at, steady_ms, boot, ahead_ms, ahead_since)
  VALUES (1, ?, ?, ?, ?, ?, ?, ?)
  ON CONFLICT (id) DO UPDATE SET at = excluded.at, lag_ms = excluded.lag_ms, moved_at = excluded.moved_at,
    steady_ms = excluded.steady_ms, boot = excluded.boot, ahead_ms = excluded.ahead_ms, ahead_since = excluded.ahead_since`;
const CHANGES = 'SELECT total_changes() AS changes';
const NEWEST = 'SELECT at FROM event WHERE row = (SELECT max(row) FROM event)';

interface TimeRow extends Omit<KeptTime, 'ahead'> {
  readonly aheadMs: number | null;
  readonly aheadSince: number | null;
}

/** The time of a store in a SQLite database, read and written over one connection. */
export class SqliteTime {
  readonly #db: Database;
  readonly #clock: Clock;
  readonly #time: StoreClock;
  #readMs = Number.NaN;
  #kept: KeptTime | undefined;
  #changes = -1;

  constructor(db: Database, clock: Clock) {
    this.#db = db;
    this.#clock = clock;
    this.#time = new StoreClock(clock);
  }

  /** The time; reads the stored record now and then. */
  read(): StoreTime {
    const waitedMs = readSteady(this.#clock).ms - this.#readMs;
    const isFresh = this.#time.isAgreed && waitedMs >= 0 && waitedMs < STORE_TIME.lookEveryMs;
    if (!isFresh) this.#readRecord();
    return this.#time.time();
  }

  /**
   * The time for a write that must not be earlier than any event before it. The clocks of processes may differ by some
   * hundredths of a second, and this process may not have read the record yet.
   */
  readInOrder(): StoreTime {
    const time = this.read();
    const newest = this.#db.get<{ at: number }>(NEWEST)?.at ?? 0;
    if (newest <= time.now) return time;
    this.#readRecord();
    const fresh = this.#time.time();
    // An event further ahead is not of this time: it was written by a wall clock, before stores had a time of their own.
    const isOurs = newest <= fresh.now + STORE_TIME.toleranceMs;
    return isOurs ? { ...fresh, now: Math.max(fresh.now, newest) } : fresh;
  }

  /** Like `read`, for callers that cannot wait until the database is readable: then it counts on from the last record. */
  readOrEstimate(): StoreTime {
    try {
      return this.read();
    } catch {
      return this.#time.time();
    }
  }

  /**
   * Stores the time when that is due. Call it inside a transaction, after its writes: transactions without changes stay
   * without.
   */
  keep(): void {
    if (!this.#time.isDue(this.#kept)) return;
    const changes = this.#db.get<{ changes: number }>(CHANGES)?.changes ?? 0;
    const isIdle = changes === this.#changes;
    this.#changes = changes;
    if (isIdle) return;
    this.#readRecord();
    if (!this.#time.isDue(this.#kept)) return;
    const next = this.#time.move(this.#kept);
    const { at, lagMs, movedAt, steadyMs, boot, ahead } = next;
    this.#db.run(KEEP, at, lagMs, movedAt, steadyMs, boot, ahead?.ms ?? null, ahead?.since ?? null);
    this.#changes += 1;
    this.#kept = next;
  }

  #readRecord(): void {
    this.#kept = toKept(this.#db.get<TimeRow>(READ));
    this.#time.see(this.#kept);
    this.#readMs = readSteady(this.#clock).ms;
  }
}

function toKept(row: TimeRow | undefined): KeptTime | undefined {
  if (row === undefined) return undefined;
  const { at, lagMs, movedAt, steadyMs, boot, aheadMs, aheadSince } = row;
  const ahead = aheadMs === null || aheadSince === null ? undefined : { ms: aheadMs, since: aheadSince };
  return { at, lagMs, movedAt, steadyMs, boot, ahead };
}
