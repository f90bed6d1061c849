import assert from 'node:assert/strict';
import type { ContractCase } from '../scene.ts';

const ROOTS = { key: 'q1', request: { kind: 'roots' } } as const;
const ACCEPT = { q1: { action: 'accept' } } as const;

export const releaseCases: readonly ContractCase[] = [
  {
    title: 'the last holder of a cancelled task says once how its work was stopped, and nobody else does',
    run: async (scene) => {
      const { tasks } = scene.store;
      const lease = await scene.begin();
      const note = { how: 'stopped', note: 'its process was ended' } as const;
      assert.equal(await tasks.release(lease, note), false);
      await tasks.settle({ taskId: lease.taskId }, { outcome: { kind: 'cancelled', reason: 'enough' } });
      const { lastSeq } = await scene.read(lease.taskId);
      assert.equal(await tasks.release({ ...lease, fence: 9 }, note), false);
      assert.equal(await tasks.release(lease, note), true);
      assert.equal(await tasks.release(lease, { how: 'stopped', note: 'by magic' }), false);
      const task = await scene.read(lease.taskId);
      assert.deepEqual(task.outcome, { kind: 'cancelled', reason: 'enough', stopped: 'its process was ended' });
      assert.deepEqual([task.status, task.lastSeq], ['cancelled', lastSeq]);
      const other = await scene.begin();
      await tasks.settle(other, { outcome: { kind: 'result', value: 1 } });
      assert.equal(await tasks.release(other, note), false);
    },
  },
  {
    title: 'a parked task waits for its answer without a holder',
    run: async (scene) => {
      const lease = await scene.begin();
      await scene.store.tasks.ask(lease, ROOTS);
      assert.equal(await scene.store.tasks.release(lease, { how: 'park' }), true);
      const task = await scene.read(lease.taskId);
      assert.deepEqual([task.status, task.attempt, task.fence], ['input_required', 1, 1]);
      assert.equal('worker' in task, false);
      assert.equal((await scene.history(lease.taskId)).at(-1), 'parked');
      assert.deepEqual(await scene.claim(lease.worker), []);
    },
  },
  {
    title: 'a task is not parked once its last answer has come, and keeps its holder',
    run: async (scene) => {
      const lease = await scene.begin();
      await scene.store.tasks.ask(lease, ROOTS);
      await scene.store.tasks.answer(lease.taskId, ACCEPT);
      const before = await scene.snapshot(lease.taskId);
      assert.equal(await scene.store.tasks.release(lease, { how: 'park' }), false);
      assert.deepEqual(await scene.snapshot(lease.taskId), before);
      assert.equal(await scene.store.tasks.write(lease, { events: [{ type: 'progress', value: 1 }] }), true);
    },
  },
  {
    title: 'a park and the last answer at once leave the task working or queued, never waiting',
    run: async (scene) => {
      const lease = await scene.begin();
      await scene.store.tasks.ask(lease, ROOTS);
      const [parked] = await Promise.all([
        scene.store.tasks.release(lease, { how: 'park' }),
        scene.store.tasks.answer(lease.taskId, ACCEPT),
      ]);
      assert.equal((await scene.read(lease.taskId)).status, parked ? 'queued' : 'working');
    },
  },
  {
    title: 'a task given back is queued for its time, with the reason',
    run: async (scene) => {
      for (const reason of ['retry', 'handed-back'] as const) {
        const lease = await scene.begin();
        await scene.clock.advance(2);
        const at = scene.clock.now();
        const how = { how: 'requeue', reason, runAt: at + 700, countsAsAttempt: true } as const;
        assert.equal(await scene.store.tasks.release(lease, how), true);
        const task = await scene.read(lease.taskId);
        assert.deepEqual([task.status, task.runAt, task.updatedAt], ['queued', at + 700, at]);
        assert.equal('worker' in task, false);
        const event = { type: 'requeued', reason, runAt: at + 700, seq: 3, at };
        assert.deepEqual(await scene.store.tasks.events(lease.taskId, 2, 10), [event]);
      }
    },
  },
  {
    title: 'a task given back with an open question waits for the answer first',
    run: async (scene) => {
      const { tasks } = scene.store;
      const lease = await scene.begin();
      await tasks.ask(lease, ROOTS);
      const runAt = scene.clock.now();
      assert.equal(await tasks.release(lease, { how: 'requeue', reason: 'retry', runAt, countsAsAttempt: true }), true);
      assert.equal((await scene.read(lease.taskId)).status, 'input_required');
      assert.equal((await scene.history(lease.taskId)).at(-1), 'parked');
      await tasks.answer(lease.taskId, ACCEPT);
      const { claimed } = await scene.take(await scene.read(lease.taskId), lease.worker);
      assert.deepEqual([claimed.task.attempt, claimed.task.fence], [2, 2]);
    },
  },
  {
    title: 'parking and being taken up again costs no attempt, however often',
    run: async (scene) => {
      const { tasks } = scene.store;
      let lease = await scene.begin();
      for (const key of ['q1', 'q2', 'q3']) {
        await tasks.ask(lease, { key, request: { kind: 'roots' } });
        assert.equal(await tasks.release(lease, { how: 'park' }), true);
        await tasks.answer(lease.taskId, { [key]: { action: 'accept' } });
        lease = (await scene.take(await scene.read(lease.taskId), lease.worker)).lease;
      }
      const { attempt, fence } = await scene.read(lease.taskId);
      assert.deepEqual([attempt, fence], [1, 4]);
    },
  },
];
