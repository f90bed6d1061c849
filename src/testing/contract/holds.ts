import assert from 'node:assert/strict';
import type { NewHold } from '../../store/contracts/hold-contract.ts';
import type { CreateResult } from '../../store/contracts/task-contract.ts';
import type { NewTask } from '../../task/record.ts';
import type { ContractCase, Scene } from './scene.ts';

const GRACE_MS = 120_000;
const LEAVE = { how: 'leave', graceMs: GRACE_MS } as const;
const HAND_OVER = { how: 'hand-over' } as const;
const ANSWERED = { how: 'answered', joinMs: 30_000 } as const;

export const holdsCases: readonly ContractCase[] = [
  {
    title: 'a held task is waited for from the start, and by one holder only',
    run: async (scene) => {
      const taskId = await hold(scene, 'first');
      const { holds } = scene.store;
      assert.deepEqual(await holds.list(), [{ taskId, by: 'first', graceMs: GRACE_MS }]);
      assert.equal(await holds.attend(taskId, 'second'), false);
      assert.equal(await holds.attend(taskId, 'first'), true);
    },
  },
  {
    title: 'those that ask for one thing can be listed alone',
    run: async (scene) => {
      const { holds } = scene.store;
      const waited = await hold(scene, 'first');
      const left = await hold(scene, 'second');
      await holds.release(left, 'second', LEAVE);
      await hold(scene, 'third', { key: 'other' });
      assert.deepEqual(
        (await holds.list('same')).map(({ taskId }) => taskId),
        [waited, left],
      );
      assert.deepEqual(await holds.list('nothing'), []);
    },
  },
  {
    title: 'a task that is not held cannot be waited for',
    run: async (scene) => {
      const { taskId } = await scene.submit();
      assert.equal(await scene.store.holds.attend(taskId, 'first'), false);
      assert.equal(await scene.store.holds.attend('nobody', 'first'), false);
      assert.deepEqual(await scene.store.holds.list(), []);
    },
  },
  {
    title: 'a call that was left has a time to be cancelled, until somebody takes it up',
    run: async (scene) => {
      const { holds } = scene.store;
      const taskId = await hold(scene, 'first');
      assert.equal(await holds.release(taskId, 'first', LEAVE), true);
      const cancelAt = scene.clock.now() + GRACE_MS;
      assert.deepEqual(await holds.list(), [{ taskId, graceMs: GRACE_MS, cancelAt }]);
      assert.equal(await holds.attend(taskId, 'second'), true);
      assert.deepEqual(await holds.list(), [{ taskId, by: 'second', graceMs: GRACE_MS }]);
    },
  },
  {
    title: 'only the one who waits can stop waiting',
    run: async (scene) => {
      const { holds } = scene.store;
      const taskId = await hold(scene, 'first');
      assert.equal(await holds.release(taskId, 'second', LEAVE), false);
      assert.equal(await holds.release(taskId, 'second', HAND_OVER), false);
      assert.equal(await holds.release(taskId, 'first', HAND_OVER), true);
      assert.equal(await holds.release(taskId, 'first', LEAVE), false);
    },
  },
  {
    title: 'a call that was handed over is never to be cancelled, whoever waits and leaves later',
    run: async (scene) => {
      const { holds } = scene.store;
      const taskId = await hold(scene, 'first');
      await holds.release(taskId, 'first', HAND_OVER);
      assert.deepEqual(await holds.list(), []);
      assert.equal(await holds.attend(taskId, 'second'), true);
      await holds.release(taskId, 'second', LEAVE);
      assert.deepEqual(await holds.list(), []);
    },
  },
  {
    title: 'the same call joins one that was left or handed over, and waits for it from then on',
    run: async (scene) => {
      for (const how of [LEAVE, HAND_OVER]) {
        const key = how.how;
        const taskId = await hold(scene, 'first', { key });
        await scene.store.holds.release(taskId, 'first', how);
        const joined = { kind: 'joined', task: await scene.read(taskId), tookOver: true };
        assert.deepEqual(await create(scene, 'second', { key }), joined);
        assert.equal((await scene.store.holds.list()).find((one) => one.taskId === taskId)?.by, 'second');
      }
    },
  },
  {
    title: 'two calls that are both waited for never join, nor do calls for something else',
    run: async (scene) => {
      const first = await hold(scene, 'first');
      const second = await hold(scene, 'second');
      assert.notEqual(first, second);
      await scene.store.holds.release(first, 'first', LEAVE);
      assert.notEqual(await hold(scene, 'third', { key: 'other' }), first);
      const plain = await scene.submit();
      assert.notEqual(plain.taskId, first);
    },
  },
  {
    title: 'of two same calls at once, one joins and the other begins anew',
    run: async (scene) => {
      const taskId = await hold(scene, 'first');
      await scene.store.holds.release(taskId, 'first', LEAVE);
      const both = await Promise.all([create(scene, 'second'), create(scene, 'third')]);
      assert.deepEqual(both.map(({ kind }) => kind).sort(), ['created', 'joined']);
    },
  },
  {
    title: 'the newest of several is joined',
    run: async (scene) => {
      const [first, second] = [await hold(scene, 'first'), await hold(scene, 'second')];
      await scene.store.holds.release(second, 'second', LEAVE);
      await scene.store.holds.release(first, 'first', LEAVE);
      assert.equal(toTaskId(await create(scene, 'third')), second);
      assert.equal(toTaskId(await create(scene, 'fourth')), first);
    },
  },
  {
    title: 'one that ended while nobody waited is joined for its outcome, unless it was cancelled',
    run: async (scene) => {
      const { tasks, holds } = scene.store;
      const done = await hold(scene, 'first', { key: 'done' });
      await holds.release(done, 'first', LEAVE);
      const { lease } = await scene.take(await scene.read(done), await scene.startWorker());
      await tasks.settle(lease, { outcome: { kind: 'result', value: 7 } });
      const joined = await create(scene, 'second', { key: 'done' });
      assert.deepEqual(joined.kind === 'joined' && joined.task.outcome, { kind: 'result', value: 7 });

      const cancelled = await hold(scene, 'first', { key: 'cancelled' });
      await holds.release(cancelled, 'first', LEAVE);
      await tasks.settle({ taskId: cancelled }, { outcome: { kind: 'cancelled', reason: 'no' } });
      assert.equal((await create(scene, 'second', { key: 'cancelled' })).kind, 'created');
    },
  },
  {
    title: 'one that is not held any more, or has expired, is not joined',
    run: async (scene) => {
      const { tasks, holds } = scene.store;
      const removed = await hold(scene, 'first', { key: 'removed' });
      await holds.release(removed, 'first', LEAVE);
      await holds.remove(removed);
      assert.deepEqual(await holds.list(), []);
      assert.notEqual(await hold(scene, 'second', { key: 'removed' }), removed);

      const expired = await hold(scene, 'first', { key: 'expired', ttlMs: 0 });
      await holds.release(expired, 'first', LEAVE);
      const worker = await scene.startWorker();
      for (const { task } of await scene.claim(worker)) {
        await tasks.settle({ taskId: task.taskId, fence: task.fence }, { outcome: { kind: 'result', value: 1 } });
      }
      await tasks.sweep({ expiresBefore: scene.clock.now(), tombstonesBefore: 0, limit: 100 });
      assert.equal((await scene.read(expired)).outcome?.kind, 'expired');
      assert.notEqual(await hold(scene, 'second', { key: 'expired' }), expired);
    },
  },
  {
    title: 'a call that was answered is taken up for a time, which counts from the first answer',
    run: async (scene) => {
      const { holds } = scene.store;
      const taskId = await end(scene, await hold(scene, 'first'));
      assert.equal(await holds.release(taskId, 'nobody', ANSWERED), false);
      assert.equal(await holds.release(taskId, 'first', ANSWERED), true);
      const cancelAt = scene.clock.now() + ANSWERED.joinMs;
      const { endedAt } = await scene.read(taskId);
      assert.deepEqual(await holds.list(), [{ taskId, graceMs: GRACE_MS, cancelAt, endedAt }]);
      await scene.clock.advance(ANSWERED.joinMs - 1);
      assert.equal(toTaskId(await create(scene, 'second')), taskId);
      await holds.release(taskId, 'second', ANSWERED);
      assert.deepEqual(await holds.list(), [{ taskId, graceMs: GRACE_MS, cancelAt, endedAt }]);
      await scene.clock.advance(1);
      assert.equal((await create(scene, 'third')).kind, 'created');
    },
  },
  {
    title: 'a call that was answered with a key of its own is taken up by that key only',
    run: async (scene) => {
      const { holds } = scene.store;
      const taskId = await end(scene, await hold(scene, 'first', { answeredKey: 'narrow' }));
      assert.equal((await holds.list('narrow'))[0]?.by, 'first');
      await holds.release(taskId, 'first', ANSWERED);
      assert.deepEqual(await holds.list('same'), []);
      assert.equal((await create(scene, 'second', { answeredKey: 'another' })).kind, 'created');
      assert.equal(toTaskId(await create(scene, 'third', { answeredKey: 'narrow' })), taskId);
      assert.equal((await holds.list('narrow'))[0]?.by, 'third');
    },
  },
  {
    title: 'a call with an idempotency key of its own takes up nothing that was left',
    run: async (scene) => {
      const taskId = await hold(scene, 'first');
      await scene.store.holds.release(taskId, 'first', LEAVE);
      assert.equal((await create(scene, 'second', { idempotencyKey: 'new' })).kind, 'created');
      assert.equal(toTaskId(await create(scene, 'third')), taskId);
    },
  },
  {
    title: 'an idempotency key joins before a hold does, and leaves the one who waits alone',
    run: async (scene) => {
      const idempotencyKey = 'once';
      const taskId = await hold(scene, 'first', { idempotencyKey });
      const again = await create(scene, 'second', { idempotencyKey });
      assert.deepEqual([again.kind, toTaskId(again)], ['joined', taskId]);
      assert.equal((await scene.store.holds.list())[0]?.by, 'first');
    },
  },
];

/** What differs from an ordinary held call. */
type Over = Partial<NewHold> & Partial<Pick<NewTask, 'ttlMs' | 'idempotencyKey'>>;

function create(scene: Scene, by: string, over: Over = {}): Promise<CreateResult> {
  const { key = 'same', answeredKey, graceMs = GRACE_MS, ...task } = over;
  const held = { key, by, graceMs, ...(answeredKey !== undefined && { answeredKey }) };
  return scene.store.tasks.create(scene.toNewTask(task), { queueLimit: 100, hold: held });
}

/** Ends a held task with a result; returns its id. */
async function end(scene: Scene, taskId: string): Promise<string> {
  const { lease } = await scene.take(await scene.read(taskId), await scene.startWorker());
  await scene.store.tasks.settle(lease, { outcome: { kind: 'result', value: 7 } });
  return taskId;
}

/** Creates a held task; returns its id. */
async function hold(scene: Scene, by: string, over: Over = {}): Promise<string> {
  const created = await create(scene, by, over);
  assert.equal(created.kind, 'created');
  return toTaskId(created);
}

function toTaskId(result: CreateResult): string {
  return 'task' in result ? result.task.taskId : assert.fail(`${result.kind} is not a task`);
}
