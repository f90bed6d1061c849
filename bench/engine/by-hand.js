// @ts-check
/**
 * The same life cycle of a task, written by hand: the code of someone who needs nothing but these three transactions.
 *
 * Same tables, same indexes, same rows and events, same pragmas; prepared statements on the bare driver, one BEGIN IMMEDIATE
 * … COMMIT with a sync each. No queue, no leases, no context, no change feed.
 */
import { openSqliteStore } from 'holdfast';
import { openDriver } from '../../dist/sqlite/driver.js';
import { makeTaskId, makeToken } from '../../dist/task/id.js';

const IDENTITY = 'written-by-hand-000000';
const TTL_MS = 3_600_000;

const SETTINGS = `
  PRAGMA synchronous = full;
  PRAGMA journal_size_limit = 16777216;
  PRAGMA cache_size = -8000;
  PRAGMA temp_store = memory;
`;
const INSERT_TASK = `INSERT INTO task (id, tool, principal, identity, status, estimate_ms, created_at, updated_at, ttl_ms,
    poll_interval_ms, attempt, fence, spend, idempotent, max_attempts, run_at, last_seq, high_rate, questions,
    open_questions, steps, args)
  VALUES (?, 'noop', 'local', ?, 'queued', 0, ?, ?, ?, 1000, 0, 0, 1, 0, 1, ?, 1, 0, 0, 0, 0, ?)`;
const INSERT_EVENT = 'INSERT INTO event (task, seq, at, type, body) VALUES (?, ?, ?, ?, ?)';
const NEXT = `SELECT row, args, fence FROM task
  WHERE status = 'queued' AND identity = ? AND principal = 'local' AND tool = 'noop' AND run_at <= ?
  ORDER BY run_at, row LIMIT 1`;
const LEASE = `UPDATE task SET status = 'working', worker = ?, attempt = 1, fence = ?, started_at = ?, updated_at = ?,
  last_seq = 2 WHERE row = ?`;
const END = `UPDATE task SET status = 'completed', outcome = ?, worker = NULL, ended_at = ?, expires_at = ?,
  updated_at = ?, last_seq = 3 WHERE row = ? AND fence = ? AND worker = ?`;
const LEARN = `INSERT INTO learned (identity, tool, principal, runs) VALUES (?1, 'noop', 'local', json_array(?2))
  ON CONFLICT (identity, tool, principal) DO UPDATE SET runs = json_insert(
    CASE WHEN json_array_length(runs) >= 20 THEN json_remove(runs, '$[0]') ELSE runs END, '$[#]', ?2)`;

/** @param {string} path */
export async function openByHand(path) {
  // The store creates the file, so that the tables are the same.
  await (await openSqliteStore({ path })).close();
  const driver = openDriver(path, { readOnly: false });
  driver.exec(SETTINGS);
  const begin = driver.prepare('BEGIN IMMEDIATE');
  const commit = driver.prepare('COMMIT');
  const insertTask = driver.prepare(INSERT_TASK);
  const insertEvent = driver.prepare(INSERT_EVENT);
  const next = driver.prepare(NEXT);
  const lease = driver.prepare(LEASE);
  const end = driver.prepare(END);
  const learn = driver.prepare(LEARN);
  const worker = makeToken();

  /** @param {unknown} args */
  const create = (args) => {
    const now = Date.now();
    begin.run();
    const { lastInsertRowid } = insertTask.run(makeTaskId(now), IDENTITY, now, now, TTL_MS, now, JSON.stringify(args));
    insertEvent.run(lastInsertRowid, 1, now, 'submitted', null);
    commit.run();
  };

  const claim = () => {
    const now = Date.now();
    begin.run();
    const task = /** @type {{ row: number, args: string, fence: number }} */ (next.get(IDENTITY, now));
    const fence = task.fence + 1;
    insertEvent.run(task.row, 2, now, 'claimed', JSON.stringify({ attempt: 1, fence, worker }));
    lease.run(worker, fence, now, now, task.row);
    commit.run();
    return { row: task.row, fence, args: JSON.parse(task.args) };
  };

  /**
   * @param {{ row: number, fence: number }} task
   * @param {unknown} value
   */
  const settle = ({ row, fence }, value) => {
    const now = Date.now();
    begin.run();
    insertEvent.run(row, 3, now, 'ended', JSON.stringify({ status: 'completed', outcome: 'result' }));
    end.run(JSON.stringify({ kind: 'result', value }), now, now + TTL_MS, now, row, fence, worker);
    learn.run(IDENTITY, 0);
    commit.run();
  };

  return { create, claim, settle, close: () => driver.close() };
}
