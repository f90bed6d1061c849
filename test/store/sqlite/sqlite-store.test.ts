import { expect, it } from 'vitest';
import { onCrashPoint } from '../../../src/crash-point.ts';
import { openDriver } from '../../../src/sqlite/driver.ts';
import type { Change } from '../../../src/store/contract.ts';
import { openHeartbeat } from '../../../src/store/sqlite/workers/heartbeat.ts';
import { until } from '../../../src/testing/until.ts';
import { finish, StoreScratch, submit, toNewTask, WORKER } from './scratch.ts';

const scratch = new StoreScratch();
const FOREVER = { expiresBefore: Number.MAX_SAFE_INTEGER, tombstonesBefore: 0, limit: 1000 };

it('[STORE-16] announces what another connection has committed, each change once and in order', async () => {
  const [here, there] = [await scratch.open(), await scratch.open()];
  const seen: Change[] = [];
  here.changes.subscribe((changes) => seen.push(...changes));
  const first = await finish(there);
  const second = await submit(here);
  const third = await submit(there);
  await until(() => seen.length >= 4);
  expect(seen).toEqual([
    { taskId: first.taskId, type: 'submitted' },
    { taskId: first.taskId, type: 'ended' },
    { taskId: second.taskId, type: 'submitted' },
    { taskId: third.taskId, type: 'submitted' },
  ]);
});

it('announces nothing that happened before somebody subscribed', async () => {
  const store = await scratch.open();
  await submit(store);
  const seen: Change[] = [];
  store.changes.subscribe((changes) => seen.push(...changes));
  const { taskId } = await submit(store);
  expect(seen).toEqual([{ taskId, type: 'submitted' }]);
});

it('misses no change after the newest events have been swept away', async () => {
  const [here, there] = [await scratch.open(), await scratch.open()];
  const seen: Change[] = [];
  here.changes.subscribe((changes) => seen.push(...changes));
  for (let round = 1; round <= 3; round += 1) {
    await finish(there);
    await until(() => seen.length === round * 2);
    expect(await there.tasks.sweep(FOREVER)).toMatchObject({ expired: 1 });
    expect(await there.tasks.sweep({ ...FOREVER, tombstonesBefore: Date.now() + 1 })).toMatchObject({ forgotten: 1 });
  }
});

it('keeps a tombstone without events, answers and arguments, also when its event was the newest', async () => {
  const store = await scratch.open();
  const { taskId } = await finish(store, { args: { text: 'x'.repeat(10_000) } });
  await store.tasks.sweep(FOREVER);
  expect(await store.tasks.events(taskId, 0, 100)).toEqual([]);
  expect(await store.tasks.get({ taskId })).toMatchObject({ args: null, outcome: { kind: 'expired' } });
  const db = openDriver(scratch.path, { readOnly: true });
  expect(db.prepare('SELECT count(*) AS n FROM long_args').get()).toMatchObject({ n: 0 });
  expect(db.prepare('SELECT count(*) AS n FROM event').get()).toMatchObject({ n: 1 });
  db.close();
});

it('sweeps tasks with very many events in several transactions, and all of them', async () => {
  const store = await scratch.open();
  await store.workers.register(WORKER);
  const events = Array.from({ length: 3000 }, (_, i) => ({ type: 'stream', data: i }) as const);
  for (let i = 0; i < 5; i += 1) {
    await submit(store);
    const [claimed] = await store.tasks.claim({ worker: 'w1', identity: 'reports', free: { render: 1 }, max: 1 });
    if (claimed) await store.tasks.settle(claimed.task, { outcome: { kind: 'result', value: null }, events });
  }
  let sweeps = 0;
  onCrashPoint((name) => {
    if (name === 'sweep:after') sweeps += 1;
  });
  const swept = await store.tasks.sweep({ ...FOREVER, tombstonesBefore: Number.MAX_SAFE_INTEGER });
  onCrashPoint(undefined);
  expect(swept).toEqual({ expired: 5, forgotten: 0, trimmed: 0 });
  expect(sweeps).toBe(3);
});

it('goes on telling the others when a listener throws', async () => {
  const errors: unknown[] = [];
  const store = await scratch.open({ onError: (error) => errors.push(error) });
  const seen: Change[] = [];
  store.changes.subscribe(() => {
    throw new RangeError('listener');
  });
  store.changes.subscribe((changes) => seen.push(...changes));
  await submit(store);
  expect(seen).toHaveLength(1);
  expect(errors).toEqual([new RangeError('listener')]);
});

it('can be closed by a listener', async () => {
  const store = await scratch.open();
  let closed: Promise<void> | undefined;
  store.changes.subscribe(() => {
    closed = store.close();
  });
  await submit(store);
  await closed;
  await expect(store.tasks.get({ taskId: 'any' })).rejects.toMatchObject({ code: 'STORE_CLOSED' });
  await expect(submit(store)).rejects.toMatchObject({ code: 'STORE_CLOSED' });
});

