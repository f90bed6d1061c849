/** Process groups that tasks have started, on record until they are known to have ended. */
import type { Database } from '../../../sqlite/database.ts';
import { ORPHAN_KEEP_MS, type ProcessGroupRef } from '../../contracts/worker-contract.ts';
import type { Transaction } from '../rows.ts';

const COLUMNS = 'worker AS workerId, task_id AS taskId, host, pid, start_time AS startTime';
const TRACK = `INSERT INTO process_group (worker, pid, host, start_time, task_id, orphaned_at)
  VALUES (?1, ?2, ?3, ?4, ?5, CASE WHEN EXISTS (SELECT 1 FROM worker WHERE id = ?1) THEN NULL ELSE ?6 END)
  ON CONFLICT (worker, pid) DO UPDATE SET host = excluded.host, start_time = excluded.start_time,
    task_id = excluded.task_id, orphaned_at = excluded.orphaned_at`;
const UNTRACK = 'DELETE FROM process_group WHERE worker = ? AND pid = ?';
const OF_WORKER = `SELECT ${COLUMNS} FROM process_group WHERE worker = ? ORDER BY pid`;
const ORPHANED = `SELECT ${COLUMNS} FROM process_group WHERE host = ? AND orphaned_at IS NOT NULL ORDER BY worker, pid`;
const ORPHAN = 'UPDATE process_group SET orphaned_at = ? WHERE worker = ?';
const FORGET = 'DELETE FROM process_group WHERE orphaned_at <= ?';

export function trackGroup({ db, now }: Transaction, group: ProcessGroupRef): void {
  db.run(TRACK, group.workerId, group.pid, group.host, group.startTime, group.taskId, now);
}

export function untrackGroup({ db }: Transaction, workerId: string, pid: number): void {
  db.run(UNTRACK, workerId, pid);
}

export function listGroups(db: Database, workerId: string): ProcessGroupRef[] {
  return db.all<ProcessGroupRef>(OF_WORKER, workerId).map((row) => ({ ...row }));
}

export function listOrphanedGroups(db: Database, host: string): ProcessGroupRef[] {
  return db.all<ProcessGroupRef>(ORPHANED, host).map((row) => ({ ...row }));
}

/** Marks the process groups of a worker as orphans. */
export function orphanGroups({ db, now }: Transaction, workerId: string): void {
  db.run(ORPHAN, now, workerId);
}

export function dropGroups(db: Database, workerId: string): void {
  db.run('DELETE FROM process_group WHERE worker = ?', workerId);
}

export function forgetOrphans({ db, certain }: Transaction): void {
  db.run(FORGET, certain - ORPHAN_KEEP_MS);
}
