import { checkText, type Database } from '../../sqlite/database.ts';
import {
  type Adopted,
  type Adoption,
  FORGOTTEN_AFTER_MS,
  type NewServing,
  type ProgramInfo,
  type Programs,
  type ServingInfo,
} from '../contracts/program-contract.ts';
import type { Transaction } from './rows.ts';
import { appendEvents } from './tasks/append.ts';
import { moveToIdentity } from './tasks/task-queue.ts';
import { toWorkRow, WORK_COLUMNS, type WorkRow } from './tasks/task-row.ts';
import { type SqliteState, transact } from './transact.ts';

const LATEST = 'SELECT max(seen_at) AS seenAt FROM program WHERE name = ?';
const KNOWN = 'SELECT 1 FROM serving WHERE id = ? AND identity = ?';
const SAVE = `INSERT INTO program (identity, name, base, tools, seen_at) VALUES (?, ?, ?, ?, ?)
  ON CONFLICT (identity) DO UPDATE SET name = excluded.name, base = excluded.base, tools = excluded.tools,
    seen_at = excluded.seen_at`;
const SAVE_SERVING = `INSERT INTO serving (id, identity, tools, host, pid, start_time, seen_at)
  VALUES (?, ?, ?, ?, ?, ?, ?)
  ON CONFLICT (id) DO UPDATE SET identity = excluded.identity, tools = excluded.tools, seen_at = excluded.seen_at`;
const SAVE_FORMER = `INSERT INTO program (identity, name, base, tools, seen_at)
  SELECT ?1, ?2, ?3, '[]', 0 WHERE EXISTS (SELECT 1 FROM usage WHERE identity = ?1) ON CONFLICT (identity) DO NOTHING`;
const FORGET = `DELETE FROM program WHERE name = ? AND seen_at <= ?
  AND NOT EXISTS (SELECT 1 FROM usage WHERE usage.identity = program.identity)
  AND NOT EXISTS (SELECT 1 FROM serving WHERE serving.identity = program.identity)`;
const COLUMNS = 'identity, name, base, tools, seen_at AS seenAt';
const LIST = `SELECT ${COLUMNS} FROM program ORDER BY seen_at DESC`;
const LIST_NAMED = `SELECT ${COLUMNS} FROM program WHERE name = ? ORDER BY seen_at DESC`;
const ALL_SERVINGS = `SELECT id AS servingId, tools, host, pid, start_time AS startTime, seen_at AS seenAt FROM serving
  ORDER BY row`;
const SERVINGS = `SELECT id AS servingId, tools, host, pid, start_time AS startTime, seen_at AS seenAt FROM serving
  WHERE identity = ? ORDER BY row`;
const WAITING = `SELECT tool, count(*) AS many FROM (
    SELECT tool FROM task WHERE status = 'queued' AND identity = ?1
    UNION ALL SELECT tool FROM task WHERE status = 'input_required' AND identity = ?1 AND worker IS NULL
  ) GROUP BY tool`;
const TENDING = `SELECT id FROM worker WHERE identity = ?1 AND state <> 'draining'`;

export function createPrograms(state: SqliteState): Programs {
  const { db } = state;
  return {
    async announce(serving) {
      for (const text of [serving.identity, serving.name, serving.base, ...serving.tools]) checkText(text);
      await transact(state, 'program-announce', (tx) => announce(tx, serving));
    },
    leave: (servingId) =>
      transact(state, 'program-leave', (tx) => void tx.db.run('DELETE FROM serving WHERE id = ?', servingId)),
    servings: async () => db.all<ServingRow>(ALL_SERVINGS).map(toServing),
    list: async (name) => db.snapshot(() => list(db, name)),
    adopt: (adoption) => transact(state, 'program-adopt', (tx) => adopt(tx, adoption)),
  };
}

function announce({ db, now }: Transaction, serving: NewServing): void {
  const { servingId, identity, name, base, process, formerly = [] } = serving;
  const tools = JSON.stringify(serving.tools);
  for (const old of formerly) if (old !== identity) db.run(SAVE_FORMER, old, name, base);
  if (db.get(KNOWN, servingId, identity) === undefined) {
    const latest = db.get<{ seenAt: number | null }>(LATEST, name)?.seenAt ?? -1;
    db.run(SAVE, identity, name, base, tools, Math.max(now, latest + 1));
  }
  db.run(SAVE_SERVING, servingId, identity, tools, process.host, process.pid, process.startTime, now);
  db.run(FORGET, name, now - FORGOTTEN_AFTER_MS);
}

