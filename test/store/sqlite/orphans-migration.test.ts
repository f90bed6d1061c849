import { expect, it } from 'vitest';
import { openDatabase } from '../../../src/sqlite/open.ts';
import { STORE_SCHEMA } from '../../../src/store/sqlite/schema.ts';
import { StoreScratch } from './scratch.ts';

const scratch = new StoreScratch();

it('[PG-293] a SQLite store of the version before keeps the programs of a worker on record when it dies', async () => {
  const before = { ...STORE_SCHEMA, migrations: STORE_SCHEMA.migrations.slice(0, 12) };
  const db = openDatabase({ path: scratch.path, schema: before });
  db.run(`INSERT INTO worker (id, identity, kind, state, build_id, build_at, host, pid, start_time, until, lease_ms)
    VALUES ('w', 'reports', 'inline', 'ready', 'b', 1, 'h', 1, 'x', 5, 5)`);
  db.run(`INSERT INTO process_group (worker, pid, host, start_time, task_id) VALUES ('w', 7, 'h', 'x', 't')`);
  db.close();

  const { tasks, workers } = await scratch.open();
  const group = { workerId: 'w', taskId: 't', host: 'h', pid: 7, startTime: 'x' };
  expect([await workers.groups('w'), await workers.orphanedGroups('h')]).toEqual([[group], []]);
  expect(await tasks.recover({ workerId: 'w', until: 5, reason: 'it died', delaysMs: [0] })).toEqual([]);
  expect(await workers.orphanedGroups('h')).toEqual([group]);
});
