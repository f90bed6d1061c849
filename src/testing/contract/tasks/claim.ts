import assert from 'node:assert/strict';
import { type ContractCase, IDENTITY, type Scene, TOOL } from '../scene.ts';

export const claimCases: readonly ContractCase[] = [
  {
    title: 'a claim gives the task a holder, a fence, an attempt and a start',
    run: async (scene) => {
      const task = await scene.submit();
      const worker = await scene.startWorker();
      await scene.clock.advance(5);
      const now = scene.clock.now();
      const { claimed } = await scene.take(task, worker);
      const expected = { ...task, status: 'working', worker, fence: 1, attempt: 1, startedAt: now, updatedAt: now };
      assert.deepEqual(claimed, { task: { ...expected, lastSeq: 2 }, steps: {} });
      assert.deepEqual(await scene.read(task.taskId), claimed.task);
      const event = { type: 'claimed', attempt: 1, fence: 1, worker, seq: 2, at: now };
      assert.deepEqual(await scene.store.tasks.events(task.taskId, 1, 10), [event]);
    },
  },
  {
    title: 'the oldest due time goes first, and the oldest task among equals',
    run: async (scene) => {
      const late = await scene.begin();
      const [a, b] = [await scene.submit({ tool: 'a' }), await scene.submit({ tool: 'b' })];
      await scene.clock.advance(10);
      const runAt = scene.clock.now();
      await scene.store.tasks.release(late, { how: 'requeue', reason: 'retry', runAt, countsAsAttempt: true });
      await scene.clock.advance(10);
      const last = await scene.submit({ tool: 'b' });
      const worker = await scene.startWorker();
      const claimed = await scene.claim(worker, { free: { b: 9, [TOOL]: 9, a: 9 } });
      assert.deepEqual(ids(claimed), [a.taskId, b.taskId, late.taskId, last.taskId]);
    },
  },
  {
    title: 'no more is claimed than there are slots for the tool and in all',
    run: async (scene) => {
      const a = await submitMany(scene, 'a', 3);
      const b = await submitMany(scene, 'b', 3);
      await submitMany(scene, 'c', 1);
      const worker = await scene.startWorker();
      assert.deepEqual(ids(await scene.claim(worker, { free: { a: 1, b: 0 }, max: 9 })), a.slice(0, 1));
      assert.deepEqual(ids(await scene.claim(worker, { free: { a: 1, b: 9 }, max: 2 })), [a[1], b[0]]);
      assert.deepEqual(await scene.claim(worker, { free: { a: 9, b: 9 }, max: 0 }), []);
      assert.deepEqual(await scene.claim(worker, { free: {}, max: 9 }), []);
      assert.deepEqual(ids(await scene.claim(worker, { free: { a: 9, b: 9 }, max: 9 })), [a[2], b[1], b[2]]);
    },
  },
  {
    title: 'a task is not claimed before its time',
    run: async (scene) => {
      const lease = await scene.begin();
      const runAt = scene.clock.now() + 1000;
      await scene.store.tasks.release(lease, { how: 'requeue', reason: 'retry', runAt, countsAsAttempt: true });
      await scene.clock.advance(999);
      assert.deepEqual(await scene.claim(lease.worker), []);
      await scene.clock.advance(1);
      assert.deepEqual(ids(await scene.claim(lease.worker)), [lease.taskId]);
    },
  },
  {
    title: 'only tasks of the identity asked for are claimed',
    run: async (scene) => {
      await scene.submit({ identity: 'other' });
      const worker = await scene.startWorker();
      assert.deepEqual(await scene.claim(worker), []);
      assert.equal((await scene.claim(worker, { identity: 'other' })).length, 1);
    },
  },
  {
    title: 'two workers that claim at once never get the same task',
    run: async (scene) => {
      const made = await submitMany(scene, TOOL, 20);
      const workers = [await scene.startWorker(), await scene.startWorker()];
      const rounds = Array.from({ length: 6 }, () => workers.map((worker) => scene.claim(worker, { max: 2 }))).flat();
      const claimed = (await Promise.all(rounds)).flat();
      assert.deepEqual(ids(claimed).sort(), [...made].sort());
    },
  },
  {
    title: 'a worker that is unknown, starting or draining claims nothing',
    run: async (scene) => {
      const { taskId } = await scene.submit();
      assert.deepEqual(await scene.claim('nobody'), []);
      const old = scene.toWorker({ kind: 'detached', build: { id: 'old', at: 1 } });
      await scene.store.workers.reserve(old);
      assert.deepEqual(await scene.claim(old.workerId), []);
      await scene.store.workers.register(old);
      await scene.store.workers.reserve(scene.toWorker({ kind: 'detached', build: { id: 'new', at: 2 } }));
      assert.deepEqual(await scene.claim(old.workerId), []);
      assert.equal((await scene.read(taskId)).status, 'queued');
    },
  },
  {
    title: 'a retired worker claims nothing',
    run: async (scene) => {
      const worker = await scene.startWorker();
      await scene.store.workers.retire(worker, { ifIdle: false });
      await scene.submit();
      assert.deepEqual(await scene.claim(worker), []);
    },
  },
  {
    title: 'the fence rises with every lease, the attempt only when it is spent, and the start stays',
    run: async (scene) => {
      const lease = await scene.begin();
      const { startedAt } = await scene.read(lease.taskId);
      const counts: number[][] = [];
      let held = lease;
      for (const countsAsAttempt of [false, true, false]) {
        await scene.clock.advance(10);
        const how = { how: 'requeue', reason: 'handed-back', runAt: scene.clock.now(), countsAsAttempt } as const;
        assert.equal(await scene.store.tasks.release(held, how), true);
        const again = await scene.take(await scene.read(held.taskId), held.worker);
        held = again.lease;
        counts.push([again.claimed.task.attempt, again.claimed.task.fence]);
        assert.equal(again.claimed.task.startedAt, startedAt);
      }
      assert.deepEqual(counts, [
        [1, 2],
        [2, 3],
        [2, 4],
      ]);
    },
  },
  {
    title: 'a later claim brings the finished steps and the answered questions',
    run: async (scene) => {
      const { tasks } = scene.store;
      const lease = await scene.begin();
      await tasks.write(lease, { step: { name: 'fetch', value: { rows: [1, 2] } } });
      await tasks.write(lease, { step: { name: 'nothing', value: null } });
      await tasks.ask(lease, { key: 'q1', request: { kind: 'roots' } });
      await tasks.answer(lease.taskId, { q1: { action: 'accept', content: ['/'] } });
      const runAt = scene.clock.now();
      await tasks.release(lease, { how: 'requeue', reason: 'retry', runAt, countsAsAttempt: true });
      const { claimed } = await scene.take(await scene.read(lease.taskId), lease.worker);
      assert.deepEqual(claimed.steps, { fetch: { rows: [1, 2] }, nothing: null });
      assert.deepEqual(claimed.task.questions[0]?.answer, { action: 'accept', content: ['/'] });
    },
  },
  {
    title: 'a claim among thousands of waiting tasks finds the first ones',
    run: async (scene) => {
      const made = await Promise.all(Array.from({ length: 2000 }, () => scene.submit()));
      const worker = await scene.startWorker();
      const order = (await scene.claim(worker, { max: 3, free: { [TOOL]: 3 } })).map((one) => one.task.taskId);
      const position = new Map(made.map((task, place) => [task.taskId, place]));
      assert.deepEqual(
        order.map((taskId) => position.get(taskId)),
        [0, 1, 2],
      );
      assert.equal((await scene.store.tasks.backlog(IDENTITY)).queued, 1997);
    },
  },
];

function ids(claimed: readonly { readonly task: { readonly taskId: string } }[]): string[] {
  return claimed.map((one) => one.task.taskId);
}

async function submitMany(scene: Scene, tool: string, count: number): Promise<string[]> {
  const made: string[] = [];
  for (let n = 0; n < count; n++) made.push((await scene.submit({ tool })).taskId);
  return made;
}
