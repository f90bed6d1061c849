import { checkText } from '../../sqlite/database.ts';
import {
  type Adopted,
  type Adoption,
  FORGOTTEN_AFTER_MS,
  type NewServing,
  type ProgramInfo,
  type Programs,
  type ServingInfo,
} from '../contracts/program-contract.ts';
import type { PostgresState } from './postgres-state.ts';
import { moveToIdentity } from './tasks/task-queue.ts';
import { type TaskRow, WORK_COLUMNS } from './tasks/task-row.ts';
import type { Transaction } from './transaction.ts';

const LOCK_NAME = 'SELECT pg_advisory_xact_lock(hashtextextended($1, 17))';
const LATEST = 'SELECT max(seen_at) AS "seenAt" FROM @program WHERE name = $1';
const KNOWN = 'SELECT 1 FROM @serving WHERE id = $1 AND identity = $2';
const HAS_TASKS = `EXISTS (SELECT 1 FROM @usage AS usage WHERE usage.identity = $1
  GROUP BY usage.principal HAVING sum(usage.bytes) <> 0)`;
const SAVE = `INSERT INTO @program (identity, name, base, tools, seen_at) VALUES ($1, $2, $3, $4, $5)
  ON CONFLICT (identity) DO UPDATE SET name = excluded.name, base = excluded.base, tools = excluded.tools,
    seen_at = excluded.seen_at`;
const SAVE_SERVING = `INSERT INTO @serving (id, identity, tools, host, pid, start_time, seen_at)
  VALUES ($1, $2, $3, $4, $5, $6, $7)
  ON CONFLICT (id) DO UPDATE SET identity = excluded.identity, tools = excluded.tools, seen_at = excluded.seen_at`;
const SAVE_FORMER = `INSERT INTO @program (identity, name, base, tools, seen_at)
  SELECT $1, $2, $3, '[]', 0 WHERE ${HAS_TASKS} ON CONFLICT (identity) DO NOTHING`;
const FORGET = `DELETE FROM @program AS program WHERE name = $1 AND seen_at <= $2
  AND NOT EXISTS (SELECT 1 FROM @usage AS usage WHERE usage.identity = program.identity
    GROUP BY usage.principal HAVING sum(usage.bytes) <> 0)
  AND NOT EXISTS (SELECT 1 FROM @serving AS serving WHERE serving.identity = program.identity)`;
const ALL_SERVINGS = `SELECT id AS "servingId", tools, host, pid, start_time AS "startTime", seen_at AS "seenAt"
  FROM @serving ORDER BY row`;
const SERVINGS = `SELECT id AS "servingId", tools, host, pid, start_time AS "startTime", seen_at AS "seenAt" FROM @serving
  WHERE identity = $1 ORDER BY row`;
const LIST = `SELECT identity, name, base, tools, seen_at AS "seenAt",
  (SELECT json_agg(json_build_array(id, tools, host, pid, start_time, seen_at) ORDER BY row) FROM @serving AS serving
    WHERE serving.identity = program.identity) AS servings,
  (SELECT json_object_agg(tool, many) FROM (SELECT tool, count(*) AS many FROM (
      SELECT tool FROM @task WHERE status = 'queued' AND identity = program.identity
      UNION ALL SELECT tool FROM @task
        WHERE status = 'input_required' AND identity = program.identity AND worker IS NULL) AS waits
    GROUP BY tool) AS counts) AS waiting FROM @program AS program`;
const LIST_ALL = `${LIST} ORDER BY seen_at DESC`;
const LIST_NAMED = `${LIST} WHERE name = $1 ORDER BY seen_at DESC`;
const TENDING = `SELECT id FROM @worker WHERE identity = $1 AND state <> 'draining'`;

interface ServingRow {
  readonly servingId: string;
  readonly tools: string;
  readonly host: string;
  readonly pid: number;
  readonly startTime: string;
  readonly seenAt: number;
}

interface ProgramRow extends Pick<ProgramInfo, 'identity' | 'name' | 'base' | 'seenAt'> {
  readonly tools: string;
  readonly servings: readonly (readonly [string, string, string, number, string, number])[] | null;
  readonly waiting: Readonly<Record<string, number>> | null;
}

export function createPrograms({ connection, transactor, reads }: PostgresState): Programs {
  return {
    async announce(serving) {
      for (const text of [serving.identity, serving.name, serving.base, ...serving.tools]) checkText(text);
      await transactor.run('program-announce', (tx) => announce(tx, serving));
    },
    leave: (servingId) =>
      transactor.run('program-leave', async (tx) => tx.enqueue('DELETE FROM @serving WHERE id = $1', servingId)),
    servings: () =>
      reads(async () => {
        const rows = await connection.read<ServingRow>(ALL_SERVINGS);
        return rows.map(({ servingId, tools, host, pid, startTime, seenAt }) =>
          toServing([servingId, tools, host, pid, startTime, seenAt]),
        );
      }),
    list: (name) =>
      reads(async () => {
        const rows = await (name === undefined
          ? connection.read<ProgramRow>(LIST_ALL)
          : connection.read<ProgramRow>(LIST_NAMED, name));
        return rows.map(toProgram);
      }),
    adopt: (adoption) => transactor.run('program-adopt', (tx) => adopt(tx, adoption), { isAlone: true }),
  };
}

