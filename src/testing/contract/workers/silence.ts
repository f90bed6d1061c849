import assert from 'node:assert/strict';
import type { SilentLook } from '../../../store/contracts/worker-contract.ts';
import type { ContractCase, Scene } from '../scene.ts';

export const silenceCases: readonly ContractCase[] = [
  {
    title: 'what several observers watched one after the other adds up, and is shown with the worker',
    run: async (scene) => {
      const worker = await scene.startWorker();
      const since = scene.clock.now();
      assert.deepEqual(await look(scene, worker, { by: 'ada' }), { silentMs: 0, looks: 1, since, by: 'ada' });
      await scene.clock.advance(1000);
      const added = { silentMs: 700, looks: 2, since, by: 'ada' };
      assert.deepEqual(await look(scene, worker, { by: 'ada', after: 1, toWatchedMs: () => 700.9 }), added);
      assert.deepEqual(await look(scene, worker, { by: 'bob' }), { ...added, by: 'bob' });
      const last = await look(scene, worker, { by: 'bob', after: 2, toWatchedMs: () => 300 });
      assert.deepEqual(last, { silentMs: 1000, looks: 3, since, by: 'bob' });
      assert.deepEqual((await scene.store.workers.list())[0]?.silence, last);
    },
  },
  {
    title: 'the same second counts once, however many observers watched it',
    run: async (scene) => {
      const worker = await scene.startWorker();
      await look(scene, worker, {});
      const looks = ['ada', 'bob', 'eve'].map((by) => look(scene, worker, { by, after: 1, toWatchedMs: () => 1000 }));
      await Promise.all(looks);
      assert.equal((await look(scene, worker, {}))?.silentMs, 1000);
    },
  },
  {
    title: 'a look that adds nothing, or less, takes nothing away and keeps nobody else from adding',
    run: async (scene) => {
      const worker = await scene.startWorker();
      await look(scene, worker, {});
      for (const ms of [0, -5]) await look(scene, worker, { after: 1, toWatchedMs: () => ms });
      assert.deepEqual((await look(scene, worker, { after: 1, toWatchedMs: () => 10 }))?.silentMs, 10);
    },
  },
  {
    title: 'a heartbeat ends the silence, and another sign of life begins it anew',
    run: async (scene) => {
      const { workers } = scene.store;
      const worker = await scene.startWorker();
      await look(scene, worker, { sign: 'a' });
      await look(scene, worker, { sign: 'a', after: 1, toWatchedMs: () => 400 });
      const other = await look(scene, worker, { sign: 'b', after: 2, toWatchedMs: () => 400 });
      assert.deepEqual([other?.silentMs, other?.looks], [0, 3]);
      await look(scene, worker, { sign: 'b', after: 3, toWatchedMs: () => 400 });
      const until = await scene.untilOf(worker);
      await workers.renew(worker, 5000);
      assert.equal((await workers.list())[0]?.silence, undefined);
      assert.equal(await look(scene, worker, { until }), undefined);
      assert.deepEqual((await look(scene, worker, { sign: 'b', after: 4 }))?.silentMs, 0);
    },
  },
  {
    title: 'a worker that was watched for long enough is marked once, which each of its tasks is told',
    run: async (scene) => {
      const lease = await scene.begin();
      const other = await scene.begin({}, await scene.startWorker());
      await look(scene, lease.worker, {});
      const marked = await look(scene, lease.worker, { after: 1, toWatchedMs: () => 5000 });
      assert.deepEqual([marked?.silentMs, marked?.stalledMs], [5000, 5000]);
      const later = await look(scene, lease.worker, { after: 2, toWatchedMs: () => 100 });
      assert.deepEqual([later?.silentMs, later?.stalledMs], [5100, 5000]);
      assert.deepEqual(await scene.history(lease.taskId), ['submitted', 'claimed', 'stalled']);
      const [event] = await scene.store.tasks.events(lease.taskId, 2, 1);
      const body = { type: 'stalled', worker: lease.worker, silentMs: 5000 };
      assert.deepEqual(event, { ...body, seq: 3, at: scene.clock.now() });
      assert.deepEqual(await scene.history(other.taskId), ['submitted', 'claimed']);
      assert.equal(await scene.store.tasks.write(lease, {}), true);
    },
  },
  {
    title: 'nobody watches a worker that is not there, and what was observed goes with it',
    run: async (scene) => {
      const worker = scene.toWorker();
      const missing = { ...toLook(worker.workerId, 0), after: 1 };
      assert.equal(await scene.store.workers.observe(missing), undefined);
      await scene.store.workers.register(worker);
      await look(scene, worker.workerId, {});
      await look(scene, worker.workerId, { after: 1, toWatchedMs: () => 5000 });
      await scene.recoverWorker(worker.workerId);
      await scene.store.workers.register(worker);
      assert.equal((await scene.store.workers.list())[0]?.silence, undefined);
      assert.equal((await look(scene, worker.workerId, {}))?.stalledMs, undefined);
    },
  },
  {
    title: 'the place of a worker that is given up is free before its tasks are, unless it has beaten',
    run: async (scene) => {
      const { workers } = scene.store;
      const [dead, next] = [scene.toWorker({ kind: 'detached' }), scene.toWorker({ kind: 'detached' })];
      await workers.reserve(dead);
      await workers.register(dead);
      const lease = await scene.begin({}, dead.workerId);
      const until = await scene.untilOf(dead.workerId);
      await workers.renew(dead.workerId, 5000);
      assert.equal(await workers.drain(dead.workerId, until), false);
      assert.equal((await workers.reserve(next)).kind, 'exists');
      assert.equal(await workers.drain(dead.workerId, await scene.untilOf(dead.workerId)), true);
      assert.deepEqual(await workers.reserve(next), { kind: 'reserved' });
      assert.equal((await scene.read(lease.taskId)).worker, dead.workerId);
      assert.equal((await scene.recoverWorker(dead.workerId))?.length, 1);
      assert.equal(await workers.drain('unknown', 0), false);
    },
  },
];

function toLook(workerId: string, until: number): SilentLook {
  return { workerId, until, by: 'ada', stallMs: 5000, toWatchedMs: () => 0 };
}

async function look(scene: Scene, workerId: string, over: Partial<SilentLook>) {
  return scene.store.workers.observe({ ...toLook(workerId, await scene.untilOf(workerId)), ...over });
}
