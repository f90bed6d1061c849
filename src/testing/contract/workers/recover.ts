import assert from 'node:assert/strict';
import type { Lease } from '../../../store/contracts/task-contract.ts';
import { type ContractCase, IDENTITY } from '../scene.ts';

const ROOTS = { key: 'q1', request: { kind: 'roots' } } as const;
const ACCEPT = { q1: { action: 'accept' } } as const;

export const recoverCases: readonly ContractCase[] = [
  {
    title: 'work that may be repeated is queued again, after the delay for its attempt',
    run: async (scene) => {
      const lease = await scene.begin();
      const at = scene.clock.now();
      const until = await scene.untilOf(lease.worker);
      const dead = { workerId: lease.worker, until, reason: 'The worker died', delaysMs: [700, 1400] as const };
      assert.deepEqual(await scene.store.tasks.recover(dead), [{ taskId: lease.taskId, status: 'queued' }]);
      const task = await scene.read(lease.taskId);
      assert.deepEqual([task.status, task.runAt, task.attempt, 'worker' in task], ['queued', at + 700, 1, false]);
      const event = { type: 'requeued', reason: 'worker-lost', runAt: at + 700, seq: 3, at };
      assert.deepEqual(await scene.store.tasks.events(lease.taskId, 2, 10), [event]);
      await scene.clock.advance(700);
      const { claimed } = await scene.take(task, await scene.startWorker());
      assert.deepEqual([claimed.task.attempt, claimed.task.fence], [2, 2]);
    },
  },
  {
    title: 'work that may not be repeated ends as interrupted, and that is told to the outside',
    run: async (scene) => {
      const plain = await scene.begin({ idempotent: false, deliver: [{ topic: 'bell' }] });
      const asking = await scene.begin({ idempotent: false });
      await scene.store.tasks.ask(asking, ROOTS);
      const recovered = await scene.recoverWorker(plain.worker);
      assert.deepEqual(recovered, [
        { taskId: plain.taskId, status: 'failed' },
        { taskId: asking.taskId, status: 'failed' },
      ]);
      for (const { taskId } of [plain, asking]) {
        const task = await scene.read(taskId);
        assert.deepEqual([task.status, task.outcome?.kind, task.questions], ['failed', 'interrupted', []]);
        assert.match(task.statusMessage ?? '', /^The worker died/);
        assert.deepEqual([task.endedAt, 'worker' in task], [scene.clock.now(), false]);
        assert.equal((await scene.history(taskId)).at(-1), 'ended');
      }
      const { messages } = await scene.store.outbox.take({ topics: ['bell'], max: 10, holdMs: 1000 });
      assert.deepEqual(
        messages.map((message) => message.task.taskId),
        [plain.taskId],
      );
    },
  },
  {
    title: 'work that has used its last attempt ends as interrupted',
    run: async (scene) => {
      const first = await scene.begin({ maxAttempts: 2 });
      await scene.recoverWorker(first.worker);
      await scene.clock.advance(1000);
      const { lease } = await scene.take(await scene.read(first.taskId), await scene.startWorker());
      assert.deepEqual(await scene.recoverWorker(lease.worker), [{ taskId: lease.taskId, status: 'failed' }]);
      assert.equal((await scene.read(lease.taskId)).outcome?.kind, 'interrupted');
    },
  },
  {
    title: 'what was at work together is suspect: it is queued again and no attempt is spent, not even the last',
    run: async (scene) => {
      const { tasks } = scene.store;
      const one = await scene.begin({ maxAttempts: 1 });
      const two = await scene.begin({ idempotent: false });
      const at = scene.clock.now();
      assert.deepEqual(await scene.recoverWorker(one.worker), [
        { taskId: one.taskId, status: 'queued' },
        { taskId: two.taskId, status: 'failed' },
      ]);
      const event = { type: 'requeued', reason: 'suspect', runAt: at + 1000, seq: 3, at };
      assert.deepEqual(await tasks.events(one.taskId, 2, 10), [event]);
      assert.equal((await scene.read(one.taskId)).losses, 1);
      await scene.clock.advance(1000);
      const { claimed, lease } = await scene.take(await scene.read(one.taskId), await scene.startWorker());
      assert.deepEqual([claimed.task.attempt, claimed.task.fence, claimed.task.losses], [1, 2, 1]);
      await tasks.settle(lease, { outcome: { kind: 'result', value: 1 } });
      assert.equal('losses' in (await scene.read(one.taskId)), false);
    },
  },
  {
    title: 'what only waited for an answer is no suspect, and makes no suspect of others',
    run: async (scene) => {
      const asking = await scene.begin();
      await scene.store.tasks.ask(asking, ROOTS);
      const working = await scene.begin();
      await scene.recoverWorker(asking.worker);
      const [waits, works] = await Promise.all([scene.read(asking.taskId), scene.read(working.taskId)]);
      assert.deepEqual([waits.status, 'losses' in waits], ['input_required', false]);
      assert.deepEqual([works.status, works.losses], ['queued', 1]);
      const requeued = (await scene.store.tasks.events(working.taskId, 2, 10)).at(-1);
      assert.equal(requeued?.type === 'requeued' && requeued.reason, 'worker-lost');
    },
  },
  {
    title: 'what is lost again and again, always with others, ends all the same',
    run: async (scene) => {
      const task = await scene.submit({ maxAttempts: 1 });
      let losses = 0;
      while ((await scene.read(task.taskId)).status !== 'failed') {
        const worker = await scene.startWorker();
        const { lease } = await scene.take(task, worker);
        await scene.begin({ idempotent: false, tool: 'other' }, worker);
        losses += 1;
        assert.ok(losses < 100, 'a task went round in circles');
        await scene.recoverWorker(lease.worker);
        await scene.clock.advance(1000);
      }
      assert.equal((await scene.read(task.taskId)).outcome?.kind, 'interrupted');
      assert.ok(losses > 3, `it was given up after ${losses} losses`);
    },
  },
  {
    title: 'a claim takes no more suspects than it asks for, and what is behind them is not held up',
    run: async (scene) => {
      const first = await scene.begin();
      const second = await scene.begin();
      await scene.recoverWorker(first.worker);
      await scene.clock.advance(1000);
      const fresh = await scene.submit();
      const worker = await scene.startWorker();
      const claimed = async (suspects: number) =>
        (await scene.claim(worker, { suspects: { losses: 1, max: suspects } })).map(({ task }) => task.taskId);
      assert.deepEqual(await claimed(0), [fresh.taskId]);
      assert.deepEqual(await claimed(0), []);
      assert.deepEqual(await scene.claim(worker, { suspects: { losses: 2, max: 0 }, max: 0 }), []);
      assert.deepEqual(await claimed(1), [first.taskId]);
      assert.deepEqual(await claimed(5), [second.taskId]);
    },
  },
  {
    title: 'an open question stays open and costs no attempt, not even the last',
    run: async (scene) => {
      const lease = await scene.begin({ maxAttempts: 1 });
      await scene.store.tasks.ask(lease, ROOTS);
      assert.deepEqual(await scene.recoverWorker(lease.worker), [{ taskId: lease.taskId, status: 'input_required' }]);
      const task = await scene.read(lease.taskId);
      assert.deepEqual([task.questions.length, 'worker' in task], [1, false]);
      assert.equal((await scene.history(lease.taskId)).at(-1), 'parked');
      await scene.store.tasks.answer(lease.taskId, ACCEPT);
      const { claimed } = await scene.take(await scene.read(lease.taskId), await scene.startWorker());
      assert.deepEqual([claimed.task.attempt, claimed.task.fence], [1, 2]);
    },
  },
  {
    title: 'nothing changes when the worker has beaten again',
    run: async (scene) => {
      const lease = await scene.begin();
      const until = await scene.untilOf(lease.worker);
      await scene.store.workers.renew(lease.worker, 5000);
      const before = await scene.snapshot(lease.taskId);
      const dead = { workerId: lease.worker, until, reason: 'The worker died', delaysMs: [0] as const };
      assert.equal(await scene.store.tasks.recover(dead), undefined);
      assert.deepEqual(await scene.snapshot(lease.taskId), before);
      assert.equal((await scene.store.workers.list()).length, 1);
    },
  },
  {
    title: 'of two who bury one worker, one does',
    run: async (scene) => {
      const lease = await scene.begin();
      const until = await scene.untilOf(lease.worker);
      const dead = { workerId: lease.worker, until, reason: 'The worker died', delaysMs: [0] as const };
      const both = await Promise.all([scene.store.tasks.recover(dead), scene.store.tasks.recover(dead)]);
      assert.equal(both.filter((recovered) => recovered === undefined).length, 1);
      assert.equal(await scene.store.tasks.recover({ ...dead, workerId: 'unknown' }), undefined);
      assert.equal((await scene.read(lease.taskId)).lastSeq, 3);
    },
  },
  {
    title: 'a dead worker leaves the registry, and others stay in it with what they hold',
    run: async (scene) => {
      const dead = await scene.begin();
      const alive = await scene.begin({}, await scene.startWorker());
      assert.equal((await scene.recoverWorker(dead.worker))?.length, 1);
      const left = (await scene.store.workers.list()).map((worker) => worker.workerId);
      assert.deepEqual(left, [alive.worker]);
      assert.equal(await scene.store.workers.renew(dead.worker, 5000), undefined);
      assert.equal((await scene.read(alive.taskId)).status, 'working');
    },
  },
  {
    title: 'a worker that holds nothing, or never came up, can be buried',
    run: async (scene) => {
      const idle = await scene.startWorker();
      const starting = scene.toWorker({ kind: 'detached' });
      await scene.store.workers.reserve(starting);
      for (const workerId of [idle, starting.workerId]) assert.deepEqual(await scene.recoverWorker(workerId), []);
      assert.deepEqual(await scene.store.workers.list(), []);
    },
  },
  {
    title: 'tasks that ended or went back before are left alone',
    run: async (scene) => {
      const { tasks } = scene.store;
      const ended = await scene.begin();
      const worker = ended.worker;
      await tasks.settle(ended, { outcome: { kind: 'result', value: 1 } });
      const parked = await scene.begin();
      await tasks.ask(parked, ROOTS);
      await tasks.release(parked, { how: 'park' });
      const before = await Promise.all([ended, parked].map((one: Lease) => scene.snapshot(one.taskId)));
      assert.deepEqual(await scene.recoverWorker(worker), []);
      assert.deepEqual(await Promise.all([ended, parked].map((one) => scene.snapshot(one.taskId))), before);
      assert.deepEqual(await tasks.backlog(IDENTITY), { queued: 0, leased: 0 });
    },
  },
];
