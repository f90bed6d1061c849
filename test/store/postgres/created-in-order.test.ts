import type { Store } from 'holdfast';
import type { NewTask } from 'holdfast/store';
import { Pool } from 'pg';
import { describe, expect, it, onTestFinished } from 'vitest';
import { PostgresScratch } from './scratch.ts';

const scratch = new PostgresScratch();
const IDENTITY = 'reports';
const nextTurn = () => new Promise<void>((resolve) => void setImmediate(resolve));

/** A store on connections of which the next one that is lent can be made a slow one. */
async function openUneven() {
  const pool = new Pool({ connectionString: scratch.cluster.url(), max: 5 });
  onTestFinished(() => pool.end());
  const warm = await Promise.all(Array.from({ length: 4 }, () => pool.connect()));
  for (const client of warm) client.release();
  let isSlow = false;
  const uneven = {
    end: () => pool.end(),
    async connect() {
      const client = await pool.connect();
      if (isSlow) {
        isSlow = false;
        await client.query('SELECT pg_sleep(0.2)');
      }
      return client;
    },
  };
  const store = await scratch.open({ pool: uneven });
  onTestFinished(() => store.close());
  const slowDown = () => {
    isSlow = true;
  };
  return { store, slowDown };
}

function submit(store: Store, taskId: string, over: Partial<NewTask>) {
  const task = { taskId, tool: 'render', args: {}, principal: 'ada', identity: IDENTITY, ttlMs: 60_000 };
  const more = { pollIntervalMs: 1000, idempotent: true, maxAttempts: 3, deliver: [] };
  return store.tasks.create({ ...task, ...more, ...over }, { queueLimit: 1000 });
}

describe('tasks that one process submits', () => {
  it.each([
    ['in one queue', { queue: 'window' }],
    ['without a queue', {}],
  ])(
    '[PG-316] %s stand in the order in which it did, however slow the connection of the first was',
    async (_, over) => {
      const { store, slowDown } = await openUneven();
      slowDown();
      const first = submit(store, 'first', over);
      // Out of the transaction of the first.
      await nextTurn();
      await nextTurn();
      const second = submit(store, 'second', over);
      await Promise.all([first, second]);
      const process = { host: 'host', pid: 4000, startTime: 'boot+1' };
      const worker = {
        workerId: 'w',
        identity: IDENTITY,
        kind: 'inline',
        build: { id: 'b', at: 1 },
        leaseMs: 60_000,
      } as const;
      await store.workers.register({ ...worker, process });
      const claimed = await store.tasks.claim({ worker: 'w', identity: IDENTITY, free: { render: 1 }, max: 1 });
      expect(claimed.map(({ task }) => task.taskId)).toEqual(['first']);
    },
  );
});
