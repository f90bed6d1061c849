import { randomBytes } from 'node:crypto';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Pool } from 'pg';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { openLocalKey } from '../../../src/codec/local-key.ts';
import { onCrashPoint } from '../../../src/crash-point.ts';
import { openDatabase } from '../../../src/sqlite/open.ts';
import type { Store } from '../../../src/store/contract.ts';
import { type Copied, copyStore } from '../../../src/store/copy/copy-store.ts';
import { openPostgresSide } from '../../../src/store/copy/postgres-side.ts';
import type { CopySide } from '../../../src/store/copy/side.ts';
import { openSqliteSide } from '../../../src/store/copy/sqlite-side.ts';
import { COPY_TABLES, WORKER_COLUMNS } from '../../../src/store/copy/tables.ts';
import { openPostgresStore } from '../../../src/store/postgres/postgres-store.ts';
import { STORE_SCHEMA } from '../../../src/store/sqlite/schema.ts';
import { openSqliteStore } from '../../../src/store/sqlite/sqlite-store.ts';
import { submit, toNewTask, WORKER } from '../sqlite/scratch.ts';
import { PostgresScratch } from './scratch.ts';

const scratch = new PostgresScratch();
const MANY = 1200;
let folder = '';
let files = 0;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'holdfast-copy-'));
});
afterAll(() => rm(folder, { recursive: true }));
afterEach(() => onCrashPoint(undefined));

const toFile = () => join(folder, `store-${++files}.db`);

/** A program that only another host can end. */
const ORPHAN = { workerId: 'w0', taskId: 't0', host: 'elsewhere', pid: 7, startTime: 'boot/7' };

/** Something of every kind that a store can hold. */
async function fill(store: Store): Promise<void> {
  const { tasks, workers, artifacts, holds, sessions, programs } = store;
  await workers.register(WORKER);
  const claim = async () => {
    const [claimed] = await tasks.claim({ worker: 'w1', identity: 'reports', free: { render: 1 }, max: 1 });
    if (claimed === undefined) throw new Error('Nothing was claimed');
    return { taskId: claimed.task.taskId, fence: claimed.task.fence, worker: 'w1' };
  };
  await submit(store, { deliver: [{ topic: 'bell', data: { a: 'ä\u{1f600}' } }], labels: { of: 'x' }, alias: 'one' });
  const ended = await claim();
  await tasks.write(ended, { events: [{ type: 'progress', value: 0.5, message: 'half' }] });
  await tasks.write(ended, { step: { name: 'ß', value: { deep: [1, null, '\u0001'] } } });
  await artifacts.put(ended, { name: 'page', index: 0, text: 'x'.repeat(5000) });
  await tasks.settle(ended, { outcome: { kind: 'result', value: { ok: true } }, ranMs: 12 });
  await submit(store, { args: { long: 'y'.repeat(9000) }, idempotencyKey: 'k1', pollIntervalMs: 0 });
  const asking = await claim();
  for (const key of ['q2', 'q1']) await tasks.ask(asking, { key, request: { kind: 'roots' } });
  await tasks.release(asking, { how: 'park' });
  const { taskId } = await submit(store, { principal: 'eve' });
  await tasks.settle({ taskId }, { outcome: { kind: 'cancelled', reason: 'enough' } });
  await tasks.sweep({ expiresBefore: 0, endedBefore: Date.now() + 60_000, tombstonesBefore: 0, limit: 1 });
  for (const n of [1, 2]) await submit(store, { queue: 'tv', args: { n } });
  const hold = { key: 'h', by: 'me', graceMs: 5000 };
  await tasks.create(toNewTask({ taskId: 'held-1', principal: 'bob' }), { queueLimit: 10_000, hold });
  await holds.release('held-1', 'me', { how: 'leave', graceMs: 60_000 });
  for (const [sessionId, principal] of [
    ['s1', 'ada'],
    ['s2', 'ada'],
    ['s3', 'ada'],
    ['s4', 'eve'],
  ] as const) {
    await sessions.end({ sessionId, principal, openedAt: Date.now() }, { expiresAt: Date.now() + 60_000, max: 2 });
  }
  const process = { host: 'here', pid: 1, startTime: 'boot' };
  await programs.announce({ servingId: 'v1', identity: 'reports', name: 'r', base: 'b', tools: ['render'], process });
  await programs.leave('v1');
  await workers.retire('w1', { ifIdle: false });
  await workers.track(ORPHAN);
}

