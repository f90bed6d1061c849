import assert from 'node:assert/strict';
import type { Lease } from '../../../store/contracts/task-contract.ts';
import type { NewTask } from '../../../task/record.ts';
import { type ContractCase, IDENTITY, type Scene, TOOL } from '../scene.ts';

const CANCELLED = { outcome: { kind: 'cancelled', reason: 'not needed' } } as const;
const DONE = { outcome: { kind: 'result', value: 1 } } as const;
const MORE = 2000;

export const queuesCases: readonly ContractCase[] = [
  {
    title: 'tasks of a queue are claimed one after the other, in the order of creation, whatever their tool',
    run: async (scene) => {
      const made = await submitTo(scene, 'tv', [{ tool: 'b' }, { tool: 'a' }, { tool: 'b' }]);
      const worker = await scene.startWorker();
      const order: string[] = [];
      for (let n = 0; n < 3; n++) {
        const [lease, ...others] = await claimAll(scene, worker);
        assert.ok(lease, 'nothing was runnable');
        assert.equal(others.length, 0);
        assert.deepEqual(await claimAll(scene, worker), []);
        order.push(lease.taskId);
        assert.equal(await scene.store.tasks.settle(lease, DONE), true);
      }
      assert.deepEqual(order, made);
    },
  },
  {
    title: 'other queues, other identities and tasks without a queue do not wait',
    run: async (scene) => {
      await submitTo(scene, 'tv', [{}, {}]);
      const free = [...(await submitTo(scene, 'pc', [{}])), (await scene.submit()).taskId];
      const worker = await scene.startWorker();
      assert.deepEqual(toIds(await claimAll(scene, worker)).slice(1), free);
      const [there] = await submitTo(scene, 'tv', [{ identity: 'other' }]);
      const claimed = await scene.claim(worker, { identity: 'other' });
      assert.deepEqual(toIds(claimed.map(({ task }) => task)), [there]);
    },
  },
  {
    title: 'a queue holds for all principals that stand in it',
    run: async (scene) => {
      const [first, second] = await submitTo(scene, 'tv', [{ principal: 'bob' }, { principal: 'ada' }]);
      const worker = await scene.startWorker();
      const [lease] = await claimAll(scene, worker);
      assert.equal(lease?.taskId, first);
      assert.deepEqual(await claimAll(scene, worker), []);
      await scene.store.tasks.settle(lease ?? assert.fail(), DONE);
      assert.deepEqual(toIds(await claimAll(scene, worker)), [second]);
    },
  },
  {
    title: 'a task that waits for its next attempt, or is parked, keeps its place',
    run: async (scene) => {
      const { tasks } = scene.store;
      const [first] = await submitTo(scene, 'tv', [{}, {}]);
      const worker = await scene.startWorker();
      const [lease] = await claimAll(scene, worker);
      const runAt = scene.clock.now() + 1000;
      await tasks.release(lease ?? assert.fail(), { how: 'requeue', reason: 'retry', runAt, countsAsAttempt: true });
      assert.deepEqual(await claimAll(scene, worker), []);
      assert.deepEqual(await tasks.backlog(IDENTITY), { queued: 2, leased: 0, nextRunAt: runAt });
      await scene.clock.advance(1000);
      const [again] = await claimAll(scene, worker);
      assert.equal(again?.taskId, first);
      await tasks.ask(again ?? assert.fail(), { key: 'q', request: { kind: 'roots' } });
      await tasks.release(again ?? assert.fail(), { how: 'park' });
      assert.deepEqual(await claimAll(scene, worker), []);
      assert.deepEqual(await tasks.backlog(IDENTITY), { queued: 1, leased: 0 });
      await tasks.answer(first ?? '', { q: { action: 'accept', content: [] } });
      assert.deepEqual(toIds(await claimAll(scene, worker)), [first]);
    },
  },
  {
    title: 'a task that is cancelled while it waits leaves its queue at once',
    run: async (scene) => {
      const [first, second, third] = await submitTo(scene, 'tv', [{}, {}, {}]);
      const worker = await scene.startWorker();
      // A store with a codec stores a mark instead of the queue name, so the name itself is not compared.
      assert.notEqual((await scene.read(second ?? '')).queue, undefined);
      await scene.store.tasks.settle({ taskId: second ?? '' }, CANCELLED);
      assert.equal((await scene.read(second ?? '')).queue, undefined);
      assert.deepEqual(toIds(await claimAll(scene, worker)), [first]);
      const [next] = await submitTo(scene, 'pc', [{}, {}]);
      await scene.store.tasks.settle({ taskId: next ?? '' }, CANCELLED);
      await scene.store.tasks.settle({ taskId: first ?? '' }, CANCELLED);
      assert.equal((await claimAll(scene, worker)).length, 1);
      assert.equal((await scene.read(third ?? '')).status, 'queued');
    },
  },
  {
    title: 'a task that is ended while a worker holds it leaves its queue when that worker has stopped the work',
    run: async (scene) => {
      const { tasks } = scene.store;
      const [first, second, third] = await submitTo(scene, 'tv', [{}, {}, {}]);
      const worker = await scene.startWorker();
      const [lease = assert.fail()] = await claimAll(scene, worker);
      await tasks.settle({ taskId: first ?? '' }, CANCELLED);
      assert.deepEqual(await claimAll(scene, worker), []);
      assert.equal(await tasks.release({ ...lease, fence: 9 }, { how: 'leave-queue' }), false);
      assert.equal(await tasks.release({ ...lease, worker: 'nobody' }, { how: 'leave-queue' }), false);
      assert.equal(await tasks.release(lease, { how: 'leave-queue' }), true);
      assert.equal(await tasks.release(lease, { how: 'leave-queue' }), false);
      const [next = assert.fail()] = await claimAll(scene, worker);
      assert.equal(next.taskId, second);
      await tasks.settle(next, { ...DONE, isStopping: true });
      assert.deepEqual(await claimAll(scene, worker), []);
      await tasks.release(next, { how: 'leave-queue' });
      assert.deepEqual(toIds(await claimAll(scene, worker)), [third]);
    },
  },
  {
    title: 'a worker that is gone leaves all queues, and what may run again keeps its place',
    run: async (scene) => {
      const { tasks } = scene.store;
      const [first, second] = await submitTo(scene, 'tv', [{ idempotent: false }, {}, {}]);
      const [again] = await submitTo(scene, 'pc', [{}, {}]);
      const [ended, after] = await submitTo(scene, 'pad', [{}, {}]);
      const dead = await scene.startWorker();
      assert.deepEqual(toIds(await claimAll(scene, dead)), [first, again, ended]);
      await tasks.settle({ taskId: ended ?? '' }, CANCELLED);
      await scene.recoverWorker(dead);
      const worker = await scene.startWorker();
      assert.deepEqual(toIds(await claimAll(scene, worker)), [second, after]);
      await scene.clock.advance(1000);
      assert.deepEqual(toIds(await claimAll(scene, worker)), [again]);
    },
  },
  {
    title: 'a worker that is retired leaves the queues of what it was stopping',
    run: async (scene) => {
      const [first, second] = await submitTo(scene, 'tv', [{}, {}]);
      const worker = await scene.startWorker();
      await claimAll(scene, worker);
      await scene.store.tasks.settle({ taskId: first ?? '' }, CANCELLED);
      assert.equal(await scene.store.workers.retire(worker, { ifIdle: false }), true);
      assert.deepEqual(toIds(await claimAll(scene, await scene.startWorker())), [second]);
    },
  },
  {
    title: 'a task that is not started in time leaves its queue',
    run: async (scene) => {
      const [, second] = await submitTo(scene, 'tv', [{ startWithinMs: 100 }, {}]);
      const worker = await scene.startWorker();
      await scene.clock.advance(100);
      assert.deepEqual(await claimAll(scene, worker), []);
      assert.equal(await scene.store.deadlines.expire(10), 1);
      assert.deepEqual(toIds(await claimAll(scene, worker)), [second]);
    },
  },
  {
    title: 'a task joins a queue that is known under another name, and its own when that has tasks',
    run: async (scene) => {
      const [first, second] = await submitTo(scene, 'old', [{}, {}]);
      const { queue: old } = await scene.read(first ?? '');
      const options = { queueLimit: 100, queueAliases: ['old', 'older'] };
      const joined = await scene.store.tasks.create(scene.toNewTask({ queue: 'new' }), options);
      assert.equal(joined.kind === 'created' && joined.task.queue, old);
      await scene.store.tasks.settle({ taskId: second ?? '' }, CANCELLED);
      const worker = await scene.startWorker();
      const [lease = assert.fail()] = await claimAll(scene, worker);
      await scene.store.tasks.settle(lease, DONE);
      const [last = assert.fail()] = await claimAll(scene, worker);
      await scene.store.tasks.settle(last, DONE);
      const fresh = await scene.store.tasks.create(scene.toNewTask({ queue: 'new' }), options);
      assert.notEqual(fresh.kind === 'created' && fresh.task.queue, old);
    },
  },
  {
    title: 'tasks that are adopted keep their order, behind those that are in the queue already',
    run: async (scene) => {
      const left = await submitTo(scene, 'tv', [{ identity: 'old' }, { identity: 'old' }, { identity: 'old' }]);
      const [own] = await submitTo(scene, 'tv', [{}]);
      const worker = await scene.startWorker();
      const [lease = assert.fail()] = await claimAll(scene, worker);
      assert.equal(lease.taskId, own);
      const by = { principal: 'local' };
      const adopted = await scene.store.programs.adopt({ from: 'old', to: IDENTITY, by, limit: 2 });
      assert.equal(adopted?.length, 2);
      assert.deepEqual(await claimAll(scene, worker), []);
      assert.equal((await scene.claim(worker, { identity: 'old' }))[0]?.task.taskId, left[2]);
      await scene.store.tasks.settle(lease, DONE);
      const [next = assert.fail()] = await claimAll(scene, worker);
      await scene.store.tasks.settle(next, DONE);
      assert.deepEqual([next.taskId, ...toIds(await claimAll(scene, worker))], left.slice(0, 2));
    },
  },
  {
    title: 'what waits in a queue counts as queued, and a claim of others does not look at it',
    run: async (scene) => {
      await Promise.all(Array.from({ length: MORE }, () => scene.submit({ queue: 'tv' })));
      const { taskId } = await scene.submit();
      const worker = await scene.startWorker();
      assert.equal((await scene.store.tasks.backlog(IDENTITY)).queued, MORE + 1);
      assert.equal(toIds(await claimAll(scene, worker))[1], taskId);
      assert.equal((await scene.store.tasks.backlog(IDENTITY)).queued, MORE - 1);
    },
  },
];

async function submitTo(scene: Scene, queue: string, tasks: readonly Partial<NewTask>[]): Promise<string[]> {
  const made: string[] = [];
  for (const task of tasks) made.push((await scene.submit({ ...task, queue })).taskId);
  return made;
}

async function claimAll(scene: Scene, worker: string): Promise<Lease[]> {
  const claimed = await scene.claim(worker, { free: { [TOOL]: 9, a: 9, b: 9 }, max: 9 });
  return claimed.map(({ task: { taskId, fence } }) => ({ taskId, fence, worker }));
}

function toIds(tasks: readonly { readonly taskId: string }[]): string[] {
  return tasks.map(({ taskId }) => taskId);
}
