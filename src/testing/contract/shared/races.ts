import assert from 'node:assert/strict';
import type { Task } from '../../../task/record.ts';
import { IDENTITY, type Scene } from '../scene.ts';
import { type Pair, ROUNDS, type SharedContractCase } from './pair.ts';

export const raceCases: readonly SharedContractCase[] = [
  {
    title: 'two that claim at once never get the same task, and nobody goes without while there is one for each',
    run: (pair) =>
      repeat(async () => {
        const workers = [await pair.one.startWorker(), await pair.other.startWorker({ workerId: 'other' })] as const;
        await pair.one.submit();
        await pair.one.submit();
        const claims = await Promise.all([
          pair.one.claim(workers[0], { max: 1 }),
          pair.other.claim(workers[1], { max: 1 }),
        ]);
        const ids = claims.map(([claimed]) => claimed?.task.taskId);
        assert.equal(new Set(ids).size, 2);
        assert.ok(!ids.includes(undefined), 'one of the two got nothing');
        for (const taskId of ids) await cancel(pair.one, taskId ?? '');
      }),
  },
  {
    title: 'a claim passes over a task that somebody is in the middle of changing, and does not wait for it',
    run: async ({ one, other, holdTask }) => {
      // A store with a single writer cannot get into this situation.
      if (holdTask === undefined) return;
      const worker = await other.startWorker();
      const [first, second] = [await one.submit(), await one.submit()];
      const letGo = await holdTask(first.taskId);
      try {
        const [claimed] = await other.claim(worker, { max: 1 });
        assert.equal(claimed?.task.taskId, second.taskId);
      } finally {
        await letGo();
      }
      const [claimed] = await other.claim(worker, { max: 1 });
      assert.equal(claimed?.task.taskId, first.taskId);
    },
  },
  {
    title: 'a worker that is taken for dead while it claims keeps nothing: no task is left with a worker that is gone',
    run: (pair) =>
      repeat(async () => {
        const worker = await pair.one.startWorker();
        const { taskId } = await pair.one.submit();
        const until = await pair.other.untilOf(worker);
        const dead = { workerId: worker, until, reason: 'The worker died', delaysMs: [0] as const };
        await Promise.all([pair.one.claim(worker), pair.other.store.tasks.recover(dead)]);
        const task = await pair.one.read(taskId);
        assert.deepEqual([task.status, task.worker], ['queued', undefined]);
        await cancel(pair.one, taskId);
      }),
  },
  {
    title: 'a program that starts while its worker is taken for dead is an orphan afterwards, whoever was first',
    run: (pair) =>
      repeat(async (round) => {
        const workerId = await pair.one.startWorker();
        const until = await pair.other.untilOf(workerId);
        const dead = { workerId, until, reason: 'The worker died', delaysMs: [0] as const };
        const group = { workerId, taskId: 't', host: `host ${round}`, pid: 5, startTime: 'then' };
        await Promise.all([pair.one.store.workers.track(group), pair.other.store.tasks.recover(dead)]);
        assert.deepEqual(await pair.one.store.workers.orphanedGroups(group.host), [group]);
      }),
  },
  {
    title: 'of two that submit under one key at once, one creates the task and the other joins it',
    run: (pair) =>
      repeat(async (round) => {
        const results = await pair.both((scene) =>
          scene.store.tasks.create(scene.toNewTask({ idempotencyKey: `key ${round}` }), { queueLimit: 1000 }),
        );
        assert.deepEqual(results.map(({ kind }) => kind).sort(), ['created', 'joined']);
      }),
  },
  {
    title: 'of two that end a task at once, exactly one does',
    run: (pair) =>
      repeat(async () => {
        const { taskId } = await pair.one.submit();
        assert.deepEqual((await pair.both((scene) => cancel(scene, taskId))).toSorted(), [false, true]);
        assert.deepEqual(await pair.other.history(taskId), ['submitted', 'ended']);
      }),
  },
  {
    title: 'of the tasks of a queue that come at once, one after the other runs, and all of them do',
    run: (pair) =>
      repeat(async (round) => {
        const worker = await pair.one.startWorker();
        const queue = `queue ${round}`;
        const made = (await pair.both((scene) => scene.submit({ queue }))).map(({ taskId }) => taskId);
        const [first, ...others] = await pair.one.claim(worker);
        assert.deepEqual([others.length, made.includes(first?.task.taskId ?? '')], [0, true]);
        // A task joins the queue while the first one leaves it.
        const [late] = await Promise.all([pair.other.submit({ queue }), end(pair.one, first?.task)]);
        for (const { taskId } of [await next(pair, worker), await next(pair, worker)]) made.push(taskId);
        assert.deepEqual(new Set(made).size, 3);
        assert.ok(made.includes(late.taskId));
      }),
  },
  {
    title: 'of two that reserve the place of a worker at once, one gets it',
    run: (pair) =>
      repeat(async (round) => {
        const identity = `program ${round}`;
        const results = await Promise.all(
          [pair.one, pair.other].map((scene, place) => {
            const { process: _, ...worker } = scene.toWorker({ kind: 'detached', identity });
            return scene.store.workers.reserve({ ...worker, workerId: `${identity}/${place}` });
          }),
        );
        assert.deepEqual(results.map(({ kind }) => kind).toSorted(), ['exists', 'reserved']);
      }),
  },
  {
    title: 'of two couriers that come at once, each message goes to one',
    run: (pair) =>
      repeat(async () => {
        const { taskId } = await pair.one.submit({ deliver: [{ topic: 'bell' }, { topic: 'bell' }] });
        await cancel(pair.one, taskId);
        const takes = await pair.both(({ store }) => store.outbox.take({ topics: ['bell'], max: 9, holdMs: 60_000 }));
        const ids = takes.flatMap(({ messages }) => messages.map(({ messageId }) => messageId));
        assert.deepEqual(ids.toSorted(), [`${taskId}:0`, `${taskId}:1`]);
        for (const id of ids) await pair.one.store.outbox.done(id);
      }),
  },
];

async function repeat(run: (round: number) => Promise<void>): Promise<void> {
  for (let round = 0; round < ROUNDS; round++) await run(round);
}

function cancel({ store }: Scene, taskId: string): Promise<boolean> {
  return store.tasks.settle({ taskId }, { outcome: { kind: 'cancelled', reason: 'enough' } });
}

async function end(scene: Scene, task: Task | undefined): Promise<void> {
  const { taskId, fence, worker = '' } = task ?? assert.fail('nothing was claimed');
  assert.equal(
    await scene.store.tasks.settle({ taskId, fence, worker }, { outcome: { kind: 'result', value: 1 } }),
    true,
  );
}

/** Claims the next task, asserts that it is the only one, and ends it. */
async function next({ other }: Pair, worker: string): Promise<Task> {
  const [claimed, ...others] = await other.claim(worker, { identity: IDENTITY });
  assert.equal(others.length, 0);
  const task = claimed?.task ?? assert.fail('nothing more may run');
  await end(other, task);
  return task;
}
