import { KEPT_HIGH_RATE_EVENTS } from '../../../task/event.ts';
import type { SettledOutcome } from '../../../task/outcome.ts';
import type { SweepRequest, Swept } from '../../contracts/task-contract.ts';
import { toTaskBytes } from '../../stored-bytes.ts';
import { toSure } from '../../sweep-limits.ts';
import { toExpired } from '../../tombstone.ts';
import type { Transaction } from '../transaction.ts';
import { forgetOrphans } from '../workers/process-groups.ts';
import { leaveQueue } from './task-queue.ts';
import { type TaskRow, WORK_COLUMNS } from './task-row.ts';

const TAKE = 'FOR UPDATE OF task SKIP LOCKED';
const TOMBSTONES = `SELECT ${WORK_COLUMNS} FROM @task AS task WHERE tombstone_at <= $1
  AND (tombstone_at <= $2 OR tombstone_at >= $3) ORDER BY tombstone_at LIMIT $4 ${TAKE}`;
const IS_ENDED = 'ended_at IS NOT NULL AND tombstone_at IS NULL';
const IS_DELIVERED = 'NOT EXISTS (SELECT 1 FROM @outbox AS outbox WHERE outbox.task = task.row)';
const EXPIRED = `SELECT ${WORK_COLUMNS}, task.outcome AS said FROM @task AS task
  WHERE ${IS_ENDED} AND expires_at <= $1 AND (expires_at <= $2 OR ended_at >= $3) AND ${IS_DELIVERED}
  ORDER BY expires_at LIMIT $4 ${TAKE}`;
const ENDED = `SELECT ${WORK_COLUMNS}, task.outcome AS said FROM @task AS task
  WHERE ${IS_ENDED} AND ended_at <= $1 AND ${IS_DELIVERED} ORDER BY expires_at LIMIT $2 ${TAKE}`;
const OVERLONG = `SELECT ${WORK_COLUMNS} FROM @task AS task WHERE high_rate > ${KEPT_HIGH_RATE_EVENTS} LIMIT $1 ${TAKE}`;
const WRITE_TOMBSTONE = `UPDATE @task SET args = NULL, outcome = $2, deliver = NULL, progress = NULL, trace = NULL, tombstone_at = $3
  WHERE row = $1`;
const DROP_EVENTS = 'DELETE FROM @event WHERE task = ANY($1::bigint[])';
const DROP_PARTS = ['question', 'step', 'artifact', 'hold'].map(
  (table) => `DELETE FROM @${table} WHERE task = ANY($1::bigint[])`,
);
const FORGET = 'DELETE FROM @task WHERE row = ANY($1::bigint[])';
const COUNT_DOWN = 'INSERT INTO @usage (principal, identity, bytes) VALUES ($1, $2, -$3::bigint)';
// Merges the increments that no other transaction has locked.
const FOLD = `WITH oldest AS (SELECT row, principal, identity FROM @usage ORDER BY row LIMIT 5000),
  many AS (SELECT principal, identity FROM oldest GROUP BY principal, identity HAVING count(*) > 1),
  gone AS (DELETE FROM @usage WHERE row IN (SELECT usage.row FROM @usage AS usage JOIN oldest USING (row) JOIN many
      ON many.principal = usage.principal AND many.identity = usage.identity FOR UPDATE OF usage SKIP LOCKED)
    RETURNING principal, identity, bytes)
  INSERT INTO @usage (principal, identity, bytes)
    SELECT principal, identity, sum(bytes) FROM gone GROUP BY principal, identity HAVING sum(bytes) <> 0`;
const NOBODY = `(SELECT coalesce(sum(bytes), 0) FROM @usage AS usage
  WHERE usage.principal = $1 AND usage.identity = $2) = 0`;
const FORGET_SERVED = `DELETE FROM @served WHERE principal = $1 AND identity = $2 AND ${NOBODY}`;
const FORGET_TURNS = `UPDATE @turn SET served = 0 WHERE principal = $1 AND identity = $2 AND ${NOBODY}`;

/** About how many events one transaction deletes, so that a sweep does not hold its locks for long. */
const EVENTS_PER_PART = 5000;
/** How many tasks one transaction sweeps. */
const TASKS_PER_PART = 500;

interface EndedRow extends TaskRow {
  /** Its outcome; named differently from `outcome`, which would be written back. */
  readonly said: string;
}

