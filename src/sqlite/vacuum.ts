import type { Database } from './database.ts';

const LOCK_WAIT_MS = 10_000;

/** Rewrites the whole file, so that no deleted or replaced data is left in it. Other writers wait meanwhile. */
export function vacuumDatabase(db: Database): void {
  db.exec(`PRAGMA busy_timeout = ${LOCK_WAIT_MS}`);
  db.exec('VACUUM');
  // The log may still contain old data.
  db.exec('PRAGMA wal_checkpoint(TRUNCATE); PRAGMA busy_timeout = 0');
}
