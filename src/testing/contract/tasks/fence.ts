import assert from 'node:assert/strict';
import type { Lease, TaskStore } from '../../../store/contracts/task-contract.ts';
import type { ContractCase, Scene } from '../scene.ts';

type Write = (tasks: TaskStore, lease: Lease) => Promise<boolean>;

const ROOTS = { kind: 'roots' } as const;

const WRITES: Readonly<Record<string, Write>> = {
  holds: (tasks, lease) => tasks.holds(lease),
  write: (tasks, lease) =>
    tasks.write(lease, { events: [{ type: 'progress', value: 0.9 }], step: { name: 's', value: 1 } }),
  ask: (tasks, lease) => tasks.ask(lease, { key: 'stale', request: ROOTS }),
  park: (tasks, lease) => tasks.release(lease, { how: 'park' }),
  requeue: (tasks, lease) => tasks.release(lease, { how: 'requeue', reason: 'retry', runAt: 0, countsAsAttempt: true }),
  settle: (tasks, lease) => tasks.settle(lease, { outcome: { kind: 'result', value: 'stale' }, ranMs: 1 }),
};

/** Different ways to lose a lease. The task has an open question when it begins. */
const LOSSES: Readonly<Record<string, (scene: Scene, lease: Lease) => Promise<unknown>>> = {
  'it was parked': (scene, lease) => scene.store.tasks.release(lease, { how: 'park' }),
  'it was handed back': (scene, lease) => handBack(scene, lease),
  'the same worker took it again': async (scene, lease) => {
    await handBack(scene, lease);
    await scene.take(await scene.read(lease.taskId), lease.worker);
  },
  'another worker took it': async (scene, lease) => {
    await handBack(scene, lease);
    await scene.take(await scene.read(lease.taskId), await scene.startWorker());
  },
  'its worker was taken for dead': (scene, lease) => scene.recoverWorker(lease.worker),
  'it was cancelled': (scene, { taskId }) =>
    scene.store.tasks.settle({ taskId }, { outcome: { kind: 'cancelled', reason: 'not needed' } }),
};

export const fenceCases: readonly ContractCase[] = [
  ...Object.entries(WRITES).flatMap(([verb, writes]) =>
    Object.entries(LOSSES).map(([loss, lose]) => ({
      title: `${verb} with an old lease changes nothing after ${loss}`,
      run: async (scene: Scene) => {
        const lease = await scene.begin();
        await scene.store.tasks.ask(lease, { key: 'q1', request: ROOTS });
        await lose(scene, lease);
        await scene.clock.advance(1);
        const before = await scene.snapshot(lease.taskId);
        assert.equal(await writes(scene.store.tasks, lease), false);
        assert.deepEqual(await scene.snapshot(lease.taskId), before);
        assert.deepEqual(await scene.store.tasks.durations('reports', 'render', 'ada'), []);
      },
    })),
  ),
  {
    title: 'a lease with a made-up fence, worker or task changes nothing',
    run: async (scene) => {
      const lease = await scene.begin();
      const before = await scene.snapshot(lease.taskId);
      for (const writes of Object.values(WRITES)) {
        const forged = [
          { ...lease, fence: lease.fence + 1 },
          { ...lease, fence: lease.fence - 1 },
          { ...lease, taskId: 'unknown' },
          { ...lease, worker: 'somebody else' },
        ];
        for (const one of forged) assert.equal(await writes(scene.store.tasks, one), false);
      }
      assert.deepEqual(await scene.snapshot(lease.taskId), before);
    },
  },
  {
    title: 'a lease is held until it is given back or the task has ended, also while a question is open',
    run: async (scene) => {
      const lease = await scene.begin();
      assert.equal(await scene.store.tasks.holds(lease), true);
      await scene.store.tasks.ask(lease, { key: 'q1', request: ROOTS });
      assert.equal(await scene.store.tasks.holds(lease), true);
      await scene.store.tasks.settle(lease, { outcome: { kind: 'result', value: 1 } });
      assert.equal(await scene.store.tasks.holds(lease), false);
    },
  },
  {
    title: 'a draining worker still ends what it holds',
    run: async (scene) => {
      const old = scene.toWorker({ kind: 'detached', build: { id: 'old', at: 1 } });
      await scene.store.workers.reserve(old);
      await scene.store.workers.register(old);
      const lease = await scene.begin({}, old.workerId);
      await scene.store.workers.reserve(scene.toWorker({ kind: 'detached', build: { id: 'new', at: 2 } }));
      assert.equal(await scene.store.tasks.write(lease, { events: [{ type: 'progress', value: 1 }] }), true);
      assert.equal(await scene.store.tasks.settle(lease, { outcome: { kind: 'result', value: 1 } }), true);
    },
  },
];

async function handBack(scene: Scene, lease: Lease): Promise<void> {
  await scene.store.tasks.answer(lease.taskId, { q1: { action: 'accept' } });
  const how = { how: 'requeue', reason: 'handed-back', runAt: scene.clock.now(), countsAsAttempt: false } as const;
  assert.equal(await scene.store.tasks.release(lease, how), true);
}
