import { Pool } from 'pg';
import { expect, it, onTestFinished, vi } from 'vitest';
import type { PostgresStoreOptions } from '../../../src/store/postgres/postgres-options.ts';
import { openPostgresStore } from '../../../src/store/postgres/postgres-store.ts';
import { PostgresScratch } from './scratch.ts';

const SCHEMA_FILE = '../../../src/store/postgres/schema.ts';
const scratch = new PostgresScratch();

/** Makes the tables as a build with the first two migrations does. */
async function makeOlder(options: PostgresStoreOptions): Promise<void> {
  vi.resetModules();
  vi.doMock(SCHEMA_FILE, async (load) => {
    const schema = await load<typeof import('../../../src/store/postgres/schema.ts')>();
    return { ...schema, MIGRATIONS: schema.MIGRATIONS.slice(0, 2) };
  });
  try {
    const older = await import('../../../src/store/postgres/postgres-store.ts');
    await (await older.openPostgresStore(options)).close();
  } finally {
    vi.doUnmock(SCHEMA_FILE);
    vi.resetModules();
  }
}

it('[PG-293] a store in PostgreSQL of the version before keeps the programs of a worker on record when it dies', async () => {
  const schema = scratch.toSchema();
  const url = scratch.cluster.url();
  await makeOlder({ url, schema });
  const pool = new Pool({ connectionString: url, max: 1 });
  await pool.query(`INSERT INTO ${schema}.worker
    (id, identity, kind, state, build_id, build_at, host, pid, start_time, until, lease_ms)
    VALUES ('w', 'reports', 'inline', 'ready', 'b', 1, 'h', 1, 'x', 5, 5)`);
  await pool.query(`INSERT INTO ${schema}.process_group (worker, pid, host, start_time, task_id)
    VALUES ('w', 7, 'h', 'x', 't')`);
  await pool.end();

  const { tasks, workers, close } = await openPostgresStore({ url, schema });
  onTestFinished(close);
  const group = { workerId: 'w', taskId: 't', host: 'h', pid: 7, startTime: 'x' };
  expect([await workers.groups('w'), await workers.orphanedGroups('h')]).toEqual([[group], []]);
  expect(await tasks.recover({ workerId: 'w', until: 5, reason: 'it died', delaysMs: [0] })).toEqual([]);
  expect(await workers.orphanedGroups('h')).toEqual([group]);
});
