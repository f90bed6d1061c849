import type { Database } from './database.ts';

const LOCK_WAIT_MS = 10_000;

/** Writes the whole file anew, so that nothing that was deleted or replaced is left in it. Others who write wait. */
export function vacuumDatabase(db: Database): void {
  db.exec(`PRAGMA busy_timeout = ${LOCK_WAIT_MS}`);
  db.exec('VACUUM');
  // What was written before may still stand in the log.
  db.exec('PRAGMA wal_checkpoint(TRUNCATE); PRAGMA busy_timeout = 0');
}
