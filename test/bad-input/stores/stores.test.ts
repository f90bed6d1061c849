import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdtemp, open, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { json } from 'node:stream/consumers';
import { createEngine, openSqliteStore, type TaskContext } from 'holdfast';
import { until, untilStatus } from 'holdfast/testing';
import { describe, expect, it, onTestFinished } from 'vitest';
import { openDriver } from '../../../dist/sqlite/driver.js';
import { createGate, openRig } from '../../engine/open-rig.ts';
import { programPath } from '../../programs/program-path.js';

const program = (name: string) => programPath(name);

async function makeFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'holdfast-bad-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

/** A store with one finished task in it. */
async function makeStore(): Promise<string> {
  const path = join(await makeFolder(), 'tasks.db');
  const store = await openSqliteStore({ path });
  const engine = await createEngine({ name: 'test', store, tools: { any: { run: () => 1 } } });
  await engine.submit('any');
  await store.close();
  return path;
}

const runSql = (path: string, sql: string) => {
  const driver = openDriver(path, { readOnly: false });
  driver.exec(sql);
  driver.close();
};

describe('a store that is not what it should be', () => {
  it('[INPUT-08] a file that is no database is STORE_CORRUPT, and stays as it is', async () => {
    const path = join(await makeFolder(), 'tasks.db');
    await writeFile(path, 'These are my notes, and not a database at all.\n'.repeat(100));
    const before = await readFile(path);
    await expect(openSqliteStore({ path })).rejects.toMatchObject({
      code: 'STORE_CORRUPT',
      message: expect.stringContaining(path),
    });
    expect(await readFile(path)).toEqual(before);
  });

  it('[INPUT-08] damage that is met while an engine runs is STORE_CORRUPT for whoever meets it', async () => {
    const path = await makeStore();
    runSql(path, 'PRAGMA wal_checkpoint(TRUNCATE)');
    const file = await open(path, 'r+');
    const { size } = await stat(path);
    // Everything but the header and the schema.
    await file.write(Buffer.alloc(size - 4096, 0xa5), 0, size - 4096, 4096);
    await file.close();
    const errors: unknown[] = [];
    const attempt = async () => {
      const store = await openSqliteStore({ path });
      onTestFinished(() => store.close());
      const onError = (error: unknown) => errors.push(error);
      const engine = await createEngine({ name: 'test', store, onError, tools: { any: { run: () => 1 } } });
      await engine.submit('any');
    };
    await expect(attempt()).rejects.toMatchObject({ code: 'STORE_CORRUPT', message: expect.stringContaining(path) });
    expect(errors).toEqual([]);
  });

  it('[INPUT-08] the database of another program is STORE_FOREIGN', async () => {
    const path = join(await makeFolder(), 'tasks.db');
    runSql(path, 'CREATE TABLE customer (name TEXT)');
    await expect(openSqliteStore({ path })).rejects.toMatchObject({
      code: 'STORE_FOREIGN',
      message: expect.stringContaining('choose another path'),
    });
  });

  it('[INPUT-08] a store of a newer Holdfast is STORE_SCHEMA_NEWER, also when it becomes one under a running engine', async () => {
    const path = await makeStore();
    const store = await openSqliteStore({ path });
    onTestFinished(() => store.close());
    const engine = await createEngine({ name: 'test', store, tools: { any: { run: () => 1 } } });
    runSql(path, 'PRAGMA user_version = 999');
    await expect(openSqliteStore({ path })).rejects.toMatchObject({
      code: 'STORE_SCHEMA_NEWER',
      message: expect.stringContaining('upgrade Holdfast'),
    });
    await expect(engine.submit('any')).rejects.toMatchObject({ code: 'STORE_SCHEMA_NEWER' });
  });

  it('[INPUT-09] a store opened to read only refuses a submit with STORE_READ_ONLY', async () => {
    const store = await openSqliteStore({ path: await makeStore(), readOnly: true });
    onTestFinished(() => store.close());
    const engine = await createEngine({ name: 'test', store, tools: { any: { run: () => 1 } } });
    expect((await engine.list()).tasks).toHaveLength(1);
    await expect(engine.submit('any')).rejects.toMatchObject({ code: 'STORE_READ_ONLY' });
  });
});

