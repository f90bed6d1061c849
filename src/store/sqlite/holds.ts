import type { Database } from '../../sqlite/database.ts';
import type { Hold, HoldRelease, Holds, NewHold } from '../contracts/hold-contract.ts';
import type { Transaction } from './rows.ts';
import { type SqliteState, transact, transactInBackground } from './transact.ts';

const ROW = '(SELECT row FROM task WHERE id = ?)';
const INSERT = 'INSERT INTO hold (task, key, answered_key, holder, grace_ms, is_handed_over) VALUES (?, ?, ?, ?, ?, 0)';
const FREE = `SELECT task.row AS row, task.id AS taskId FROM hold JOIN task ON task.row = hold.task
  WHERE hold.key IN (?, ?) AND task.identity = ? AND hold.holder IS NULL AND task.status != 'cancelled'
  AND task.tombstone_at IS NULL
  AND (task.ended_at IS NULL OR hold.cancel_at IS NULL OR hold.cancel_at > ?)
  ORDER BY hold.task DESC LIMIT 1`;
const ATTEND = `UPDATE hold SET holder = ?, cancel_at = NULL WHERE task = ${ROW} AND coalesce(holder, ?) = ?`;
const LEAVE = `UPDATE hold SET holder = NULL, cancel_at = CASE WHEN is_handed_over = 1 THEN NULL ELSE ? END
  WHERE task = ${ROW} AND holder = ?`;
const HAND_OVER = `UPDATE hold SET holder = NULL, is_handed_over = 1, cancel_at = NULL WHERE task = ${ROW} AND holder = ?`;
const ANSWERED = `UPDATE hold SET holder = NULL, key = coalesce(answered_key, key), cancel_at = coalesce(join_until, ?),
  join_until = coalesce(join_until, ?) WHERE task = ${ROW} AND holder = ?`;
const REMOVE = `DELETE FROM hold WHERE task = ${ROW}`;
const LIST = `SELECT task.id AS taskId, hold.holder AS holder, hold.grace_ms AS graceMs, hold.cancel_at AS cancelAt,
  task.ended_at AS endedAt FROM hold JOIN task ON task.row = hold.task
  WHERE (hold.holder IS NOT NULL OR hold.cancel_at IS NOT NULL)`;
const LIST_ALL = `${LIST} ORDER BY hold.task`;
const LIST_OF_KEY = `${LIST} AND (hold.key = ? OR hold.answered_key = ?) ORDER BY hold.task`;

export function createHolds(state: SqliteState): Holds {
  return {
    attend: (taskId, by) => transact(state, 'hold-attend', ({ db }) => db.run(ATTEND, by, taskId, by, by) > 0),
    release: (taskId, by, how) => transact(state, 'hold-release', (tx) => releaseHold(tx, { taskId, by, how })),
    remove: (taskId) => transactInBackground(state, 'hold-remove', ({ db }) => void db.run(REMOVE, taskId)),
    list: async (key) => {
      const rows = key === undefined ? state.db.all<HoldRow>(LIST_ALL) : state.db.all<HoldRow>(LIST_OF_KEY, key, key);
      return rows.map(toHold);
    },
  };
}

/** Makes `by` the holder of the newest free held task of an identity with the same key. */
export function joinHold(
  { db, now }: Transaction,
  identity: string,
  { key, answeredKey = key, by }: NewHold,
): { readonly taskId: string } | undefined {
  const free = db.get<{ row: number; taskId: string }>(FREE, key, answeredKey, identity, now);
  if (free) db.run('UPDATE hold SET holder = ?, cancel_at = NULL WHERE task = ?', by, free.row);
  return free && { taskId: free.taskId };
}

export function insertHold(db: Database, row: number, { key, answeredKey, by, graceMs }: NewHold): void {
  db.run(INSERT, row, key, answeredKey ?? null, by, graceMs);
}

interface HoldRow {
  readonly taskId: string;
  readonly holder: string | null;
  readonly graceMs: number;
  readonly cancelAt: number | null;
  readonly endedAt: number | null;
}

function releaseHold(
  { db, now }: Transaction,
  { taskId, by, how }: { readonly taskId: string; readonly by: string; readonly how: HoldRelease },
): boolean {
  if (how.how === 'hand-over') return db.run(HAND_OVER, taskId, by) > 0;
  if (how.how === 'answered') {
    const until = now + how.joinMs;
    return db.run(ANSWERED, until, until, taskId, by) > 0;
  }
  return db.run(LEAVE, now + how.graceMs, taskId, by) > 0;
}

function toHold({ taskId, holder, graceMs, cancelAt, endedAt }: HoldRow): Hold {
  return {
    taskId,
    graceMs,
    ...(holder !== null && { by: holder }),
    ...(cancelAt !== null && { cancelAt }),
    ...(endedAt !== null && { endedAt }),
  };
}
