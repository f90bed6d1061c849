/**
 * Sends heartbeats from a separate thread, which continues while the main thread is blocked.
 *
 * Its connection waits for the write lock, but not for the disk: when a power cut undoes a heartbeat, it has ended the
 * worker as well.
 */
import { systemClock } from '../../../clock.ts';
import { isTaskError } from '../../../errors.ts';
import type { Database } from '../../../sqlite/database.ts';
import { refuseNewer } from '../../../sqlite/migrate.ts';
import { openDatabase } from '../../../sqlite/open.ts';
import { pause } from '../../../sqlite/pause.ts';
import type { Heartbeat } from '../../contract.ts';
import type { WorkerState } from '../../contracts/worker-contract.ts';
import { STORE_SCHEMA } from '../schema.ts';
import { SqliteTime } from '../sqlite-time.ts';
import { renewWorker } from './workers.ts';

const LOCK_WAIT_MS = 500;

/** A heartbeat that waits for nothing but the lock. */
interface SqliteHeartbeat extends Heartbeat {
  renew(workerId: string, leaseMs: number): WorkerState | undefined;
  close(): void;
}

/** Loaded by the heartbeat thread through `Store.heartbeat`. */
export function openHeartbeat(options: { readonly path: string; readonly keepsTime?: boolean }): SqliteHeartbeat {
  const db = openDatabase({
    path: options.path,
    schema: STORE_SCHEMA,
    create: false,
    synchronous: 'normal',
  });
  const time = new SqliteTime(db, systemClock);
  const keep = () => options.keepsTime && time.keep();
  return {
    renew: (workerId, leaseMs) => renew(db, { workerId, leaseMs, time, keep }),
    close: () => db.close(),
  };
}

interface Renewal {
  readonly workerId: string;
  readonly leaseMs: number;
  readonly time: SqliteTime;
  keep(): void;
}

function renew(db: Database, renewal: Renewal) {
  begin(db);
  try {
    // A worker that is not allowed to write any more must lose its leases, or its tasks could never be recovered.
    refuseNewer(db, STORE_SCHEMA.migrations.length);
    const state = renewWorker({ db, ...renewal.time.read() }, renewal);
    renewal.keep();
    db.commit();
    return state;
  } catch (error) {
    db.rollBack();
    throw error;
  }
}

// SQLite's own busy handler backs off longer and longer, and a busy writer never leaves a gap that long.
function begin(db: Database): void {
  const endsAt = performance.now() + LOCK_WAIT_MS;
  for (;;) {
    try {
      db.beginImmediate();
      return;
    } catch (error) {
      if (!isTaskError(error, 'STORE_LOCKED') || performance.now() >= endsAt) throw error;
      pause(0.5 + Math.random());
    }
  }
}
