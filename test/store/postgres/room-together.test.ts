import type { Share } from 'holdfast/store';
import { describe, expect, it } from 'vitest';
import { PostgresScratch } from './scratch.ts';

const scratch = new PostgresScratch();

const toTask = (taskId: string, principal: string) => ({
  ...{ taskId, tool: 'render', args: { text: 'x'.repeat(5000) }, principal, identity: 'reports', ttlMs: 60_000 },
  ...{ pollIntervalMs: 1000, idempotent: true, maxAttempts: 3, deliver: [] },
});

describe('tasks that share a transaction', () => {
  it('[PG-275] are refused once those before them have used up the bytes of their principal', async () => {
    const store = await scratch.open();
    const share: Share = { queued: Number.POSITIVE_INFINITY, storedBytes: 15_000 };
    const create = (taskId: string, principal: string) =>
      store.tasks.create(toTask(taskId, principal), { queueLimit: 1000, share });
    const made = await Promise.all([create('a', 'ada'), create('b', 'ada'), create('c', 'ada'), create('d', 'bob')]);
    expect(made.map(({ kind }) => kind)).toEqual(['created', 'created', 'over-share', 'created']);
    // What is committed counts as before.
    const [later, other] = await Promise.all([create('e', 'ada'), create('f', 'bob')]);
    expect(later).toMatchObject({ kind: 'over-share', limit: 'storedBytes' });
    expect(other.kind).toBe('created');
    const used = made.flatMap((one) => (one.kind === 'over-share' ? [one.used] : []));
    expect(later).toMatchObject({ used: used[0] });
  });
});