function list(db: Database, name: string | undefined): ProgramInfo[] {
  const rows = name === undefined ? db.all<ProgramRow>(LIST) : db.all<ProgramRow>(LIST_NAMED, name);
  return rows.map(({ tools, ...row }) => ({
    ...row,
    tools: JSON.parse(tools) as string[],
    servings: db.all<ServingRow>(SERVINGS, row.identity).map(toServing),
    waiting: Object.fromEntries(
      db.all<{ tool: string; many: number }>(WAITING, row.identity).map(({ tool, many }) => [tool, many]),
    ),
  }));
}

interface ProgramRow {
  readonly identity: string;
  readonly name: string;
  readonly base: string;
  readonly tools: string;
  readonly seenAt: number;
}

interface ServingRow {
  readonly servingId: string;
  readonly tools: string;
  readonly host: string;
  readonly pid: number;
  readonly startTime: string;
  readonly seenAt: number;
}

function toServing({ servingId, tools, host, pid, startTime, seenAt }: ServingRow): ServingInfo {
  return { servingId, tools: JSON.parse(tools) as string[], process: { host, pid, startTime }, seenAt };
}

// The task's idempotency key and alias must be unused in the new identity.
const FREE = `NOT EXISTS (SELECT 1 FROM task AS same WHERE same.idempotency_key = task.idempotency_key
    AND same.principal = task.principal AND same.identity = ?2 AND same.tool = task.tool)
  AND NOT EXISTS (SELECT 1 FROM task AS same WHERE same.alias = task.alias
    AND same.principal = task.principal AND same.identity = ?2)`;
const OF_TOOL = `(?3 IS NULL OR tool IN (SELECT value FROM json_each(?3)))`;
const QUEUED = `SELECT ${WORK_COLUMNS} FROM task
  WHERE status = 'queued' AND identity = ?1 AND ${OF_TOOL} AND ${FREE} ORDER BY row LIMIT ? + 0`;
const PARKED = `SELECT ${WORK_COLUMNS} FROM task
  WHERE status = 'input_required' AND identity = ?1 AND worker IS NULL AND ${OF_TOOL} AND ${FREE}
  ORDER BY row LIMIT ? + 0`;
const ONE = `SELECT ${WORK_COLUMNS} FROM task WHERE id = ?4 AND identity = ?1 AND worker IS NULL
  AND status IN ('queued', 'input_required') AND ${OF_TOOL} AND ${FREE}`;
const GROW = 'UPDATE task SET updated_at = ?, last_seq = ?, bytes = bytes + ? WHERE row = ?';

function adopt(tx: Transaction, adoption: Adoption): Adopted[] | undefined {
  const { from, to, by } = adoption;
  if (isServed(tx.db, adoption)) return undefined;
  if (from === to) return [];
  const adopted = findAdoptable(tx.db, adoption);
  // In the order of creation, which is then their order in the queues.
  for (const task of adopted.toSorted((a, b) => a.row - b.row)) moveToIdentity(tx.db, task, to);
  return adopted.map((task) => {
    const { lastSeq, bytes } = appendEvents(tx, task, [{ type: 'adopted', from, to, by }]);
    tx.db.run(GROW, tx.now, lastSeq, bytes, task.row);
    return { taskId: task.id, tool: task.tool, principal: task.principal };
  });
}

function isServed(db: Database, { from, gone = {} }: Adoption): boolean {
  const { workers = [], servings = [] } = gone;
  const tending = db.all<{ id: string }>(TENDING, from);
  if (tending.some(({ id }) => !workers.includes(id))) return true;
  return db.all<ServingRow>(SERVINGS, from).some(({ servingId }) => !servings.includes(servingId));
}

function findAdoptable(db: Database, { from, to, tools, taskIds, limit }: Adoption): WorkRow[] {
  const names = tools === undefined ? null : JSON.stringify(tools);
  if (taskIds) {
    const found = taskIds.flatMap((taskId) => db.arrays(ONE, from, to, names, taskId));
    return found.slice(0, limit).map(toWorkRow);
  }
  const queued = db.arrays(QUEUED, from, to, names, limit);
  return [...queued, ...db.arrays(PARKED, from, to, names, limit - queued.length)].map(toWorkRow);
}
