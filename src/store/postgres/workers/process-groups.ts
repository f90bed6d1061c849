/** Process groups that tasks have started, on record until they are known to have ended. */
import { ORPHAN_KEEP_MS, type ProcessGroupRef, type WorkerRegistry } from '../../contracts/worker-contract.ts';
import type { PostgresState } from '../postgres-state.ts';
import type { Transaction } from '../transaction.ts';

const COLUMNS = 'worker AS "workerId", task_id AS "taskId", host, pid, start_time AS "startTime"';
// Locked until the commit, as by claims: `recover` of the worker waits, and then finds the group.
const IN_CHARGE = 'SELECT 1 FROM @worker WHERE id = $1 FOR KEY SHARE';
const TRACK = `INSERT INTO @process_group (worker, pid, host, start_time, task_id, orphaned_at)
  VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT (worker, pid) DO UPDATE SET host = excluded.host,
    start_time = excluded.start_time, task_id = excluded.task_id, orphaned_at = excluded.orphaned_at`;
const UNTRACK = 'DELETE FROM @process_group WHERE worker = $1 AND pid = $2';
const OF_WORKER = `SELECT ${COLUMNS} FROM @process_group WHERE worker = $1 ORDER BY pid`;
const ORPHANED = `SELECT ${COLUMNS} FROM @process_group WHERE host = $1 AND orphaned_at IS NOT NULL ORDER BY worker, pid`;
const ORPHAN = 'UPDATE @process_group SET orphaned_at = $2 WHERE worker = $1';
const DROP = 'DELETE FROM @process_group WHERE worker = $1';
const FORGET = 'DELETE FROM @process_group WHERE orphaned_at <= $1';

type Groups = Pick<WorkerRegistry, 'track' | 'untrack' | 'groups' | 'orphanedGroups'>;

export function createGroups({ connection, transactor, reads }: PostgresState): Groups {
  return {
    track: (group) => transactor.run('worker-track', (tx) => track(tx, group)),
    untrack: (workerId, pid) => transactor.run('worker-untrack', async (tx) => tx.enqueue(UNTRACK, workerId, pid)),
    groups: (workerId) => reads(() => connection.read<ProcessGroupRef>(OF_WORKER, workerId)),
    orphanedGroups: (host) => reads(() => connection.read<ProcessGroupRef>(ORPHANED, host)),
  };
}

async function track(tx: Transaction, { workerId, pid, host, startTime, taskId }: ProcessGroupRef): Promise<void> {
  const isInCharge = (await tx.row(IN_CHARGE, workerId)) !== undefined;
  tx.enqueue(TRACK, workerId, pid, host, startTime, taskId, isInCharge ? null : tx.now);
}

/** Marks the process groups of a worker as orphans. */
export function orphanGroups(tx: Transaction, workerId: string): void {
  tx.enqueue(ORPHAN, workerId, tx.now);
}

export function dropGroups(tx: Transaction, workerId: string): void {
  tx.enqueue(DROP, workerId);
}

export function forgetOrphans(tx: Transaction): void {
  tx.enqueue(FORGET, tx.certain - ORPHAN_KEEP_MS);
}
