import assert from 'node:assert/strict';
import { ORPHAN_KEEP_MS, type ProcessGroupRef } from '../../../store/contracts/worker-contract.ts';
import type { ContractCase, Scene } from '../scene.ts';

export const groupsCases: readonly ContractCase[] = [
  {
    title: 'process groups are remembered until they are untracked',
    run: async (scene) => {
      const { workers } = scene.store;
      const [one, two] = [await scene.startWorker(), await scene.startWorker()];
      for (const tracked of [group(one, 10), group(one, 11), group(two, 10)]) await workers.track(tracked);
      await workers.track(group(one, 10));
      const pids = async (workerId: string) => (await workers.groups(workerId)).map(({ pid }) => pid).sort();
      assert.deepEqual(await pids(one), [10, 11]);
      await workers.untrack(one, 10);
      await workers.untrack(one, 99);
      assert.deepEqual(await workers.groups(one), [group(one, 11)]);
      assert.deepEqual(await workers.groups(two), [group(two, 10)]);
      assert.deepEqual(await workers.groups('unknown'), []);
    },
  },
  {
    title: 'what a dead worker has left stays on record until somebody untracks it',
    run: async (scene) => {
      const { workers } = scene.store;
      const [dead, alive] = [await scene.startWorker(), await scene.startWorker()];
      for (const worker of [dead, alive]) await workers.track(group(worker, 77));
      assert.deepEqual(await workers.orphanedGroups('host'), []);
      await scene.recoverWorker(dead);
      assert.deepEqual(await workers.groups(dead), [group(dead, 77)]);
      assert.deepEqual(await workers.orphanedGroups('host'), [group(dead, 77)]);
      await workers.untrack(dead, 77);
      assert.deepEqual([await workers.groups(dead), await workers.orphanedGroups('host')], [[], []]);
      assert.deepEqual(await workers.groups(alive), [group(alive, 77)]);
    },
  },
  {
    title: 'each host is told of what was left there, and of nothing else',
    run: async (scene) => {
      const { workers } = scene.store;
      const [one, two] = [await scene.startWorker(), await scene.startWorker()];
      const here = [group(one, 11), group(one, 12), group(two, 10)];
      const there = { ...group(two, 13), host: 'elsewhere' };
      for (const tracked of [...here, there]) await workers.track(tracked);
      for (const worker of [one, two]) await scene.recoverWorker(worker);
      assert.deepEqual(await orphans(scene), here);
      assert.deepEqual(await workers.orphanedGroups('elsewhere'), [there]);
      assert.deepEqual(await workers.orphanedGroups('hos'), []);
    },
  },
  {
    title: 'a group of a worker that has been removed meanwhile is an orphan from the beginning',
    run: async (scene) => {
      const { workers } = scene.store;
      const worker = await scene.startWorker();
      await scene.recoverWorker(worker);
      await workers.track(group(worker, 5));
      assert.deepEqual(await workers.orphanedGroups('host'), [group(worker, 5)]);
    },
  },
  {
    title: "a group of a worker that is there is nobody's orphan, even under the name and number of one that was left",
    run: async (scene) => {
      const { workers } = scene.store;
      const info = scene.toWorker();
      await workers.register(info);
      const { workerId } = info;
      await workers.track(group(workerId, 5));
      await scene.recoverWorker(workerId);
      await workers.register(info);
      const next = { ...group(workerId, 5), startTime: 'later' };
      await workers.track(next);
      assert.deepEqual(await workers.orphanedGroups('host'), []);
      assert.deepEqual(await workers.groups(workerId), [next]);
    },
  },
  {
    title: 'a worker that retires leaves no process groups on record',
    run: async (scene) => {
      const { workers } = scene.store;
      const worker = await scene.startWorker();
      await workers.track(group(worker, 5));
      assert.equal(await workers.retire(worker, { ifIdle: false }), true);
      assert.deepEqual([await workers.groups(worker), await workers.orphanedGroups('host')], [[], []]);
    },
  },
  {
    title: 'a sweep forgets what was left so long ago that its host cannot be expected any more, and nothing else',
    run: async (scene) => {
      const { workers } = scene.store;
      const [one, two, alive] = [await scene.startWorker(), await scene.startWorker(), await scene.startWorker()];
      for (const worker of [one, two, alive]) await workers.track(group(worker, 5));
      await scene.recoverWorker(one);
      await scene.clock.advance(1000);
      await scene.recoverWorker(two);
      await scene.clock.advance(ORPHAN_KEEP_MS - 1001);
      await sweep(scene);
      assert.deepEqual(await orphans(scene), [group(one, 5), group(two, 5)]);
      await scene.clock.advance(1);
      await sweep(scene);
      assert.deepEqual(await orphans(scene), [group(two, 5)]);
      assert.deepEqual([await workers.groups(one), await workers.groups(alive)], [[], [group(alive, 5)]]);
    },
  },
];

function group(workerId: string, pid: number): ProcessGroupRef {
  return { workerId, taskId: 't', host: 'host', pid, startTime: `s${pid}` };
}

/** Sorted, because stores need not return orphans in any order. */
async function orphans(scene: Scene): Promise<ProcessGroupRef[]> {
  const found = await scene.store.workers.orphanedGroups('host');
  return found.sort((a, b) => a.workerId.localeCompare(b.workerId) || a.pid - b.pid);
}

async function sweep(scene: Scene): Promise<void> {
  await scene.store.tasks.sweep({ expiresBefore: 0, tombstonesBefore: 0, limit: 100 });
}
