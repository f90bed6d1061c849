import type { Hold, HoldRelease, Holds, NewHold } from '../contracts/hold-contract.ts';
import type { PostgresState } from './postgres-state.ts';
import type { Transaction } from './transaction.ts';

const ROW = '(SELECT row FROM @task WHERE id = $1)';
const INSERT = `INSERT INTO @hold (task, key, answered_key, holder, grace_ms, is_handed_over)
  VALUES ($1, $2, $3, $4, $5, false)`;
const FREE = `SELECT hold.task AS row, task.id AS "taskId" FROM @hold AS hold JOIN @task AS task ON task.row = hold.task
  WHERE hold.key IN ($1, $2) AND task.identity = $3 AND hold.holder IS NULL AND task.status <> 'cancelled'
    AND task.tombstone_at IS NULL AND (task.ended_at IS NULL OR hold.cancel_at IS NULL OR hold.cancel_at > $4)
  ORDER BY hold.task DESC LIMIT 1 FOR UPDATE OF hold SKIP LOCKED`;
const TAKE_UP = 'UPDATE @hold SET holder = $2, cancel_at = NULL WHERE task = $1';
const ATTEND = `UPDATE @hold SET holder = $2, cancel_at = NULL WHERE task = ${ROW} AND coalesce(holder, $2) = $2`;
const LEAVE = `UPDATE @hold SET holder = NULL, cancel_at = CASE WHEN is_handed_over THEN NULL ELSE $3::bigint END
  WHERE task = ${ROW} AND holder = $2`;
const HAND_OVER = `UPDATE @hold SET holder = NULL, is_handed_over = true, cancel_at = NULL
  WHERE task = ${ROW} AND holder = $2`;
const ANSWERED = `UPDATE @hold SET holder = NULL, key = coalesce(answered_key, key), cancel_at = coalesce(join_until, $3),
  join_until = coalesce(join_until, $3) WHERE task = ${ROW} AND holder = $2`;
const REMOVE = `DELETE FROM @hold WHERE task = ${ROW}`;
const LIST = `SELECT task.id AS "taskId", hold.holder, hold.grace_ms AS "graceMs", hold.cancel_at AS "cancelAt",
  task.ended_at AS "endedAt" FROM @hold AS hold JOIN @task AS task ON task.row = hold.task
  WHERE (hold.holder IS NOT NULL OR hold.cancel_at IS NOT NULL)`;
const LIST_ALL = `${LIST} ORDER BY hold.task`;
const LIST_OF_KEY = `${LIST} AND (hold.key = $1 OR hold.answered_key = $1) ORDER BY hold.task`;

interface HoldRow {
  readonly taskId: string;
  readonly holder: string | null;
  readonly graceMs: number;
  readonly cancelAt: number | null;
  readonly endedAt: number | null;
}

export function createHolds({ connection, transactor, reads }: PostgresState): Holds {
  return {
    attend: (taskId, by) => transactor.run('hold-attend', async (tx) => (await tx.run(ATTEND, taskId, by)) > 0),
    release: (taskId, by, how) => transactor.run('hold-release', (tx) => release(tx, { taskId, by, how })),
    remove: (taskId) => transactor.run('hold-remove', async (tx) => tx.enqueue(REMOVE, taskId)),
    list: (key) =>
      reads(async () => {
        const rows = await (key === undefined
          ? connection.read<HoldRow>(LIST_ALL)
          : connection.read<HoldRow>(LIST_OF_KEY, key));
        return rows.map(toHold);
      }),
  };
}

/** Makes `by` the holder of the newest free held task of an identity with the same key. */
export async function joinHold(
  tx: Transaction,
  identity: string,
  { key, answeredKey = key, by }: NewHold,
): Promise<string | undefined> {
  const free = await tx.row<{ row: number; taskId: string }>(FREE, key, answeredKey, identity, tx.now);
  if (free) tx.enqueue(TAKE_UP, free.row, by);
  return free?.taskId;
}

export function insertHold(tx: Transaction, row: number, { key, answeredKey, by, graceMs }: NewHold): void {
  tx.enqueue(INSERT, row, key, answeredKey ?? null, by, graceMs);
}

async function release(
  tx: Transaction,
  { taskId, by, how }: { readonly taskId: string; readonly by: string; readonly how: HoldRelease },
): Promise<boolean> {
  if (how.how === 'hand-over') return (await tx.run(HAND_OVER, taskId, by)) > 0;
  if (how.how === 'answered') return (await tx.run(ANSWERED, taskId, by, tx.now + how.joinMs)) > 0;
  return (await tx.run(LEAVE, taskId, by, tx.now + how.graceMs)) > 0;
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
