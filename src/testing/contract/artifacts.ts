import assert from 'node:assert/strict';
import type { ContractCase, Scene } from './scene.ts';

const FIRST = { name: '0', index: 0 };

/** Ends a task that a worker holds. */
async function end(scene: Scene, { taskId, fence }: { readonly taskId: string; readonly fence: number }) {
  assert.ok(await scene.store.tasks.settle({ taskId, fence }, { outcome: { kind: 'result', value: 'done' } }));
}

export const artifactsCases: readonly ContractCase[] = [
  {
    title: 'pieces are read by their place, while the task runs and after it has ended',
    run: async (scene) => {
      const { artifacts } = scene.store;
      const lease = await scene.begin();
      assert.equal(await artifacts.put(lease, { ...FIRST, text: 'one' }), true);
      assert.equal(await artifacts.put(lease, { name: '0', index: 1, text: 'two ✓' }), true);
      assert.equal(await artifacts.put(lease, { name: 'other', index: 0, text: 'three' }), true);
      await end(scene, lease);
      assert.equal(await artifacts.read(lease.taskId, FIRST), 'one');
      assert.equal(await artifacts.read(lease.taskId, { name: '0', index: 1 }), 'two ✓');
      assert.equal(await artifacts.read(lease.taskId, { name: 'other', index: 0 }), 'three');
    },
  },
  {
    title: 'a piece that is not there is none, and neither is one of a task that is not there',
    run: async (scene) => {
      const { artifacts } = scene.store;
      const lease = await scene.begin();
      await artifacts.put(lease, { ...FIRST, text: 'one' });
      assert.equal(await artifacts.read(lease.taskId, { name: '0', index: 1 }), undefined);
      assert.equal(await artifacts.read(lease.taskId, { name: '1', index: 0 }), undefined);
      assert.equal(await artifacts.read('nobody', FIRST), undefined);
    },
  },
  {
    title: 'a piece at the same place replaces the one before',
    run: async (scene) => {
      const { artifacts } = scene.store;
      const lease = await scene.begin();
      await artifacts.put(lease, { ...FIRST, text: 'of an earlier attempt' });
      await artifacts.put(lease, { ...FIRST, text: 'again' });
      assert.equal(await artifacts.read(lease.taskId, FIRST), 'again');
    },
  },
  {
    title: 'who does not hold the task any more writes nothing',
    run: async (scene) => {
      const { artifacts } = scene.store;
      const lease = await scene.begin();
      await artifacts.put(lease, { ...FIRST, text: 'one' });
      const stale = { ...lease, fence: lease.fence - 1 };
      const foreign = { ...lease, worker: 'somebody else' };
      for (const other of [stale, foreign, { ...lease, taskId: 'nobody' }]) {
        assert.equal(await artifacts.put(other, { ...FIRST, text: 'late' }), false);
      }
      await end(scene, lease);
      assert.equal(await artifacts.put(lease, { ...FIRST, text: 'late' }), false);
      assert.equal(await artifacts.read(lease.taskId, FIRST), 'one');
    },
  },
  {
    title: 'they count for the principal until the task becomes a tombstone, and are gone then',
    run: async (scene) => {
      const { artifacts, tasks } = scene.store;
      const submit = (storedBytes: number) =>
        tasks.create(scene.toNewTask(), { queueLimit: 100, share: { queued: 100, storedBytes } });
      const countBytes = async () => {
        const refused = await submit(0);
        return refused.kind === 'over-share' ? refused.used : assert.fail(refused.kind);
      };
      const lease = await scene.begin();
      const bare = await countBytes();
      await artifacts.put(lease, { ...FIRST, text: 'x'.repeat(10_000) });
      const first = await countBytes();
      assert.ok(first >= bare + 10_000, `${bare} and then ${first}`);
      // The piece replaces the one at the same place, so only one counts.
      await artifacts.put(lease, { ...FIRST, text: 'x'.repeat(9000) });
      const second = await countBytes();
      assert.ok(second < first && second >= bare + 9000, `${first} and then ${second}`);
      await end(scene, lease);

      await scene.clock.advance(60_001);
      const now = scene.clock.now();
      await tasks.sweep({ expiresBefore: now, tombstonesBefore: 0, limit: 10 });
      assert.equal(await artifacts.read(lease.taskId, FIRST), undefined);
      assert.ok((await countBytes()) < bare + 9000);
    },
  },
];