async function announce(tx: Transaction, serving: NewServing): Promise<void> {
  const { servingId, identity, name, base, process, formerly = [] } = serving;
  const tools = JSON.stringify(serving.tools);
  await tx.rows(LOCK_NAME, name);
  for (const old of formerly) if (old !== identity) tx.enqueue(SAVE_FORMER, old, name, base);
  if ((await tx.row(KNOWN, servingId, identity)) === undefined) {
    const latest = (await tx.row<{ seenAt: number | null }>(LATEST, name))?.seenAt ?? -1;
    tx.enqueue(SAVE, identity, name, base, tools, Math.max(tx.now, latest + 1));
  }
  tx.enqueue(SAVE_SERVING, servingId, identity, tools, process.host, process.pid, process.startTime, tx.now);
  tx.enqueue(FORGET, name, tx.now - FORGOTTEN_AFTER_MS);
}

function toProgram({ tools, servings, waiting, ...row }: ProgramRow): ProgramInfo {
  return {
    ...row,
    tools: JSON.parse(tools) as string[],
    servings: (servings ?? []).map(toServing),
    waiting: waiting ?? {},
  };
}

type ServingColumns = NonNullable<ProgramRow['servings']>[number];

function toServing([servingId, tools, host, pid, startTime, seenAt]: ServingColumns): ServingInfo {
  return { servingId, tools: JSON.parse(tools) as string[], process: { host, pid, startTime }, seenAt };
}

// The task's idempotency key and alias must be unused in the new identity.
const FREE = `NOT EXISTS (SELECT 1 FROM @task AS same WHERE same.idempotency_key = task.idempotency_key
    AND same.principal = task.principal AND same.identity = $2 AND same.tool = task.tool)
  AND NOT EXISTS (SELECT 1 FROM @task AS same WHERE same.alias = task.alias
    AND same.principal = task.principal AND same.identity = $2)`;
const OF_TOOL = '($3::text[] IS NULL OR task.tool = ANY($3::text[]))';
const QUEUED = `SELECT ${WORK_COLUMNS} FROM @task AS task
  WHERE task.status = 'queued' AND task.identity = $1 AND ${OF_TOOL} AND ${FREE} ORDER BY task.row LIMIT $4
  FOR UPDATE OF task`;
const PARKED = `SELECT ${WORK_COLUMNS} FROM @task AS task
  WHERE task.status = 'input_required' AND task.identity = $1 AND task.worker IS NULL AND ${OF_TOOL} AND ${FREE}
  ORDER BY task.row LIMIT $4 FOR UPDATE OF task`;
const ONE = `SELECT ${WORK_COLUMNS} FROM @task AS task WHERE task.id = $4 AND task.identity = $1 AND task.worker IS NULL
  AND task.status IN ('queued', 'input_required') AND ${OF_TOOL} AND ${FREE} FOR UPDATE OF task`;

async function adopt(tx: Transaction, adoption: Adoption): Promise<Adopted[] | undefined> {
  const { from, to, by } = adoption;
  if (await isServed(tx, adoption)) return undefined;
  if (from === to) return [];
  const adopted = await findAdoptable(tx, adoption);
  // In the order of creation, which is then their order in the queues.
  for (const task of adopted.toSorted((a, b) => a.row - b.row)) await moveToIdentity(tx, task, to);
  return adopted.map((task) => {
    task.updated_at = tx.now;
    tx.change(task, [{ type: 'adopted', from, to, by }]);
    return { taskId: task.id, tool: task.tool, principal: task.principal };
  });
}

async function isServed(tx: Transaction, { from, gone = {} }: Adoption): Promise<boolean> {
  const { workers = [], servings = [] } = gone;
  const tending = await tx.rows<{ id: string }>(TENDING, from);
  if (tending.some(({ id }) => !workers.includes(id))) return true;
  const serving = await tx.rows<{ servingId: string }>(SERVINGS, from);
  return serving.some(({ servingId }) => !servings.includes(servingId));
}

async function findAdoptable(tx: Transaction, { from, to, tools, taskIds, limit }: Adoption): Promise<TaskRow[]> {
  const names = tools ?? null;
  if (taskIds) {
    const found: TaskRow[] = [];
    for (const taskId of taskIds) found.push(...(await tx.findAll(ONE, from, to, names, taskId)));
    return found.slice(0, limit);
  }
  const queued = await tx.findAll(QUEUED, from, to, names, limit);
  return [...queued, ...(await tx.findAll(PARKED, from, to, names, Math.max(0, limit - queued.length)))];
}