/** Copies from one place to another; both are let go of, whatever happens. */
async function copy(from: CopySide | Promise<CopySide>, to: CopySide | Promise<CopySide>): Promise<Copied> {
  const sides = [await from, await to] as const;
  try {
    return await copyStore(sides[0], sides[1], { now: Date.now });
  } finally {
    for (const side of sides) await side.dispose();
  }
}

const file = (path: string) => openSqliteSide(path, { create: true });
const schema = (name: string) => openPostgresSide({ url: scratch.cluster.url(), schema: name }, { create: true });

async function makeFilled(many = 0): Promise<string> {
  const path = toFile();
  const store = await openSqliteStore({ path, synchronous: 'normal' });
  await fill(store);
  await Promise.all(Array.from({ length: many }, (_, n) => submit(store, { args: { n }, principal: `p${n % 7}` })));
  await store.close();
  return path;
}

/** All that its tasks are, as clients of the store see it. */
async function readAll(store: Store): Promise<unknown[]> {
  const { tasks } = await store.tasks.list({ limit: 100 });
  return Promise.all(
    tasks.map(async (task) => ({
      task,
      events: await store.tasks.events(task.taskId, 0, 1000),
      page: await store.artifacts.read(task.taskId, { name: 'page', index: 0 }),
    })),
  );
}

