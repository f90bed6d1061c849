// @ts-check
/**
 * The same life cycle of a task in PostgreSQL, written by hand: prepared statements on the bare driver, three transactions
 * with a sync each, in the store's own tables with all their indexes. No queue, no leases, no notifications.
 *
 * With `many` tasks it is the code of someone who has a whole batch: the same rows, one statement for all of them.
 */
import pg from 'pg';
import { makeTaskId, makeToken } from '../../dist/task/id.js';

const IDENTITY = 'written-by-hand-000000';
const TTL_MS = 3_600_000;
const ZEROES = `0, 0, true, false, 1`;

/** @param {string} s the schema */
const toTexts = (s) => ({
  create: `WITH made AS (INSERT INTO ${s}.task (row, id, tool, principal, identity, status, created_at, updated_at, ttl_ms,
      attempt, fence, spend, idempotent, max_attempts, run_at, last_seq, high_rate, questions, open_questions, steps, losses,
      behind, bytes, args)
    SELECT nextval('${s}.task_row'), id, 'noop', 'local', '${IDENTITY}', 'queued', $2, $2, ${TTL_MS}, ${ZEROES}, $2, 1, 0, 0, 0,
      0, 0, false, 0, args FROM unnest($1::text[], $3::text[]) AS new(id, args) RETURNING row)
    INSERT INTO ${s}.event (task, seq, at, type) SELECT row, 1, $2, 'submitted' FROM made`,
  next: `SELECT row, args, fence FROM ${s}.task WHERE status = 'queued' AND identity = '${IDENTITY}' AND tool = 'noop'
    AND principal = 'local' AND NOT behind AND run_at <= $1 ORDER BY run_at, row LIMIT $2 FOR UPDATE SKIP LOCKED`,
  lease: `UPDATE ${s}.task SET status = 'working', worker = $2, attempt = 1, fence = fence + 1, started_at = $3, updated_at = $3,
    last_seq = 2 WHERE row = ANY($1::bigint[])`,
  event: `INSERT INTO ${s}.event (task, seq, at, type, body) SELECT task, $2, $3, $4, $5 FROM unnest($1::bigint[]) AS task`,
  end: `UPDATE ${s}.task AS task SET status = 'completed', outcome = new.outcome, worker = NULL, ended_at = $3, expires_at = $4,
    updated_at = $3, last_seq = 3 FROM unnest($1::bigint[], $2::text[]) AS new(row, outcome)
    WHERE task.row = new.row AND fence = 1 AND worker = $5`,
  learn: `INSERT INTO ${s}.learned (identity, tool, principal, ran_ms)
    SELECT '${IDENTITY}', 'noop', 'local', 0 FROM generate_series(1, $1)`,
});

/** @typedef {{ row: string, args: string }} Held */

/** @param {{ url: string, schema: string, connections: number }} options */
export function openPostgresByHand({ url, schema, connections }) {
  const pool = new pg.Pool({ connectionString: url, max: connections });
  const texts = toTexts(schema);
  const worker = makeToken();

  /** @template T @param {(ask: (name: keyof typeof texts, ...values: unknown[]) => Promise<any[]>) => Promise<T>} verbs */
  async function transact(verbs) {
    const client = await pool.connect();
    try {
      await client.query('BEGIN');
      const value = await verbs(async (name, ...values) => {
        return (await client.query({ name, text: texts[name], values })).rows;
      });
      await client.query('COMMIT');
      return value;
    } finally {
      client.release();
    }
  }

  /** @param {readonly unknown[]} args */
  const create = (args) =>
    transact(async (ask) => {
      const now = Date.now();
      const ids = args.map(() => makeTaskId(now));
      await ask(
        'create',
        ids,
        now,
        args.map((one) => JSON.stringify(one)),
      );
    });

  /** @param {number} many @returns {Promise<Held[]>} */
  const claim = (many) =>
    transact(async (ask) => {
      const now = Date.now();
      const tasks = /** @type {Held[]} */ (await ask('next', now, many));
      const rows = tasks.map(({ row }) => row);
      await ask('lease', rows, worker, now);
      await ask('event', rows, 2, now, 'claimed', JSON.stringify({ attempt: 1, fence: 1, worker }));
      return tasks;
    });

  /** @param {readonly Held[]} tasks */
  const settle = (tasks) =>
    transact(async (ask) => {
      const now = Date.now();
      const rows = tasks.map(({ row }) => row);
      const outcomes = tasks.map(({ args }) => JSON.stringify({ kind: 'result', value: JSON.parse(args) }));
      await ask('end', rows, outcomes, now, now + TTL_MS, worker);
      await ask('event', rows, 3, now, 'ended', JSON.stringify({ status: 'completed', outcome: 'result' }));
      await ask('learn', tasks.length);
    });

  return { create, claim, settle, close: () => pool.end() };
}
