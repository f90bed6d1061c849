import assert from 'node:assert/strict';
import type { ContractCase } from '../scene.ts';

export const workersCases: readonly ContractCase[] = [
  {
    title: 'a worker can ask what it holds, oldest first',
    run: async (scene) => {
      const { workers } = scene.store;
      const [one, two] = [await scene.begin(), await scene.begin()];
      assert.deepEqual(await workers.leases(one.worker), [one, two]);
      await scene.store.tasks.settle(one, { outcome: { kind: 'result', value: 1 } });
      assert.deepEqual(await workers.leases(one.worker), [two]);
      assert.deepEqual(await workers.leases('nobody'), []);
    },
  },
  {
    title: 'an inline worker is added ready, with its process',
    run: async (scene) => {
      const worker = scene.toWorker();
      assert.equal(await scene.store.workers.register(worker), true);
      const { workerId, identity, kind, build, process, leaseMs } = worker;
      const until = scene.clock.now() + leaseMs;
      assert.deepEqual(await scene.store.workers.list(), [
        { workerId, identity, kind, state: 'ready', build, process, until, leaseMs },
      ]);
    },
  },
  {
    title: 'every heartbeat moves the time a worker is good until, even within a millisecond',
    run: async (scene) => {
      const worker = await scene.startWorker();
      const seen = new Set([await scene.untilOf(worker)]);
      for (const pause of [0, 100, 0]) {
        await scene.clock.advance(pause);
        assert.equal(await scene.store.workers.renew(worker, 5000), 'ready');
        const before = seen.size;
        seen.add(await scene.untilOf(worker));
        assert.equal(seen.size, before + 1);
      }
      assert.ok((await scene.untilOf(worker)) >= scene.clock.now() + 5000);
    },
  },
  {
    title: 'a worker that is gone learns it from its heartbeat',
    run: async (scene) => {
      const worker = await scene.startWorker();
      await scene.store.workers.retire(worker, { ifIdle: false });
      assert.equal(await scene.store.workers.renew(worker, 5000), undefined);
      assert.equal(await scene.store.workers.renew('unknown', 5000), undefined);
      assert.deepEqual(await scene.store.workers.list(), []);
    },
  },
  {
    title: 'a worker does not retire while it holds a lease, be it working or asking',
    run: async (scene) => {
      const { tasks, workers } = scene.store;
      const lease = await scene.begin();
      assert.equal(await workers.retire(lease.worker, { ifIdle: false }), false);
      await tasks.ask(lease, { key: 'q1', request: { kind: 'roots' } });
      assert.equal(await workers.retire(lease.worker, { ifIdle: false }), false);
      await tasks.release(lease, { how: 'park' });
      assert.equal(await workers.retire(lease.worker, { ifIdle: false }), true);
    },
  },
  {
    title: 'an idle worker stays while its identity has anything queued, due or not',
    run: async (scene) => {
      const { tasks, workers } = scene.store;
      const lease = await scene.begin();
      const runAt = scene.clock.now() + 60_000;
      await tasks.release(lease, { how: 'requeue', reason: 'retry', runAt, countsAsAttempt: true });
      assert.equal(await workers.retire(lease.worker, { ifIdle: true }), false);
      await tasks.settle({ taskId: lease.taskId }, { outcome: { kind: 'cancelled', reason: 'not needed' } });
      await scene.submit({ identity: 'other' });
      assert.equal(await workers.retire(lease.worker, { ifIdle: true }), true);
      assert.equal(await workers.retire(lease.worker, { ifIdle: true }), false);
    },
  },
  {
    title: 'without idleness asked for, a worker retires from a full queue',
    run: async (scene) => {
      await scene.submit();
      const worker = await scene.startWorker();
      assert.equal(await scene.store.workers.retire(worker, { ifIdle: true }), false);
      assert.equal(await scene.store.workers.retire(worker, { ifIdle: false }), true);
    },
  },
  {
    title: 'a draining worker waits for its leases but never for the queue',
    run: async (scene) => {
      const { tasks, workers } = scene.store;
      const old = scene.toWorker({ kind: 'detached', build: { id: 'old', at: 1 } });
      await workers.reserve(old);
      await workers.register(old);
      const lease = await scene.begin({}, old.workerId);
      await scene.submit();
      await workers.reserve(scene.toWorker({ kind: 'detached', build: { id: 'new', at: 2 } }));
      assert.equal(await workers.retire(old.workerId, { ifIdle: true }), false);
      await tasks.settle(lease, { outcome: { kind: 'result', value: 1 } });
      assert.equal(await workers.retire(old.workerId, { ifIdle: true }), true);
    },
  },
];