describe('a copy of a store', () => {
  it('[PG-200] holds the same in PostgreSQL and back in SQLite, and goes on there', async () => {
    const path = await makeFilled();
    const before = await openSqliteStore({ path });
    const wanted = await readAll(before);
    const durations = await before.tasks.durations('reports', 'render', 'ada');
    await before.close();
    const [name, back] = [scratch.toSchema(), toFile()];

    const there = await copy(file(path), schema(name));
    for (const { name: table } of COPY_TABLES) expect([table, there.tables[table]?.rows]).not.toEqual([table, 0]);
    const store = await scratch.open({ schema: name });
    expect(await readAll(store)).toEqual(wanted);
    expect(await store.workers.orphanedGroups('elsewhere')).toEqual([ORPHAN]);
    expect(await store.tasks.durations('reports', 'render', 'ada')).toEqual(durations);
    expect(store.time().now).toBeGreaterThanOrEqual(
      Math.max(...wanted.map((one) => (one as { task: { updatedAt: number } }).task.updatedAt)),
    );
    await store.close();

    const again = await copy(schema(name), file(back));
    expect(again.tables).toEqual(there.tables);
    const returned = await openSqliteStore({ path: back });
    expect(await readAll(returned)).toEqual(wanted);
    await workOn(returned);
    await returned.close();
  });

  it('[PG-200] is worked on in PostgreSQL: queues, turns and what principals use came along', async () => {
    const name = scratch.toSchema();
    await copy(file(await makeFilled()), schema(name));
    await workOn(await scratch.open({ schema: name }));
  });

  it('[PG-201] that was broken off anywhere is completed by the next run, with nothing lost or doubled', async () => {
    const path = await makeFilled(MANY);
    const name = scratch.toSchema();
    const passed: string[] = [];
    let copied: Copied | undefined;
    for (let run = 0; copied === undefined; run++) {
      if (run > 50) throw new Error(`no end after ${passed.join(', ')}`);
      // Ends the run at the first place where none has ended yet; a table has one for each page.
      onCrashPoint((point) => {
        const isNew =
          !passed.includes(point) || (point === 'copy-task' && passed.filter((one) => one === point).length < 3);
        if (!isNew) return;
        passed.push(point);
        throw new Error(point);
      });
      copied = await copy(file(path), schema(name)).catch((error: Error) => {
        if (error.message !== passed.at(-1)) throw error;
        return undefined;
      });
    }
    expect(passed).toEqual(
      expect.arrayContaining(['copy-close', 'copy-task', 'copy-event', 'copy-hold', 'copy-finish']),
    );
    expect(copied.wasDone).toBe(true);
    const store = await scratch.open({ schema: name });
    expect((await store.tasks.backlog('reports')).queued).toBeGreaterThanOrEqual(MANY);
    await store.close();
    // The other way compares every row again.
    const whole = await copy(schema(name), file(toFile()));
    expect(whole.tables.task?.rows).toBe(MANY + 6);
  });

  it('[PG-202] goes to an empty store only, and to one at a time', async () => {
    const path = await makeFilled();
    const filled = scratch.toSchema();
    await submit(await scratch.open({ schema: filled }));
    await expect(copy(file(path), schema(filled))).rejects.toMatchObject({ code: 'STORE_FOREIGN' });
    const still = await openSqliteStore({ path });
    await submit(still);
    await still.close();
    onCrashPoint((point) => {
      if (point === 'copy-close') throw new Error(point);
    });
    await expect(copy(file(path), schema(scratch.toSchema()))).rejects.toThrow('copy-close');
    onCrashPoint(undefined);
    const said = /is being copied, or was copied, to PostgreSQL at .*holdfast store reopen/;
    const elsewhere = { code: 'STORE_MOVED', message: expect.stringMatching(said) };
    await expect(copy(file(path), schema(scratch.toSchema()))).rejects.toMatchObject(elsewhere);
    const side = file(path);
    expect([await side.reopen(), await side.reopen()]).toEqual([true, false]);
    await side.dispose();
    expect((await copy(file(path), schema(scratch.toSchema()))).wasDone).toBe(false);
  });

  it('[PG-203] closes its source for everybody, also those who have it open, until it is reopened', async () => {
    const [path, name] = [await makeFilled(), scratch.toSchema()];
    const open = await openSqliteStore({ path });
    await copy(file(path), schema(name));
    const refused = {
      code: 'STORE_MOVED',
      message: expect.stringMatching(/was copied to PostgreSQL at .*use that one/),
    };
    await expect(submit(open)).rejects.toMatchObject(refused);
    await open.close();
    await expect(openSqliteStore({ path })).rejects.toMatchObject(refused);
    await expect(openSqliteStore({ path, readOnly: true })).rejects.toMatchObject(refused);

    const far = await scratch.open({ schema: name });
    await copy(schema(name), file(toFile()));
    const moved = {
      code: 'STORE_MOVED',
      message: expect.stringMatching(/was copied to .*store-\d+\.db; use that one/),
    };
    await expect(submit(far)).rejects.toMatchObject(moved);
    await expect(scratch.open({ schema: name })).rejects.toMatchObject(moved);
    const side = await schema(name);
    expect(await side.reopen()).toBe(true);
    await side.dispose();
    await submit(await scratch.open({ schema: name }));
  });

  it('[PG-203] is not begun while a worker holds something, and closes its target until it is whole', async () => {
    const path = toFile();
    const store = await openSqliteStore({ path });
    await store.workers.register(WORKER);
    await expect(copy(file(path), schema(scratch.toSchema()))).rejects.toMatchObject({ code: 'STORE_LOCKED' });
    await store.workers.retire('w1', { ifIdle: false });
    await submit(store);
    await store.close();
    const name = scratch.toSchema();
    onCrashPoint((point) => {
      if (point === 'copy-event') throw new Error(point);
    });
    await expect(copy(file(path), schema(name))).rejects.toThrow('copy-event');
    const half = { code: 'STORE_MOVED', message: expect.stringMatching(/is being filled from .*store copy/) };
    await expect(openPostgresStore({ url: scratch.cluster.url(), schema: name })).rejects.toMatchObject(half);
  });

  it('[PG-207] takes along the keys that lie beside a store, and takes the place of no other', async () => {
    const here = await mkdtemp(join(folder, 'keys-'));
    const store = await openSqliteStore({ path: join(here, 'tasks.db') });
    await submit(store);
    await store.close();
    const [local, server] = [openLocalKey(here), randomBytes(32)];
    await writeFile(join(here, 'server.key'), server, { mode: 0o600 });
    const name = scratch.toSchema();
    await copy(file(join(here, 'tasks.db')), schema(name));
    const far = await scratch.open({ schema: name });
    const none = () => Buffer.alloc(0);
    expect(await far.secrets?.open('local.key', none)).toEqual(Buffer.from(local));
    expect(await far.secrets?.open('server.key', none)).toEqual(server);
    await far.close();

    const [empty, taken] = [await mkdtemp(join(folder, 'keys-')), await mkdtemp(join(folder, 'keys-'))];
    openLocalKey(taken);
    await expect(copy(schema(name), file(join(taken, 'tasks.db')))).rejects.toMatchObject({ code: 'STORE_FOREIGN' });
    const side = await schema(name);
    await side.reopen();
    await side.dispose();
    await copy(schema(name), file(join(empty, 'tasks.db')));
    expect(openLocalKey(empty)).toEqual(local);
    expect(await readFile(join(empty, 'server.key'))).toEqual(server);
  });

  it('[PG-204] leaves out no column: each is copied, or known to belong to processes', async () => {
    const schemaName = scratch.toSchema();
    await (await openPostgresStore({ url: scratch.cluster.url(), schema: schemaName })).close();
    const pool = new Pool({ connectionString: scratch.cluster.url(), max: 1 });
    const { rows } = await pool.query<{ table: string; column: string }>(
      'SELECT table_name AS "table", column_name AS "column" FROM information_schema.columns WHERE table_schema = $1',
      [schemaName],
    );
    await pool.end();
    const path = toFile();
    const db = openDatabase({ path, schema: STORE_SCHEMA });
    const columns = db.all<{ table: string; column: string }>(
      `SELECT m.name AS "table", c.name AS "column" FROM sqlite_schema AS m, pragma_table_info(m.name) AS c WHERE m.type = 'table'`,
    );
    db.close();
    expect(findLeftOut(rows)).toEqual([]);
    expect(findLeftOut(columns)).toEqual([]);
  });
});

