import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Lease, openSqliteStore, type Store } from 'holdfast';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { resolveStoreDirectory } from '../../../src/store/sqlite/directory.ts';
import { runHere } from '../run-here.ts';
import { openSeededStore, type SeededStore } from './seeded-store.ts';

/** A store that lies elsewhere, and that of a server called `reports`. */
let seeded: SeededStore;
let reports: Store;
let env: NodeJS.ProcessEnv;

const parseLines = (stdout: string) =>
  stdout
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line));

beforeEach(async () => {
  seeded = await openSeededStore();
  env = { HOLDFAST_DIR: seeded.folder };
  vi.stubEnv('HOLDFAST_DIR', seeded.folder);
  const directory = resolveStoreDirectory('reports', env);
  await mkdir(directory, { recursive: true, mode: 0o700 });
  reports = await openSqliteStore({ path: join(directory, 'tasks.db') });
});

afterEach(async () => {
  vi.unstubAllEnvs();
  await reports.close();
  await seeded.close();
});

const cli = (...args: string[]) => runHere(args);

async function submit(taskId: string, tool = 'render'): Promise<Lease> {
  const task = { taskId, tool, args: {}, principal: 'local', identity: 'i', ttlMs: null, deliver: [] };
  await reports.tasks.create({ ...task, idempotent: false, maxAttempts: 1 }, { queueLimit: 100 });
  await reports.workers.register({
    workerId: 'w',
    identity: 'i',
    kind: 'inline',
    build: { id: 'b', at: 1 },
    leaseMs: 60_000,
    process: { host: 'test', pid: process.pid, startTime: 'test' },
  });
  await reports.tasks.claim({ worker: 'w', identity: 'i', free: { [tool]: 1 }, max: 1 });
  return { taskId, fence: 1, worker: 'w' };
}

const TASK = '01k0000000aaaabbbbccccddddeeeeffff00';

it('[FIRST-411] tasks are listed, shown, answered and cancelled in whatever store of the user they are', async () => {
  const lease = await submit(TASK);
  const request = { kind: 'form', message: 'Publish?', schema: { type: 'object' } } as const;
  await reports.tasks.ask(lease, { key: 'q1', request });
  const [list, json, shown] = await Promise.all([
    cli('tasks', 'list'),
    cli('tasks', 'list', '--json'),
    cli('tasks', 'show', 'aaaa'),
  ]);
  const [head, row] = list.stdout.split('\n').map((line) => line.split(/ {2,}/));
  expect(head).toEqual(['ID', 'AGE', 'STATUS', 'PROGRESS', 'LEFT', 'TOOL', 'STORE']);
  expect(row).toEqual([
    'aaaabb',
    expect.any(String),
    'input_required',
    "waits for the user's answer",
    'render',
    'reports',
  ]);
  expect(parseLines(json.stdout)).toMatchObject([{ taskId: TASK, store: expect.stringContaining('reports') }]);
  expect(shown.stdout).toContain(TASK);
  expect(await cli('tasks', 'answer', 'aaaa', '{}')).toMatchObject({ code: 0 });
  expect(await cli('tasks', 'cancel', 'aaaa')).toMatchObject({ code: 0, stdout: `cancelled ${TASK}\n` });
  expect(await cli('tasks', 'show', 'zzzz')).toMatchObject({ code: 4 });
});

it('[FIRST-411] a store that cannot be read keeps none of the others from being shown', async () => {
  await submit(TASK);
  const broken = resolveStoreDirectory('broken', env);
  await mkdir(broken, { mode: 0o700 });
  await writeFile(join(broken, 'tasks.db'), 'this is no database, whatever its name says', { mode: 0o600 });
  const { code, stdout, stderr } = await cli('tasks', 'list');
  expect(stdout).toContain('aaaabb');
  expect(stderr).toContain(join(broken, 'tasks.db'));
  expect(code).toBe(65);
});

it('[FIRST-412] where shows each store with its open tasks and its workers, and where calls are kept', async () => {
  await submit(TASK);
  const [text, json] = await Promise.all([cli('where'), cli('where', '--json')]);
  expect(text.stdout).toContain(join(seeded.folder, 'holdfast', 'calls', 'calls.db'));
  expect(text.stdout).toMatch(/^reports +1 working +\d+ kB +inline/m);
  const lines = parseLines(json.stdout);
  expect(lines.map(({ kind }) => kind)).toEqual(['state', 'calls', 'trusted', 'store']);
  expect(lines[3]).toMatchObject({ name: 'reports', open: { working: 1 }, workers: [{ workerId: 'w' }] });
});

it('[FIRST-416] logs shows what a task has logged, and no terminal obeys it', async () => {
  const lease = await submit(TASK);
  expect(await cli('logs', 'aaaa')).toMatchObject({ code: 0, stdout: '', stderr: expect.stringContaining('nothing') });
  const events = [
    { type: 'log', level: 'info', message: 'page 1\u001b[2J', data: { page: 1 } },
    { type: 'progress', value: 0.5 },
    { type: 'log', level: 'warning', message: 'slow' },
  ] as const;
  await reports.tasks.write(lease, { events });
  const [text, json] = await Promise.all([cli('logs', 'aaaa'), cli('logs', 'aaaa', '--json')]);
  expect(text.stdout.split('\n').map((line) => line.slice(26))).toEqual([
    'info     page 1\\u001b[2J {"page":1}',
    'warning  slow',
    '',
  ]);
  expect(parseLines(json.stdout)).toMatchObject([{ message: 'page 1\u001b[2J' }, { message: 'slow' }]);
  expect(await cli('logs', 'aaaa', '--worker')).toMatchObject({ code: 66 });
});
