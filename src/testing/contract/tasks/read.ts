import assert from 'node:assert/strict';
import type { TaskFilter } from '../../../store/contracts/task-contract.ts';
import { type ContractCase, IDENTITY, type Scene } from '../scene.ts';

export const readCases: readonly ContractCase[] = [
  {
    title: 'a task is found by its id, and by its alias with its owner',
    run: async (scene) => {
      const task = await scene.submit({ alias: 'mine' });
      const { tasks } = scene.store;
      const owner = { principal: 'ada', identity: IDENTITY };
      assert.deepEqual(await tasks.get({ taskId: task.taskId }), task);
      assert.deepEqual(await tasks.get({ alias: 'mine', ...owner }), task);
      assert.equal(await tasks.get({ taskId: 'mine' }), undefined);
      assert.equal(await tasks.get({ alias: task.taskId, ...owner }), undefined);
      assert.equal(await tasks.get({ alias: 'mine', ...owner, principal: 'eve' }), undefined);
      assert.equal(await tasks.get({ alias: 'mine', ...owner, identity: 'other' }), undefined);
    },
  },
  {
    title: 'a list is newest first, also among tasks made in the same millisecond',
    run: async (scene) => {
      const made = [await scene.submit(), await scene.submit()];
      await scene.clock.advance(1);
      made.push(await scene.submit());
      assert.deepEqual(await pages(scene, { limit: 10 }), [made.map((task) => task.taskId).reverse()]);
    },
  },
  {
    title: 'pages neither repeat nor leave out a task while others are added',
    run: async (scene) => {
      const made = [];
      for (let n = 0; n < 5; n++) made.push((await scene.submit()).taskId);
      const seen = await pages(scene, { limit: 2 }, () => scene.submit());
      assert.deepEqual(seen.flat(), made.reverse());
      assert.deepEqual(
        seen.filter((page) => page.length > 0).map((page) => page.length),
        [2, 2, 1],
      );
    },
  },
  {
    title: 'a list can be narrowed to a principal, identity, tool and status',
    run: async (scene) => {
      const plain = await scene.submit();
      const eves = await scene.submit({ principal: 'eve' });
      const others = await scene.submit({ identity: 'other' });
      const { taskId: ended } = await scene.submit({ tool: 'print' });
      await scene.store.tasks.settle({ taskId: ended }, { outcome: { kind: 'cancelled', reason: 'not needed' } });
      const found = async (filter: Partial<TaskFilter>) => (await pages(scene, { limit: 1, ...filter })).flat();
      assert.deepEqual(await found({ principal: 'eve' }), [eves.taskId]);
      assert.deepEqual(await found({ identity: 'other' }), [others.taskId]);
      assert.deepEqual(await found({ tool: 'print' }), [ended]);
      assert.deepEqual(await found({ status: 'cancelled' }), [ended]);
      assert.deepEqual(await found({ principal: 'ada', identity: IDENTITY, tool: 'render', status: 'queued' }), [
        plain.taskId,
      ]);
      assert.deepEqual(await found({ principal: 'eve', status: 'cancelled' }), []);
    },
  },
  {
    title: 'events come in order after a number, a page at a time, each with its time',
    run: async (scene) => {
      const start = scene.clock.now();
      const lease = await scene.begin();
      await scene.clock.advance(7);
      await scene.store.tasks.write(lease, { events: [progress(0.1), progress(0.2), progress(0.3)] });
      const read = async (afterSeq: number, limit: number) =>
        (await scene.store.tasks.events(lease.taskId, afterSeq, limit)).map(({ seq, type, at }) => [
          seq,
          type,
          at - start,
        ]);
      assert.deepEqual(await read(0, 3), [
        [1, 'submitted', 0],
        [2, 'claimed', 0],
        [3, 'progress', 7],
      ]);
      assert.deepEqual(await read(3, 100), [
        [4, 'progress', 7],
        [5, 'progress', 7],
      ]);
      assert.deepEqual(await read(5, 100), []);
      assert.deepEqual(await scene.store.tasks.events('unknown', 0, 100), []);
    },
  },
  {
    title: 'the backlog counts what waits and what is held, and knows when work is next due',
    run: async (scene) => {
      const { tasks } = scene.store;
      assert.deepEqual(await tasks.backlog(IDENTITY), { queued: 0, leased: 0 });
      const now = scene.clock.now();
      const later = await scene.begin();
      await tasks.release(later, { how: 'requeue', reason: 'retry', runAt: now + 9000, countsAsAttempt: true });
      assert.deepEqual(await tasks.backlog(IDENTITY), { queued: 1, leased: 0, nextRunAt: now + 9000 });
      await scene.submit({ identity: 'other' });
      await scene.begin();
      const asking = await scene.begin();
      await tasks.ask(asking, { key: 'q1', request: { kind: 'roots' } });
      await scene.submit();
      assert.deepEqual(await tasks.backlog(IDENTITY), { queued: 2, leased: 2, nextRunAt: now });
      await tasks.release(asking, { how: 'park' });
      assert.deepEqual(await tasks.backlog(IDENTITY), { queued: 2, leased: 1, nextRunAt: now });
    },
  },
  {
    title: 'names that differ behind a NUL or in half of a pair are never taken for one, or are refused',
    run: async (scene) => {
      const { tasks } = scene.store;
      const { taskId } = await scene.submit({ alias: 'a', idempotencyKey: 'k', principal: 'ada\ufffd' });
      for (const over of [{ alias: 'a\0b' }, { idempotencyKey: 'k\0b' }, { principal: 'ada\ud800', alias: 'a' }]) {
        const task = scene.toNewTask({ principal: 'ada\ufffd', ...over });
        const created = await undefinedIfInvalid(tasks.create(task, { queueLimit: 10 }));
        assert.ok(created === undefined || created.kind === 'created', `${JSON.stringify(over)} ${created?.kind}`);
      }
      for (const principal of ['ada\ufffd\0', 'ada\ud800']) {
        const page = await undefinedIfInvalid(tasks.list({ principal, limit: 10 }));
        const found = page?.tasks.map((task) => task.taskId) ?? [];
        assert.equal(found.includes(taskId), false);
      }
      assert.equal(await undefinedIfInvalid(tasks.get({ taskId: `${taskId}\0` })), undefined);
    },
  },
  {
    title: 'a closed store says so',
    run: async (scene) => {
      await scene.store.close();
      await assert.rejects(scene.store.tasks.create(scene.toNewTask(), { queueLimit: 1 }), { code: 'STORE_CLOSED' });
    },
  },
];

async function undefinedIfInvalid<T>(answer: Promise<T>): Promise<T | undefined> {
  try {
    return await answer;
  } catch (error) {
    assert.equal((error as { code?: unknown }).code, 'INVALID_ARGUMENT');
    return undefined;
  }
}

const progress = (value: number) => ({ type: 'progress', value }) as const;

async function pages(scene: Scene, filter: TaskFilter, between?: () => Promise<unknown>): Promise<string[][]> {
  const all: string[][] = [];
  for (let cursor: string | undefined; ; ) {
    const page = await scene.store.tasks.list(cursor === undefined ? filter : { ...filter, cursor });
    all.push(page.tasks.map((task) => task.taskId));
    cursor = page.nextCursor;
    if (cursor === undefined) return all;
    assert.ok(all.length < 100, 'the list does not end');
    await between?.();
  }
}
