// @ts-check
/**
 * Fills a store with finished tasks, as years of use would leave them: rows, events and index entries as the engine writes
 * them, in large transactions without a sync.
 */
import { closeSync, fsyncSync, openSync } from 'node:fs';
import { openSqliteStore } from 'holdfast';
import { openDriver } from '../../dist/sqlite/driver.js';
import { makeTaskId, makeToken } from '../../dist/task/id.js';

const BATCH = 50_000;
const TTL_MS = 7 * 86_400_000;
const RUN_MS = 1500;
/** The time between two submissions. */
const STEP_MS = 40;
const PRINCIPALS = ['local', 'local', 'local', 'ada', 'grace'];
const TOOLS = ['noop', 'render_report', 'fetch_page'];

const INSERT_TASK = `INSERT INTO task (id, tool, principal, identity, status, status_message, progress, estimate_ms,
    created_at, updated_at, started_at, ended_at, expires_at, ttl_ms, poll_interval_ms, attempt, fence, spend, idempotent,
    max_attempts, run_at, last_seq, high_rate, questions, open_questions, steps, args, outcome)
  VALUES (?, ?, ?, ?, ?, ?, ?, 1500, ?, ?, ?, ?, ?, ?, 1000, 1, 1, 1, 1, 3, ?, ?, ?, 0, 0, 0, ?, ?)`;
const INSERT_EVENT = 'INSERT INTO event (task, seq, at, type, body) VALUES (?, ?, ?, ?, ?)';

/** @typedef {import('../../dist/sqlite/driver.js').SqliteStatement} SqliteStatement */

/**
 * @param {string} path
 * @param {{ count: number, identity: string }} what
 * @returns {Promise<string[]>} up to 2000 of the ids, spread over all tasks
 */
export async function fillStore(path, { count, identity }) {
  await (await openSqliteStore({ path })).close();
  const driver = openDriver(path, { readOnly: false });
  // Fast, and not crash-safe: a fill that is killed leaves a corrupt file, which is discarded anyway.
  driver.exec('PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA cache_size = -200000');
  const fill = createFill(driver, identity);
  const stride = Math.max(1, Math.floor(count / 2000));
  const firstAt = Date.now() - count * STEP_MS;
  const ids = [];
  for (let i = 0; i < count; i++) {
    if (i % BATCH === 0) driver.exec('BEGIN');
    const id = fill(i, firstAt + i * STEP_MS);
    if (i % stride === 0) ids.push(id);
    if (i % BATCH === BATCH - 1 || i === count - 1) driver.exec('COMMIT');
  }
  driver.close();
  sync(path);
  return ids;
}

/**
 * @param {import('../../dist/sqlite/driver.js').SqliteDriver} driver
 * @param {string} identity
 */
function createFill(driver, identity) {
  const insertTask = driver.prepare(INSERT_TASK);
  const insertEvent = driver.prepare(INSERT_EVENT);
  const worker = makeToken();

  return (/** @type {number} */ i, /** @type {number} */ at) => {
    const id = makeTaskId(at);
    const endedAt = at + RUN_MS;
    const ending = i % 20 === 0 ? FAILED : COMPLETED;
    const events = toEvents(i, worker, ending);
    const highRate = events.length - 3;
    const { lastInsertRowid: row } = insertTask.run(
      id,
      TOOLS[i % TOOLS.length] ?? 'noop',
      PRINCIPALS[i % PRINCIPALS.length] ?? 'local',
      identity,
      ending.status,
      ending.message,
      highRate > 0 ? JSON.stringify({ value: 0.8, message: 'Page 4 of 5', at: endedAt }) : null,
      at,
      endedAt,
      at + 3,
      endedAt,
      Date.now() + TTL_MS + i,
      TTL_MS,
      at,
      events.length,
      highRate,
      JSON.stringify({ year: 1990 + (i % 40), path: `/var/reports/${i}/index.html`, pages: [1, 2, 3] }),
      ending.outcome,
    );
    for (const [place, { type, body }] of events.entries()) insertEvent.run(row, place + 1, endedAt, type, body);
    return id;
  };
}

const COMPLETED = {
  status: 'completed',
  message: null,
  event: '{"status":"completed","outcome":"result"}',
  outcome: JSON.stringify({ kind: 'result', value: { content: [{ type: 'text', text: 'Published. '.repeat(12) }] } }),
};
const FAILED = {
  status: 'failed',
  message: 'the page could not be fetched',
  event: '{"status":"failed","outcome":"error","message":"the page could not be fetched"}',
  outcome: '{"kind":"error","error":{"code":"FETCH_FAILED","message":"the page could not be fetched"}}',
};

/**
 * Every tenth task reported progress.
 *
 * @param {number} i
 * @param {string} worker
 * @param {typeof COMPLETED | typeof FAILED} ending
 */
function toEvents(i, worker, ending) {
  const progress = [1, 2, 3, 4].map((page) => ({
    type: 'progress',
    body: JSON.stringify({ value: page / 5, message: `Page ${page} of 5` }),
  }));
  return [
    { type: 'submitted', body: null },
    { type: 'claimed', body: `{"attempt":1,"fence":1,"worker":"${worker}"}` },
    ...(i % 10 === 0 ? progress : []),
    { type: 'ended', body: ending.event },
  ];
}

/** Flushes the file, so that pending writes do not slow down the next measurement. @param {string} path */
function sync(path) {
  const file = openSync(path, 'r+');
  fsyncSync(file);
  closeSync(file);
}