it('counts the queue over all connections, exactly', async () => {
  const stores = [await scratch.open(), await scratch.open()];
  const kinds: string[] = [];
  for (let i = 0; i < 12; i += 1) {
    const store = stores[i % 2] as (typeof stores)[number];
    kinds.push((await store.tasks.create(toNewTask(), { queueLimit: 10 })).kind);
  }
  expect(kinds).toEqual([...Array(10).fill('created'), 'full', 'full']);
  await stores[0]?.workers.register(WORKER);
  await stores[0]?.tasks.claim({ worker: 'w1', identity: 'reports', free: { render: 1 }, max: 1 });
  const results = await Promise.all(stores.map((store) => store.tasks.create(toNewTask(), { queueLimit: 10 })));
  expect(results.map(({ kind }) => kind).sort()).toEqual(['created', 'full']);
  expect(await stores[1]?.tasks.create(toNewTask(), { queueLimit: 0 })).toEqual({ kind: 'full', queued: 10 });
});

it('gives long arguments back whole', async () => {
  const store = await scratch.open();
  const args = { text: 'ß€'.repeat(50_000) };
  const { taskId } = await submit(store, { args });
  await store.workers.register(WORKER);
  const [claimed] = await store.tasks.claim({ worker: 'w1', identity: 'reports', free: { render: 1 }, max: 1 });
  expect(claimed?.task.args).toEqual(args);
  expect((await store.tasks.get({ taskId }))?.args).toEqual(args);
});

it('finds a rare task among very many', async () => {
  const store = await scratch.open();
  const rare = await submit(store, { tool: 'rare', principal: 'ada' });
  await Promise.all(Array.from({ length: 5200 }, () => submit(store, { principal: 'bob' })));
  await Promise.all(Array.from({ length: 10 }, () => submit(store)));
  const pages = await Promise.all([
    store.tasks.list({ tool: 'rare', limit: 5 }),
    store.tasks.list({ tool: 'rare', principal: 'ada', status: 'queued', limit: 5 }),
  ]);
  expect(pages.map((page) => page.tasks.map(({ taskId }) => taskId))).toEqual([[rare.taskId], [rare.taskId]]);
});

it('beats for a worker on a connection of its own', async () => {
  const store = await scratch.open();
  await store.workers.register(WORKER);
  const heartbeat = openHeartbeat({ path: scratch.path });
  const before = (await store.workers.list())[0]?.until ?? 0;
  expect(heartbeat.renew('w1', 120_000)).toBe('ready');
  expect((await store.workers.list())[0]?.until).toBeGreaterThan(before);
  expect(heartbeat.renew('nobody', 1000)).toBeUndefined();
  heartbeat.close();
});

it('says that a heartbeat could not be written, and beats again when it can', async () => {
  const store = await scratch.open();
  await store.workers.register(WORKER);
  const heartbeat = openHeartbeat({ path: scratch.path });
  const other = openDriver(scratch.path, { readOnly: false });
  other.exec('BEGIN IMMEDIATE');
  expect(() => heartbeat.renew('w1', 1000)).toThrow(expect.objectContaining({ code: 'STORE_LOCKED' }));
  other.exec('COMMIT');
  expect(heartbeat.renew('w1', 1000)).toBe('ready');
  heartbeat.close();
  other.close();
});

it('stops beating for a worker that may not write any more, so that its tasks can be recovered', async () => {
  const store = await scratch.open();
  await store.workers.register(WORKER);
  const heartbeat = openHeartbeat({ path: scratch.path });
  const other = openDriver(scratch.path, { readOnly: false });
  other.exec('PRAGMA user_version = 99');
  const before = (await store.workers.list())[0]?.until;
  expect(() => heartbeat.renew('w1', 120_000)).toThrow(expect.objectContaining({ code: 'STORE_SCHEMA_NEWER' }));
  expect((await store.workers.list())[0]?.until).toBe(before);
  heartbeat.close();
  other.close();
});

it('refuses a topic at the start that it could not write at the end', async () => {
  const store = await scratch.open();
  const refused = submit(store, { deliver: [{ topic: 'a\0b' }] });
  await expect(refused).rejects.toMatchObject({ code: 'INVALID_ARGUMENT' });
});

it('can be read, but not written, when it is opened read-only', async () => {
  const { taskId } = await submit(await scratch.open());
  const store = await scratch.open({ readOnly: true });
  expect(await store.tasks.get({ taskId })).toMatchObject({ taskId, status: 'queued' });
  await expect(submit(store)).rejects.toMatchObject({ code: 'STORE_READ_ONLY' });
});

it('says what is missing', async () => {
  await expect(scratch.open({ create: false })).rejects.toMatchObject({ code: 'STORE_NOT_FOUND' });
  await expect(scratch.open({ readOnly: true })).rejects.toMatchObject({ code: 'STORE_NOT_FOUND' });
});