describe.runIf(process.getuid?.() === 0)('a user who may not', () => {
  const NOBODY = { uid: 65534, gid: 65534 };
  const tryAsNobody = (path: string) =>
    json(spawn(process.execPath, [program('try-store.js'), path], { ...NOBODY, cwd: '/' }).stdout);

  it('[INPUT-12] enter the directory gets STORE_NO_ACCESS', async () => {
    const path = await makeStore();
    expect(await tryAsNobody(path)).toMatchObject({
      code: 'STORE_NO_ACCESS',
      message: expect.stringContaining(path),
    });
  });

  it('[INPUT-12] make the directory gets STORE_NO_ACCESS', async () => {
    expect(await tryAsNobody('/holdfast-not-yours/tasks.db')).toMatchObject({ code: 'STORE_NO_ACCESS' });
  });

  it('[INPUT-09] write the file gets STORE_READ_ONLY', async () => {
    const path = await makeStore();
    await chmod(join(path, '..'), 0o755);
    await chmod(path, 0o644);
    expect(await tryAsNobody(path)).toMatchObject({
      code: 'STORE_READ_ONLY',
      message: expect.stringContaining('make the file and its directory writable'),
    });
  });

  it('[INPUT-09] write the directory gets STORE_READ_ONLY', async () => {
    const path = await makeStore();
    await chmod(join(path, '..'), 0o755);
    await chmod(path, 0o666);
    expect(await tryAsNobody(path)).toMatchObject({ code: 'STORE_READ_ONLY' });
  });
});

/** Another process keeps the file to itself until it is told to let go. */
async function lock(path: string): Promise<{ letGo(): Promise<void> }> {
  const child = spawn(process.execPath, [program('lock-store.js'), path], { stdio: ['pipe', 'pipe', 'inherit'] });
  const exit = once(child, 'exit');
  const letGo = async () => {
    child.stdin.end();
    await exit;
  };
  onTestFinished(letGo);
  await once(child.stdout, 'data');
  return { letGo };
}

describe('a store that another process has locked', () => {
  it('[INPUT-10] refuses a submit with STORE_LOCKED when the wait is over; meanwhile the event loop turns', async () => {
    const path = await makeStore();
    const store = await openSqliteStore({ path, lockWaitMs: 500 });
    onTestFinished(() => store.close());
    const engine = await createEngine({ name: 'test', store, tools: { any: { run: () => 1 } } });
    const { letGo } = await lock(path);
    let turns = 0;
    const timer = setInterval(() => {
      turns += 1;
    }, 5);
    const started = performance.now();
    await expect(engine.submit('any')).rejects.toMatchObject({
      code: 'STORE_LOCKED',
      message: expect.stringContaining('500 ms'),
    });
    clearInterval(timer);
    expect(performance.now() - started).toBeGreaterThanOrEqual(500);
    // A loop that stood still would have turned once, when it was over.
    expect(turns).toBeGreaterThan(2);
    expect((await engine.list()).tasks).toHaveLength(1);
    await letGo();
    expect(await engine.submit('any')).toMatchObject({ created: true });
  });

  it('[INPUT-10] costs a running task time and nothing else', async () => {
    const rig = await openRig();
    const gate = createGate();
    const run = async (_args: unknown, task: TaskContext) => {
      await gate.opened;
      await task.progress(0.5, 'half');
      return 'done';
    };
    const store = await openSqliteStore({ path: rig.path, lockWaitMs: 100 });
    onTestFinished(() => store.close());
    const engine = await rig.engine({ slow: { run } }, { store, leaseMs: 60_000 });
    const { taskId } = (await engine.submit('slow')).task;
    await untilStatus(engine, taskId, 'working');
    const { letGo } = await lock(rig.path);
    gate.open();
    const errors: unknown[] = [];
    await until(() => errors.push(...rig.takeErrors()) > 0);
    await letGo();
    expect(await engine.outcome(taskId)).toEqual({ kind: 'result', value: 'done' });
    await engine.close();
    errors.push(...rig.takeErrors());
    for (const error of errors) expect(error).toMatchObject({ code: 'STORE_LOCKED' });
  });
});
