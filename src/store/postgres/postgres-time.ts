/**
 * The time of a store in PostgreSQL.
 *
 * All processes use the database's clock as their wall clock, so the clocks of hosts may differ. It is read with every
 * transaction; in between, each process counts on with its own steady clock. The record in the `store` row turns this into
 * one time that never goes back and that changing a clock cannot move at once: see `store-clock.ts`.
 */
import { type Clock, systemClock } from '../../clock.ts';
import { type KeptTime, StoreClock, type StoreTime } from '../store-clock.ts';

/** The `store` row, and the database's clock. */
export interface StoreRow {
  readonly wall: number;
  readonly version: number;
  readonly at: number | null;
  readonly lag_ms: number | null;
  readonly moved_at: number | null;
  readonly steady_ms: number | null;
  readonly boot: string | null;
  readonly ahead_ms: number | null;
  readonly ahead_since: number | null;
}

export const STORE_COLUMNS = `(extract(epoch FROM clock_timestamp()) * 1000)::double precision AS wall, version, at, lag_ms,
  moved_at, steady_ms, boot, ahead_ms, ahead_since`;

/** Stores the time, unless another process has just done so or is about to. */
export const KEEP_TIME = `UPDATE @store SET at = $2, lag_ms = $3, moved_at = $4, steady_ms = $5, boot = $6, ahead_ms = $7,
  ahead_since = $8 WHERE id = (SELECT id FROM @store WHERE id = 1 AND at IS NOT DISTINCT FROM $1::bigint
    FOR NO KEY UPDATE SKIP LOCKED)`;

export class PostgresTime {
  readonly #wall: DatabaseClock | undefined;
  readonly #time: StoreClock;
  #kept: KeptTime | undefined;

  /** `clock` is given by tests only. */
  constructor(clock?: Clock) {
    this.#wall = clock ? undefined : new DatabaseClock();
    this.#time = new StoreClock(clock ?? (this.#wall as Clock));
  }

  /** Updates the time from what the database returned. */
  see(row: StoreRow): void {
    this.#wall?.set(row.wall);
    this.#kept = toKept(row);
    this.#time.see(this.#kept);
  }

  read(): StoreTime {
    return this.#time.time();
  }

  /** The values for `KEEP_TIME`, when storing is due. */
  keep(): unknown[] | undefined {
    if (!this.#time.isDue(this.#kept)) return undefined;
    const before = this.#kept?.at ?? null;
    const next = this.#time.move(this.#kept);
    this.#kept = next;
    const { at, lagMs, movedAt, steadyMs, boot, ahead } = next;
    return [before, at, lagMs, movedAt, steadyMs, boot, ahead?.ms ?? null, ahead?.since ?? null];
  }
}

/** The wall clock of the database, as estimated by this process. */
class DatabaseClock implements Clock {
  #offsetMs = Date.now() - performance.now();

  set(wall: number): void {
    this.#offsetMs = wall - performance.now();
  }

  now = (): number => performance.now() + this.#offsetMs;
  monotonic = (): number => systemClock.monotonic();
  steady = () => systemClock.steady?.() ?? { ms: systemClock.monotonic(), boot: `${process.pid}` };
  after = (ms: number, fn: () => void) => systemClock.after(ms, fn);
}

function toKept(row: StoreRow): KeptTime | undefined {
  const { at, lag_ms: lagMs, moved_at: movedAt, steady_ms: steadyMs, boot } = row;
  if (at === null || lagMs === null || movedAt === null || steadyMs === null || boot === null) return undefined;
  const { ahead_ms: ms, ahead_since: since } = row;
  return { at, lagMs, movedAt, steadyMs, boot, ahead: ms === null || since === null ? undefined : { ms, since } };
}
