import assert from 'node:assert/strict';
import type { ContractCase } from './scene.ts';

const HOUR_MS = 3_600_000;

export const deadlinesCases: readonly ContractCase[] = [
  {
    title: 'a task that was not started in time ends as failed, and says that it was never started',
    run: async (scene) => {
      const { tasks, deadlines, outbox } = scene.store;
      const task = await scene.submit({ startWithinMs: 1000, deliver: [{ topic: 'bell' }] });
      assert.equal(task.startBy, task.createdAt + 1000);
      assert.ok(!('startWithinMs' in task));
      assert.deepEqual(await scene.read(task.taskId), task);
      await scene.clock.advance(999);
      assert.equal(await deadlines.expire(10), 0);
      await scene.clock.advance(1);
      assert.equal(await deadlines.expire(10), 1);
      const { status, statusMessage, outcome, endedAt, ...ended } = await scene.read(task.taskId);
      assert.deepEqual([status, endedAt, 'startBy' in ended], ['failed', scene.clock.now(), false]);
      const message = 'expired: not started in time (startWithinMs was 1000)';
      assert.deepEqual(outcome, { kind: 'error', error: { code: 'NOT_STARTED', message } });
      assert.equal(statusMessage, message);
      assert.deepEqual(await scene.history(task.taskId), ['submitted', 'ended']);
      assert.equal((await outbox.take({ topics: ['bell'], max: 9, holdMs: 0 })).messages.length, 1);
      assert.equal(await deadlines.expire(10), 0);
      assert.equal((await tasks.backlog(task.identity)).queued, 0);
    },
  },
  {
    title: 'a task that is too late is not claimed, whether or not it has been ended yet, and holds up no other',
    run: async (scene) => {
      const worker = await scene.startWorker();
      const late = [await scene.submit({ startWithinMs: 1000 }), await scene.submit({ startWithinMs: 500 })];
      const patient = await scene.submit({ startWithinMs: 1001 });
      await scene.clock.advance(1000);
      const claimed = await scene.claim(worker, { max: 1 });
      assert.deepEqual(
        claimed.map(({ task }) => [task.taskId, 'startBy' in task]),
        [[patient.taskId, false]],
      );
      assert.deepEqual(await scene.claim(worker), []);
      assert.equal(await scene.store.deadlines.expire(1), 1);
      assert.equal((await scene.read(late[1]?.taskId ?? '')).status, 'failed');
      assert.equal(await scene.store.deadlines.expire(1), 1);
      assert.equal((await scene.read(late[0]?.taskId ?? '')).status, 'failed');
    },
  },
  {
    title: 'of a claim and an end for lateness at the same moment, one happens',
    run: async (scene) => {
      const worker = await scene.startWorker();
      for (const waitMs of [999, 1000]) {
        const { taskId } = await scene.submit({ startWithinMs: 1000 });
        await scene.clock.advance(waitMs);
        const [claimed, expired] = await Promise.all([scene.claim(worker), scene.store.deadlines.expire(10)]);
        assert.deepEqual([claimed.length, expired], waitMs < 1000 ? [1, 0] : [0, 1]);
        assert.equal((await scene.read(taskId)).attempt, claimed.length);
      }
    },
  },
  {
    title: 'a task that was started in time is never too late, parked, handed back or tried again',
    run: async (scene) => {
      const { tasks, deadlines } = scene.store;
      const parked = await scene.begin({ startWithinMs: 1000 });
      await tasks.ask(parked, { key: 'q1', request: { kind: 'roots' } });
      await tasks.release(parked, { how: 'park' });
      const handed = await scene.begin({ startWithinMs: 1000 });
      const runAt = scene.clock.now();
      await tasks.release(handed, { how: 'requeue', reason: 'handed-back', runAt, countsAsAttempt: false });
      await scene.clock.advance(5000);
      await tasks.answer(parked.taskId, { q1: { action: 'decline' } });
      assert.equal(await deadlines.expire(10), 0);
      assert.equal((await scene.claim(parked.worker)).length, 2);
    },
  },
  {
    title: 'a start is late by the time of the store, and not by a wall clock',
    run: async (scene) => {
      for (const jumpMs of [3 * HOUR_MS, -5 * HOUR_MS]) {
        await scene.submit({ startWithinMs: 60_000 });
        scene.clock.adjust(jumpMs);
        await scene.clock.advance(59_999);
        assert.equal(await scene.store.deadlines.expire(10), 0);
        await scene.clock.advance(1);
        assert.equal(await scene.store.deadlines.expire(10), 1);
      }
    },
  },
  {
    title: 'a task that was cancelled while it waited is not ended again',
    run: async (scene) => {
      const { taskId } = await scene.submit({ startWithinMs: 1000 });
      await scene.store.tasks.settle({ taskId }, { outcome: { kind: 'cancelled', reason: 'not needed' } });
      await scene.clock.advance(1000);
      assert.equal(await scene.store.deadlines.expire(10), 0);
      assert.equal((await scene.read(taskId)).status, 'cancelled');
    },
  },
];
