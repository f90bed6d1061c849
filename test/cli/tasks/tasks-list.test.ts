import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { openSqliteStore, type Task } from 'holdfast';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { openDriver } from '../../../src/sqlite/driver.ts';
import { resolveStoreDirectory } from '../../../src/store/sqlite/directory.ts';
import { STORE_SCHEMA } from '../../../src/store/sqlite/schema.ts';
import { runCli } from '../run-cli.ts';
import { runHere, runHereWith } from '../run-here.ts';
import { openSeededStore, type SeededStore } from './seeded-store.ts';

let seeded: SeededStore;

beforeEach(async () => {
  seeded = await openSeededStore();
});

afterEach(() => seeded.close());

const WORKERS = `workers: inline (process ${process.pid}; what it runs ends with it)\n`;

const parseLines = (stdout: string) =>
  stdout
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line) as Task);
const ids = (stdout: string) => parseLines(stdout).map(({ taskId }) => taskId);
const short = ({ taskId }: Task) => taskId.slice(10, 16);

it('[CLI-01] lists tasks of all principals and identities, newest first', async () => {
  const first = await seeded.add({ tool: 'render' });
  await seeded.store.tasks.write(await seeded.claim('render'), { events: [{ type: 'progress', value: 0.25 }] });
  const second = await seeded.add({ tool: 'publish', principal: 'ann', identity: 'other', estimateMs: 120_000 });
  const { code, stdout, stderr } = await seeded.cli('list');
  expect({ code, stderr }).toEqual({ code: 0, stderr: WORKERS });
  const rows = stdout
    .trimEnd()
    .split('\n')
    .map((line) => line.split(/ {2,}/));
  expect(rows).toEqual([
    ['ID', 'AGE', 'STATUS', 'PROGRESS', 'LEFT', 'TOOL'],
    [short(second), expect.stringMatching(/^\d+m?s$/), 'queued', '2m', 'publish'],
    [short(first), expect.stringMatching(/^\d+m?s$/), 'working', '25%', expect.stringMatching(/^\d+m?s$/), 'render'],
  ]);
});

it('[CLI-07] [FIRST-415] prints whole records as JSON, one per line', async () => {
  const { taskId } = await seeded.add();
  const { stdout } = await seeded.here('list', '--json');
  expect(parseLines(stdout)).toEqual([{ ...(await seeded.get(taskId)), store: seeded.path }]);
});

it('says that there are none', async () => {
  expect(await seeded.here('list')).toEqual({ code: 0, stdout: '', stderr: `no tasks\n${WORKERS}` });
  expect((await seeded.here('list', '--json')).stdout).toBe('');
});

it('[CLI-01] filters by status, tool and principal', async () => {
  const working = await seeded.add({ tool: 'render' });
  await seeded.claim('render');
  const foreign = await seeded.add({ tool: 'render', principal: 'ann' });
  const other = await seeded.add({ tool: 'publish' });
  const list = async (...args: string[]) => ids((await seeded.here('list', '--json', ...args)).stdout);
  expect(await list('--status', 'working')).toEqual([working.taskId]);
  expect(await list('--tool', 'publish')).toEqual([other.taskId]);
  expect(await list('--principal', 'ann')).toEqual([foreign.taskId]);
  expect(await list('--status', 'queued', '--tool', 'render', '--principal', 'local')).toEqual([]);
});

it('stops at the limit and says so, unless asked for all', async () => {
  const made: string[] = [];
  for (let count = 0; count < 21; count += 1) made.unshift((await seeded.add()).taskId);
  const [human, cut, limited, all] = await Promise.all([
    seeded.here('list'),
    seeded.here('list', '--json'),
    seeded.here('list', '--json', '--limit', '3'),
    seeded.here('list', '--json', '--all'),
  ]);
  expect(human.stderr).toBe(`only the newest 20 are shown; see --limit and --all\n${WORKERS}`);
  expect(human.stdout.trimEnd().split('\n')).toHaveLength(21);
  expect(ids(cut.stdout)).toEqual(made.slice(0, 20));
  expect(ids(limited.stdout)).toEqual(made.slice(0, 3));
  expect(ids(all.stdout)).toEqual(made);
});

it.each([
  [['--status', 'done'], '--status is "done"; expected: queued, working, input_required, completed, failed, cancelled'],
  [['--limit', '0'], '--limit is "0"; expected a whole number from 1 to 1000'],
  [['--limit', 'ten'], '--limit is "ten"; expected a whole number from 1 to 1000'],
])('refuses %j and names what is expected', async (args, message) => {
  expect(await seeded.here('list', ...args)).toEqual({ code: 2, stdout: '', stderr: `holdfast: ${message}\n` });
});

it('[CLI-10] finds the database in a directory, or by the name of its server', async () => {
  const env = { HOLDFAST_DIR: seeded.folder };
  const named = join(resolveStoreDirectory('reports', env), 'tasks.db');
  await (await openSqliteStore({ path: named })).close();
  const results = [
    await runHere(['tasks', 'list', '--store', seeded.folder]),
    await runCli(['tasks', 'list', '--name', 'reports'], env),
    await runHereWith(env, ['tasks', 'list', '--name', 'letters']),
  ] as const;
  expect(results.map(({ code }) => code)).toEqual([0, 0, 66]);
  expect(results[2].stderr).toMatch(/^holdfast: .*letters.tasks\.db.*\n$/);
});

it('[CLI-10] needs to be told the store once, and at all before it drops anything', async () => {
  const none = await runHere(['tasks', 'prune']);
  const both = await runHere(['tasks', 'list', '--name', 'a', '--store', 'b']);
  expect(none).toMatchObject({ code: 2, stderr: expect.stringContaining('which store? expected: --name NAME') });
  expect(both).toMatchObject({ code: 2, stderr: 'holdfast: give --store or --name, not both\n' });
});

it('[CLI-08] prints a failure as one JSON line when asked for JSON', async () => {
  const { code, stdout, stderr } = await runCli(['tasks', 'list', '--json', '--store', `${seeded.folder}/no.db`]);
  expect({ code, stdout }).toEqual({ code: 66, stdout: '' });
  expect(JSON.parse(stderr)).toEqual({
    code: 'STORE_NOT_FOUND',
    message: expect.stringContaining('no.db'),
    cause: expect.stringContaining('ENOENT'),
  });
  const wrong = await runHere(['tasks', 'list', '--json', '--frob']);
  expect(JSON.parse(wrong.stderr)).toMatchObject({ code: 'USAGE', cause: null });
});

it('looks while another process holds the write lock', async () => {
  const { taskId } = await seeded.add();
  const writer = openDriver(seeded.path, { readOnly: false });
  writer.exec('BEGIN IMMEDIATE');
  try {
    expect(ids((await seeded.cli('list', '--json')).stdout)).toEqual([taskId]);
  } finally {
    writer.close();
  }
});

it('does not migrate a store it only looks at', async () => {
  const old = join(seeded.folder, 'old.db');
  const driver = openDriver(old, { readOnly: false });
  driver.exec(`PRAGMA application_id = ${STORE_SCHEMA.applicationId}`);
  driver.close();
  const before = await readFile(old);
  const { code, stderr } = await runHere(['tasks', 'list', '--store', old, '--json']);
  expect([code, JSON.parse(stderr).code]).toEqual([65, 'STORE_SCHEMA_OLDER']);
  expect(await readFile(old)).toEqual(before);
});
