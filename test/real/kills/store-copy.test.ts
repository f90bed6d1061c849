import { once } from 'node:events';
import { join } from 'node:path';
import { createTaskClient } from 'holdfast';
import { openPostgresStore } from 'holdfast/postgres';
import { until } from 'holdfast/testing';
import { Pool } from 'pg';
import { expect, it, onTestFinished } from 'vitest';
import { runCli, startCli } from '../../cli/run-cli.ts';
import { isRunning, openSite } from '../../engine/workers/start-program.ts';
import { PASSWORD } from '../../store/postgres/cluster.ts';
import { PostgresScratch } from '../../store/postgres/scratch.ts';
import { submit } from '../../store/sqlite/scratch.ts';

const scratch = new PostgresScratch();
/** So many that a copy takes long enough to be killed on the way. */
const MANY = 6000;

it('[PG-205] a store at work moves to PostgreSQL, although the copy is killed on the way, and its work goes on there', async () => {
  const { cluster } = scratch;
  const schema = scratch.toSchema();
  const site = await openSite();
  const path = join(site.folder, 'tasks.db');
  const to = `postgres://owner@127.0.0.1:${cluster.port}/postgres?schema=${schema}`;
  const env = { PGPASSWORD: PASSWORD };
  const program = site.start({ identity: 'mover', workers: 'detached' });
  const taskId = await program.submit('hold', { until: 'go' });
  const [first] = await site.untilRuns(1);
  await Promise.all(Array.from({ length: MANY }, (_, n) => submit(site.store, { args: { n } })));

  const refused = await runCli(['store', 'copy', path, to], env);
  expect(refused).toMatchObject({ code: 75, stdout: '' });
  expect(refused.stderr).toContain(`process ${program.child.pid}`);
  await program.kill();

  // Killed as soon as some of it is there.
  const pool = new Pool({ connectionString: cluster.url(), max: 1 });
  onTestFinished(() => pool.end());
  const halfway = startCli(['store', 'copy', path, to], env);
  const gone = once(halfway, 'exit');
  const count = async () =>
    (await pool.query<{ n: number }>(`SELECT count(*)::int AS n FROM ${schema}.task`)).rows[0]?.n ?? 0;
  const copied = await until(async () => (await count().catch(() => 0)) || undefined, { timeoutMs: 60_000 });
  halfway.kill('SIGKILL');
  await gone;
  expect(copied).toBeLessThan(MANY);
  // What the worker ran was handed back before anything was copied.
  await until(async () => !(await isRunning(first?.pid ?? 0)), { what: 'the worker to end' });
  await expect(openPostgresStore({ url: cluster.url(), schema })).rejects.toMatchObject({ code: 'STORE_MOVED' });

  const done = await runCli(['store', 'copy', path, to, '--json'], env);
  expect(done).toMatchObject({ code: 0, stderr: '' });
  const report = JSON.parse(done.stdout) as { tables: Record<string, { rows: number; hash: string }> };
  expect(report.tables.task).toEqual({ rows: MANY + 1, hash: expect.stringMatching(/^[0-9a-f]{64}$/) });
  expect(done.stdout).not.toContain(PASSWORD);
  expect(await runCli(['store', 'copy', path, to], env)).toMatchObject({ code: 0, stderr: '' });

  const store = await openPostgresStore({ url: cluster.url(), schema });
  onTestFinished(() => store.close());
  expect(await store.tasks.get({ taskId })).toMatchObject({ status: 'queued', attempt: 1 });
  const after = site.start(
    { identity: 'mover', workers: 'inline' },
    { env: { HOLDFAST_TEST_URL: cluster.url(), HOLDFAST_TEST_SCHEMA: schema } },
  );
  await site.untilRuns(2);
  await site.touch('go');
  const outcome = await createTaskClient(store).outcome(taskId);
  expect(outcome).toMatchObject({ kind: 'result', value: { attempt: 1 } });
  await after.end();
  const closed = await runCli(['tasks', 'list', '--store', path]);
  expect(closed).toMatchObject({ code: 66, stdout: '' });
  expect(closed.stderr).toMatch(/was copied to PostgreSQL at .*use that one/);
});

it('[PG-206] a copy that is given up is undone by store reopen, and what is no store is refused', async () => {
  const site = await openSite();
  const path = join(site.folder, 'tasks.db');
  await submit(site.store);
  const back = join(site.folder, 'back.db');
  expect(await runCli(['store', 'copy', path, path])).toMatchObject({ code: 2 });
  expect(await runCli(['store', 'copy', join(site.folder, 'none.db'), back])).toMatchObject({ code: 66 });
  expect(await runCli(['store', 'reopen', path])).toMatchObject({ code: 2 });
  expect(await runCli(['store', 'copy', path, back])).toMatchObject({ code: 0 });
  expect(await runCli(['store', 'reopen', path])).toMatchObject({ code: 0 });
  await submit(site.store);
  const secret = `postgres://owner:hush@127.0.0.1:${scratch.cluster.port}/postgres`;
  const refused = await runCli(['store', 'copy', path, secret]);
  expect(refused.code).toBe(2);
  expect(refused.stderr).not.toContain('hush');
});
