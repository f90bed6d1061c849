import assert from 'node:assert/strict';
import type { NewWorker } from '../../../store/contracts/worker-contract.ts';
import { type ContractCase, IDENTITY, type Scene } from '../scene.ts';

export const reserveCases: readonly ContractCase[] = [
  {
    title: 'a place is kept before the worker starts, and the worker then takes it',
    run: async (scene) => {
      const { workers } = scene.store;
      const worker = detached(scene, 1);
      const { workerId, identity, kind, build, leaseMs, process } = worker;
      assert.deepEqual(await workers.reserve(worker), { kind: 'reserved' });
      const until = scene.clock.now() + worker.leaseMs;
      assert.deepEqual(await workers.list(), [{ workerId, identity, kind, state: 'starting', build, until, leaseMs }]);
      await scene.clock.advance(100);
      assert.equal(await workers.register(worker), true);
      const ready = { workerId, identity, kind, state: 'ready', build, process, until: until + 100, leaseMs };
      assert.deepEqual(await workers.list(), [ready]);
    },
  },
  {
    title: 'who starts a worker is known until it has registered, or may not start any more',
    run: async (scene) => {
      const { workers } = scene.store;
      const [first, newer] = [detached(scene, 1), detached(scene, 2)];
      const starter = { host: 'here', pid: 7, startTime: 'then' };
      await workers.reserve({ ...first, starter });
      const [starting] = await workers.list();
      assert.deepEqual([starting?.starter, starting?.process], [starter, undefined]);
      await workers.reserve({ ...newer, starter });
      await workers.register(newer);
      const [draining, ready] = await workers.list();
      assert.deepEqual([draining?.state, draining?.starter, draining?.process], ['draining', undefined, undefined]);
      assert.deepEqual([ready?.state, ready?.starter, ready?.process], ['ready', undefined, newer.process]);
    },
  },
  {
    title: 'each machine has a place of its own, and one of the same name but another boot is another machine',
    run: async (scene) => {
      const { workers } = scene.store;
      const on = (host: string, boot: string) => ({ host, pid: 7, startTime: `${boot}/11` });
      const [first, newer] = [detached(scene, 1), detached(scene, 2)];
      const here = on('here', 'b1');
      assert.deepEqual(await workers.reserve({ ...first, starter: here }), { kind: 'reserved' });
      for (const starter of [on('there', 'b1'), on('here', 'b2')]) {
        assert.deepEqual(await workers.reserve({ ...detached(scene, 1), starter }), { kind: 'reserved' });
      }
      const again = await workers.reserve({ ...detached(scene, 1), starter: here });
      assert.deepEqual(outline(again), ['exists', first.workerId, 'starting']);
      await workers.register({ ...first, process: here });
      // A newer build takes the place only on its own machine.
      assert.deepEqual(await workers.reserve({ ...newer, starter: here }), { kind: 'reserved' });
      const states = (await workers.list()).map(({ state }) => state);
      assert.deepEqual(states, ['draining', 'starting', 'starting', 'starting']);
    },
  },
  {
    title: 'a worker that registers in the very moment it was reserved is not buried as what was reserved',
    run: async (scene) => {
      const { workers } = scene.store;
      const worker = detached(scene, 1);
      await workers.reserve(worker);
      const reserved = await workers.list();
      await workers.register(worker);
      const dead = {
        workerId: worker.workerId,
        until: reserved[0]?.until ?? 0,
        reason: 'gone',
        delaysMs: [0] as const,
      };
      assert.equal(await scene.store.tasks.recover(dead), undefined);
      assert.equal((await workers.list()).length, 1);
    },
  },
  {
    title: 'a worker of the same build keeps its place, starting or ready',
    run: async (scene) => {
      const { workers } = scene.store;
      const first = detached(scene, 1);
      await workers.reserve(first);
      const starting = await workers.reserve(detached(scene, 1));
      assert.deepEqual(outline(starting), ['exists', first.workerId, 'starting']);
      await workers.register(first);
      const ready = await workers.reserve(detached(scene, 1));
      assert.deepEqual(outline(ready), ['exists', first.workerId, 'ready']);
      assert.equal((await workers.list()).length, 1);
    },
  },
  {
    title: 'the same build under another time, and another build of the same time, take no place',
    run: async (scene) => {
      const first = detached(scene, 1);
      await scene.store.workers.reserve(first);
      for (const build of [
        { id: 'build-1', at: 9 },
        { id: 'another', at: 1 },
      ]) {
        const worker = scene.toWorker({ kind: 'detached', build });
        assert.deepEqual(outline(await scene.store.workers.reserve(worker)), ['exists', first.workerId, 'starting']);
      }
    },
  },
  {
    title: 'a worker of a newer build keeps its place',
    run: async (scene) => {
      const newer = detached(scene, 2);
      await scene.store.workers.reserve(newer);
      assert.deepEqual(outline(await scene.store.workers.reserve(detached(scene, 1))), [
        'exists',
        newer.workerId,
        'starting',
      ]);
    },
  },
  {
    title: 'a worker of an older build drains and its place is given',
    run: async (scene) => {
      const { workers } = scene.store;
      const old = detached(scene, 1);
      await workers.reserve(old);
      await workers.register(old);
      const newer = detached(scene, 2);
      assert.deepEqual(await workers.reserve(newer), { kind: 'reserved' });
      assert.equal(await workers.register(newer), true);
      assert.deepEqual(await states(scene), { [old.workerId]: 'draining', [newer.workerId]: 'ready' });
      assert.equal(await workers.renew(old.workerId, 5000), 'draining');
      assert.deepEqual(outline(await workers.reserve(detached(scene, 2))), ['exists', newer.workerId, 'ready']);
    },
  },
  {
    title: 'a draining worker has no place to keep',
    run: async (scene) => {
      const { workers } = scene.store;
      const [old, newer] = [detached(scene, 1), detached(scene, 2)];
      await workers.reserve(old);
      await workers.register(old);
      await workers.reserve(newer);
      await workers.register(newer);
      await workers.retire(newer.workerId, { ifIdle: false });
      assert.deepEqual(await workers.reserve(detached(scene, 1)), { kind: 'reserved' });
    },
  },
  {
    title: 'an older worker that had not started yet may not start any more',
    run: async (scene) => {
      const old = detached(scene, 1);
      await scene.store.workers.reserve(old);
      await scene.store.workers.reserve(detached(scene, 2));
      assert.equal(await scene.store.workers.register(old), false);
      assert.notEqual((await states(scene))[old.workerId], 'ready');
    },
  },
  {
    title: 'a detached worker without a reservation is turned away',
    run: async (scene) => {
      const { workers } = scene.store;
      const stranger = detached(scene, 1);
      assert.equal(await workers.register(stranger), false);
      await workers.reserve(stranger);
      await scene.recoverWorker(stranger.workerId);
      assert.equal(await workers.register(stranger), false);
      assert.deepEqual(await workers.list(), []);
    },
  },
  {
    title: 'of many who reserve at once, one gets the place',
    run: async (scene) => {
      const tries = Array.from({ length: 8 }, () => scene.store.workers.reserve(detached(scene, 1)));
      const kinds = (await Promise.all(tries)).map((result) => result.kind);
      assert.equal(kinds.filter((kind) => kind === 'reserved').length, 1);
      assert.equal((await scene.store.workers.list()).length, 1);
    },
  },
  {
    title: 'inline workers and other identities take no place',
    run: async (scene) => {
      const { workers } = scene.store;
      await scene.startWorker({ build: { id: 'newer', at: 9 } });
      await scene.startWorker();
      assert.deepEqual(await workers.reserve({ ...detached(scene, 1), identity: 'other' }), { kind: 'reserved' });
      assert.deepEqual(await workers.reserve(detached(scene, 1)), { kind: 'reserved' });
      assert.equal((await workers.list(IDENTITY)).length, 3);
      assert.deepEqual(
        (await workers.list('other')).map((worker) => worker.identity),
        ['other'],
      );
    },
  },
];

function detached(scene: Scene, build: number) {
  return scene.toWorker({ kind: 'detached', build: { id: `build-${build}`, at: build } } satisfies Partial<NewWorker>);
}

function outline(result: Awaited<ReturnType<Scene['store']['workers']['reserve']>>): unknown[] {
  return result.kind === 'exists' ? ['exists', result.worker.workerId, result.worker.state] : [result.kind];
}

async function states(scene: Scene): Promise<Record<string, string>> {
  return Object.fromEntries((await scene.store.workers.list()).map((worker) => [worker.workerId, worker.state]));
}
