import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Pool } from 'pg';
import { expect, it, onTestFinished } from 'vitest';
import { runCli } from '../../cli/run-cli.ts';
import { PASSWORD } from '../../store/postgres/cluster.ts';
import { PostgresScratch } from '../../store/postgres/scratch.ts';

const scratch = new PostgresScratch();

it('[PG-247] chaos runs its workload over PostgreSQL, finds nothing, and leaves no schema behind', async () => {
  const reports = await mkdtemp(join(tmpdir(), 'holdfast-chaos-pg-'));
  onTestFinished(() => rm(reports, { recursive: true }));
  const address = `postgres://owner@127.0.0.1:${scratch.cluster.port}/postgres`;
  const line = ['--seconds', '10', '--seed', '7', '--no-shrink', '--json', '--report-dir', reports];
  const ran = await runCli(['chaos', '--store', address, ...line], { PGPASSWORD: PASSWORD });
  expect(ran.stdout).not.toBe('');
  const report = JSON.parse(ran.stdout) as { passed: boolean; violations: unknown[]; leftOut: string[] };
  expect(report).toMatchObject({ passed: true });
  expect(ran.code).toBe(0);
  const pool = new Pool({ connectionString: scratch.cluster.url(), max: 1 });
  const { rows } = await pool.query(`SELECT nspname FROM pg_namespace WHERE nspname LIKE 'chaos\\_%'`);
  await pool.end();
  expect(rows).toEqual([]);
}, 240_000);

it('[PG-247] and refuses a store that it could not have for itself', async () => {
  for (const store of ['tasks.db', 'postgres://owner@127.0.0.1/app?schema=holdfast']) {
    const refused = await runCli(['chaos', '--store', store]);
    expect(refused).toMatchObject({ code: 2, stdout: '' });
    expect(refused.stderr).toContain('--store');
  }
});

it('[PG-248] a soak of the demo over PostgreSQL, with its server and its worker killed, finds nothing', async () => {
  const reports = await mkdtemp(join(tmpdir(), 'holdfast-soak-pg-'));
  onTestFinished(() => rm(reports, { recursive: true }));
  const schema = `soak_${scratch.toSchema()}`;
  const address = `postgres://owner@127.0.0.1:${scratch.cluster.port}/postgres?schema=${schema}`;
  const limits = ['--max-p95-ms', '60000', '--timeout-sec', '60', '--iterations', '5', '--report-dir', reports];
  const ran = await runCli(['soak', '--store', address, '--json', ...limits], { PGPASSWORD: PASSWORD });
  expect(ran).toMatchObject({ code: 0 });
  const pool = new Pool({ connectionString: scratch.cluster.url(), max: 1 });
  const { rows } = await pool.query<{ claims: number }>(
    `SELECT count(*)::int AS claims FROM ${schema}.event WHERE type = 'claimed'`,
  );
  await pool.query(`DROP SCHEMA ${schema} CASCADE`);
  await pool.end();
  expect(rows[0]?.claims).toBeGreaterThan(5);
  expect(await runCli(['soak', '--store', address.replace('soak_', 'real_')])).toMatchObject({ code: 2, stdout: '' });
}, 240_000);
