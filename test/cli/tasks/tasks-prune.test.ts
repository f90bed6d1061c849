import { afterEach, beforeEach, expect, it } from 'vitest';
import { openSeededStore, type SeededStore } from './seeded-store.ts';

let seeded: SeededStore;

beforeEach(async () => {
  seeded = await openSeededStore();
});

afterEach(() => seeded.close());

async function addEnded(ttlMs: number | null): Promise<string> {
  const { taskId } = await seeded.add({ ttlMs });
  await seeded.store.tasks.settle({ taskId }, { outcome: { kind: 'cancelled', reason: 'not needed' } });
  return taskId;
}

const kindOf = async (taskId: string) => (await seeded.store.tasks.get({ taskId }))?.outcome?.kind;

it('[CLI-06] drops tasks whose time is up, and nothing else', async () => {
  const [over, fresh, kept] = [await addEnded(0), await addEnded(60_000), await addEnded(null)];
  const running = await seeded.add({ ttlMs: 0 });
  expect(await seeded.cli('prune')).toEqual({
    code: 0,
    stdout: '1 expired, 0 forgotten, 0 events trimmed\n',
    stderr: '',
  });
  expect(await Promise.all([over, fresh, kept].map(kindOf))).toEqual(['expired', 'cancelled', 'cancelled']);
  expect((await seeded.get(running.taskId)).status).toBe('queued');
});

it('--older-than drops what ended that long ago, whatever its ttl', async () => {
  const ended = await addEnded(null);
  expect((await seeded.here('prune', '--older-than', '1h', '--json')).stdout).toBe(
    '{"expired":0,"forgotten":0,"trimmed":0}\n',
  );
  expect((await seeded.here('prune', '--older-than', '0s', '--json')).stdout).toBe(
    '{"expired":1,"forgotten":0,"trimmed":0}\n',
  );
  expect(await kindOf(ended)).toBe('expired');
});

it('--tombstones forgets tombstones, those just made included', async () => {
  const ended = await addEnded(0);
  expect((await seeded.here('prune', '--tombstones')).stdout).toBe('1 expired, 1 forgotten, 0 events trimmed\n');
  expect(await seeded.store.tasks.get({ taskId: ended })).toBeUndefined();
});

it('--tombstones with an age keeps younger tombstones', async () => {
  const ended = await addEnded(0);
  expect((await seeded.here('prune', '--tombstones', '--older-than', '1h')).stdout).toBe(
    '1 expired, 0 forgotten, 0 events trimmed\n',
  );
  expect(await kindOf(ended)).toBe('expired');
});

it('goes on until nothing is left', async () => {
  await Promise.all(Array.from({ length: 501 }, () => addEnded(0)));
  expect((await seeded.here('prune', '--tombstones')).stdout).toBe('501 expired, 501 forgotten, 0 events trimmed\n');
});

it('refuses an age it cannot read', async () => {
  expect(await seeded.here('prune', '--older-than', 'yesterday')).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('expected a number and a unit'),
  });
});
