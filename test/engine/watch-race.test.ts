import { createEngine, createMemoryStore, type Store } from 'holdfast';
import { createFakeClock } from 'holdfast/testing';
import { describe, expect, it, onTestFinished } from 'vitest';

/** A task that is followed from its last event on, and what happens before its record is read next. */
async function openFollowed(ttlMs: number, meanwhile: (store: Store, taskId: string) => Promise<unknown>) {
  const clock = createFakeClock();
  const real = createMemoryStore({ clock });
  let isFollowing = false;
  const store: Store = {
    ...real,
    tasks: {
      ...real.tasks,
      async get(ref) {
        if (isFollowing && 'taskId' in ref) await meanwhile(real, ref.taskId);
        return real.tasks.get(ref);
      },
    },
  };
  const engine = await createEngine({ name: 'test', clock, store, tools: { work: { run: () => 'done' } } });
  onTestFinished(() => engine.close());
  const { taskId } = (await engine.submit('work', {}, { ttlMs })).task;
  const following = engine.watch(taskId);
  expect((await following.next()).value).toMatchObject({ type: 'submitted' });
  isFollowing = true;
  const rest: unknown[] = [];
  for await (const event of following) rest.push(event);
  return rest;
}

describe('whoever follows a task', () => {
  it('[ROOMS-322] is told of an end that came after its events were read and before its record was', async () => {
    const rest = await openFollowed(60_000, (store, taskId) =>
      store.tasks.settle({ taskId }, { outcome: { kind: 'cancelled', reason: 'enough' } }),
    );
    expect(rest).toMatchObject([{ type: 'ended', status: 'cancelled' }]);
  });

  it('[ROOMS-322] is told of the gap when its history has gone as well', async () => {
    const rest = await openFollowed(0, async (store, taskId) => {
      await store.tasks.settle({ taskId }, { outcome: { kind: 'cancelled', reason: 'enough' } });
      await store.tasks.sweep({ expiresBefore: store.time().now, tombstonesBefore: 0, limit: 10 });
    });
    expect(rest).toEqual([{ type: 'gap', from: 2, to: 2 }]);
  });
});