/** Of processes, or made anew from the rest. */
const APART = ['worker', 'silence', 'serving', 'usage', 'served', 'turn', 'store', 'store_time', 'secret'];
/** Each store's own numbers; where another one has something else; who waits for a held call, which nobody does by then. */
const OWN = ['*.row', 'event.xid', 'learned.ran_ms', 'hold.holder', ...WORKER_COLUMNS.map((name) => `task.${name}`)];

function findLeftOut(all: readonly { readonly table: string; readonly column: string }[]): string[] {
  const copied = new Set(
    COPY_TABLES.flatMap(({ name, columns }) => Object.keys(columns).map((one) => `${name}.${one}`)),
  );
  return all
    .filter(({ table }) => !APART.includes(table) && table !== 'long_args')
    .map(({ table, column }) => `${table}.${column}`)
    .filter((name) => !copied.has(name) && !OWN.includes(name) && !OWN.includes(`*.${name.split('.')[1]}`));
}

/** Runs everything that waits to its end. */
async function workOn(store: Store): Promise<void> {
  await store.workers.register(WORKER);
  const done: string[] = [];
  for (;;) {
    const claimed = await store.tasks.claim({ worker: 'w1', identity: 'reports', free: { render: 5 }, max: 5 });
    if (claimed.length === 0) break;
    for (const { task } of claimed) {
      const lease = { taskId: task.taskId, fence: task.fence, worker: 'w1' };
      expect(await store.tasks.settle(lease, { outcome: { kind: 'result', value: 1 } })).toBe(true);
      done.push(JSON.stringify(task.args));
    }
  }
  const queued = done.filter((args) => args.includes('"n"'));
  expect(queued).toEqual(['{"n":1}', '{"n":2}']);
  expect(done).toHaveLength(3);
  const { tasks } = await store.tasks.list({ limit: 100 });
  const [asking] = tasks.filter(({ status }) => status === 'input_required');
  expect(asking?.questions.map(({ key }) => key)).toEqual(['q2', 'q1']);
  expect((await submit(store)).lastSeq).toBe(1);
}