/** Runs each part in a transaction of its own. */
export type RunPart = <T>(part: (tx: Transaction) => Promise<T>) => Promise<T>;

/** Deletes old tombstones before it makes new ones, so that a tombstone stays readable at least until the next sweep. */
export async function sweep(request: SweepRequest, run: RunPart): Promise<Swept> {
  const forgotten = await run((tx) => forget(tx, request));
  let expired = 0;
  for (;;) {
    const limit = Math.min(TASKS_PER_PART, request.limit - expired);
    if (limit <= 0) break;
    const part = await run((tx) => expire(tx, { ...request, limit }));
    expired += part.tasks;
    if (!part.isCut && part.tasks < limit) break;
  }
  const trimmed = await run((tx) => trim(tx, request.limit));
  await run(async (tx) => {
    forgetOrphans(tx);
    await tx.run(FOLD);
  });
  return { expired, forgotten, trimmed };
}

async function forget(tx: Transaction, request: SweepRequest): Promise<number> {
  const { tombstonesUpTo, movedAt } = toSure(request, tx);
  const old = await tx.findAll(TOMBSTONES, request.tombstonesBefore, tombstonesUpTo, movedAt, request.limit);
  if (old.length === 0) return 0;
  for (const task of old) await leaveQueue(tx, task);
  await tx.flush();
  tx.enqueue(
    FORGET,
    old.map(({ row }) => row),
  );
  const owners = new Map<string, readonly [string, string]>();
  for (const { principal, identity, bytes } of old) {
    owners.set(JSON.stringify([principal, identity]), [principal, identity]);
    tx.enqueue(COUNT_DOWN, principal, identity, bytes);
  }
  for (const owner of owners.values()) {
    for (const text of [FORGET_SERVED, FORGET_TURNS]) tx.enqueue(text, ...owner);
  }
  return old.length;
}

async function expire(tx: Transaction, request: SweepRequest): Promise<{ tasks: number; isCut: boolean }> {
  const found = await findExpired(tx, request);
  const batch = takeBatch(found);
  const rows = batch.map(({ row }) => row);
  if (batch.length > 0) {
    tx.enqueue(DROP_EVENTS, rows);
    for (const text of DROP_PARTS) tx.enqueue(text, rows);
  }
  for (const task of batch) writeTombstone(tx, task, request);
  return { tasks: batch.length, isCut: batch.length < found.length };
}

async function findExpired(tx: Transaction, request: SweepRequest): Promise<EndedRow[]> {
  const { expiresBefore, endedBefore, limit } = request;
  const { expiresUpTo, movedAt } = toSure(request, tx);
  const expired = (await tx.findAll(EXPIRED, expiresBefore, expiresUpTo, movedAt, limit)) as EndedRow[];
  if (endedBefore === undefined || expired.length >= limit) return expired;
  const seen = new Set(expired.map(({ row }) => row));
  const ended = (await tx.findAll(ENDED, endedBefore, limit)) as EndedRow[];
  return [...expired, ...ended.filter(({ row }) => !seen.has(row))].slice(0, limit);
}

/** The first tasks that have few enough events together, and at least one task. */
function takeBatch(tasks: readonly EndedRow[]): EndedRow[] {
  let events = 0;
  return tasks.filter(({ last_seq }, place) => {
    const fits = place === 0 || events < EVENTS_PER_PART;
    events += last_seq;
    return fits;
  });
}

function writeTombstone(tx: Transaction, task: EndedRow, { by }: SweepRequest): void {
  const outcome = JSON.stringify(toExpired(JSON.parse(task.said) as SettledOutcome, by));
  const { alias, idempotency_key: key, labels } = task;
  Object.assign(task, { questions: 0, steps: 0, high_rate: 0, updated_at: tx.now, progress: null });
  task.bytes = toTaskBytes({ alias, key, labels }, outcome);
  tx.change(task);
  tx.enqueue(WRITE_TOMBSTONE, task.row, outcome, tx.now);
}

async function trim(tx: Transaction, limit: number): Promise<number> {
  let trimmed = 0;
  for (const task of await tx.findAll(OVERLONG, limit)) {
    if (trimmed >= EVENTS_PER_PART) break;
    trimmed += await tx.trim(task);
  }
  return trimmed;
}
