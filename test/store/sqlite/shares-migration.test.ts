import { expect, it } from 'vitest';
import { openDatabase } from '../../../src/sqlite/open.ts';
import { STORE_SCHEMA } from '../../../src/store/sqlite/schema.ts';
import { StoreScratch } from './scratch.ts';

const scratch = new StoreScratch();

const INSERT = `INSERT INTO task (id, tool, principal, identity, status, created_at, updated_at, poll_interval_ms, attempt,
  fence, spend, idempotent, max_attempts, run_at, last_seq, high_rate, questions, open_questions, steps, args)
  VALUES (?, 'render', ?, 'reports', ?, 1, 1, 1000, 0, 0, 1, 0, 1, 1, 0, 0, 0, 0, 0, '{}')`;

it('[SEC-412] a store of the version before is migrated: what was queued runs, and shares count', async () => {
  const before = { ...STORE_SCHEMA, migrations: STORE_SCHEMA.migrations.slice(0, 2) };
  const db = openDatabase({ path: scratch.path, schema: before });
  for (const [id, principal, status] of [
    ['t1', 'ada', 'queued'],
    ['t2', 'ada', 'queued'],
    ['t3', 'bob', 'queued'],
    ['t4', 'bob', 'completed'],
  ] as const) {
    db.run(INSERT, id, principal, status);
  }
  db.run(`INSERT INTO duration VALUES ('reports', 'render', '[5,6]')`);
  db.close();

  const { tasks, workers } = await scratch.open();
  const process = { host: 'h', pid: 1, startTime: 'x' };
  const worker = {
    workerId: 'w',
    identity: 'reports',
    kind: 'inline',
    build: { id: 'b', at: 1 },
    leaseMs: 5000,
  } as const;
  await workers.register({ ...worker, process });
  const claimed = await tasks.claim({ worker: 'w', identity: 'reports', free: { render: 3 }, max: 3 });
  expect(claimed.map(({ task }) => task.taskId)).toEqual(['t1', 't3', 't2']);
  const task = {
    taskId: 't5',
    tool: 'render',
    args: {},
    principal: 'bob',
    identity: 'reports',
    ttlMs: 0,
    pollIntervalMs: 1,
    idempotent: false,
    maxAttempts: 1,
    deliver: [],
  };
  const refused = await tasks.create(task, { queueLimit: 10, share: { queued: 9, storedBytes: 0 } });
  expect(refused).toEqual({ kind: 'over-share', limit: 'storedBytes', used: 2048 });
  expect(await tasks.durations('reports', 'render', 'local')).toEqual([5, 6]);
  expect(await tasks.durations('reports', 'render', 'ada')).toEqual([]);
});
