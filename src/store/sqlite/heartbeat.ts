/**
 * Heartbeats from a thread of their own, which goes on while the main thread is blocked.
 *
 * Its connection may wait for the write lock, and need not wait for the disk: a heartbeat that a power cut undoes
 * belongs to a worker that the same cut has ended.
 */
import { systemClock } from '../../clock.ts';
import type { Database } from '../../sqlite/database.ts';
import { openDatabase } from '../../sqlite/open.ts';
import type { Heartbeat } from '../contract.ts';
import { STORE_SCHEMA } from './schema.ts';
import { renewWorker } from './workers.ts';

const BUSY_TIMEOUT_MS = 500;

/** Loaded by the heartbeat thread through `Store.heartbeat`. */
export function openHeartbeat(options: { readonly path: string }): Heartbeat {
  const db = openDatabase({
    path: options.path,
    schema: STORE_SCHEMA,
    create: false,
    synchronous: 'normal',
    busyTimeoutMs: BUSY_TIMEOUT_MS,
  });
  return {
    renew: (workerId, leaseMs) => renew(db, { workerId, leaseMs }),
    close: () => db.close(),
  };
}

function renew(db: Database, beat: { readonly workerId: string; readonly leaseMs: number }) {
  db.run('BEGIN IMMEDIATE');
  try {
    const state = renewWorker({ db, now: systemClock.now() }, beat);
    db.run('COMMIT');
    return state;
  } catch (error) {
    db.rollBack();
    throw error;
  }
}
