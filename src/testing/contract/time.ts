import assert from 'node:assert/strict';
import type { ContractCase, Scene } from './scene.ts';

const HOUR_MS = 3_600_000;
const JUMPS = [-HOUR_MS, 3 * HOUR_MS];

export const timeCases: readonly ContractCase[] = [
  {
    title: 'time begins with the wall clock and goes on by the steady one, whatever becomes of the former',
    run: async (scene) => {
      const began = scene.clock.now();
      await scene.submit();
      assert.deepEqual(scene.store.time(), { now: began, certain: began, movedAt: 0 });
      for (const jumpMs of JUMPS) {
        scene.clock.adjust(jumpMs);
        await scene.submit();
        await scene.clock.advance(250);
      }
      assert.deepEqual(scene.store.time(), { now: began + 500, certain: began + 500, movedAt: 0 });
    },
  },
  {
    title: 'tasks are claimed in the order in which they were submitted, however the wall clock is set meanwhile',
    run: async (scene) => {
      const worker = await scene.startWorker();
      const made: string[] = [];
      for (const jumpMs of [...JUMPS, -5 * HOUR_MS, 0]) {
        made.push((await scene.submit()).taskId);
        scene.clock.adjust(jumpMs);
      }
      const claimed = await scene.claim(worker);
      assert.deepEqual(
        claimed.map(({ task }) => task.taskId),
        made,
      );
    },
  },
  {
    title: 'a delay passes with the time of the store, and with nothing else',
    run: async (scene) => {
      for (const jumpMs of JUMPS) {
        const lease = await scene.begin();
        const runAt = scene.store.time().now + 1000;
        await scene.store.tasks.release(lease, { how: 'requeue', reason: 'retry', runAt, countsAsAttempt: true });
        scene.clock.adjust(jumpMs);
        await scene.clock.advance(999);
        assert.deepEqual(await scene.claim(lease.worker), []);
        await scene.clock.advance(1);
        assert.equal((await scene.claim(lease.worker)).length, 1);
      }
    },
  },
  {
    title: 'a result expires when the time of the store has passed, and not by the wall clock of who sweeps',
    run: async (scene) => {
      for (const jumpMs of JUMPS) {
        const lease = await scene.begin({ ttlMs: 60_000 });
        await scene.store.tasks.settle(lease, { outcome: { kind: 'result', value: 1 } });
        scene.clock.adjust(jumpMs);
        await scene.clock.advance(59_999);
        assert.equal(await sweep(scene), 0);
        await scene.clock.advance(1);
        assert.equal(await sweep(scene), 1);
      }
    },
  },
  {
    title:
      'a wall clock that stays ahead is believed after a while, and no result loses more than half of its time by it',
    run: async (scene) => {
      const finish = async (ttlMs: number) => {
        const lease = await scene.begin({ ttlMs });
        await scene.store.tasks.settle(lease, { outcome: { kind: 'result', value: 1 } });
      };
      await scene.submit({ tool: 'other' });
      scene.clock.adjust(3 * HOUR_MS);
      for (let minute = 0; minute < 10; minute++) {
        await scene.submit({ tool: 'other' });
        await scene.clock.advance(60_000);
      }
      await finish(2 * HOUR_MS);
      await scene.clock.advance(60_000);
      await scene.submit({ tool: 'other' });
      assert.equal(scene.store.time().now, scene.clock.now());
      await finish(0);
      // A task that ends after the clock was moved keeps its full TTL, and no more.
      assert.equal(await sweep(scene), 1);
      await scene.clock.advance(HOUR_MS - 90_000);
      assert.equal(await sweep(scene), 0);
      await scene.clock.advance(90_000);
      assert.equal(await sweep(scene), 1);
    },
  },
];

async function sweep(scene: Scene): Promise<number> {
  const { now } = scene.store.time();
  return (await scene.store.tasks.sweep({ expiresBefore: now, tombstonesBefore: 0, limit: 10 })).expired;
}
