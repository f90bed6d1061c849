import assert from 'node:assert/strict';
import type { CreateResult } from '../../../store/contracts/task-contract.ts';
import type { NewTask } from '../../../task/record.ts';
import type { ContractCase, Scene } from '../scene.ts';

export const createCases: readonly ContractCase[] = [
  {
    title: 'a new task is queued, with its first event, and nobody holds it',
    run: async (scene) => {
      const wanted = scene.toNewTask();
      const now = scene.clock.now();
      const result = await create(scene, wanted);
      const expected = {
        ...wanted,
        status: 'queued',
        createdAt: now,
        updatedAt: now,
        runAt: now,
        attempt: 0,
        fence: 0,
        questions: [],
        lastSeq: 1,
      };
      assert.deepEqual(result, { kind: 'created', task: expected });
      assert.deepEqual(await scene.read(wanted.taskId), expected);
      assert.deepEqual(await scene.store.tasks.events(wanted.taskId, 0, 10), [{ type: 'submitted', seq: 1, at: now }]);
    },
  },
  {
    title: 'everything optional is kept as it was given',
    run: async (scene) => {
      const optional = {
        alias: 'mine',
        estimateMs: 45_000,
        ttlMs: null,
        idempotencyKey: 'key',
        deliver: [{ topic: 'prompt', data: { to: ['ada', null] } }, { topic: 'bell' }],
        trace: { traceparent: '00-1-2-01', tracestate: 'a=b' },
        labels: { dialect: 'tasks-2025', session: 'ä' },
        args: { text: 'naïve ☃ \u0000 "quoted"', deep: [[1.5, -0.25, { '': null }]] },
      };
      const { taskId } = await scene.submit(optional);
      const { alias, estimateMs, ttlMs, idempotencyKey, deliver, trace, labels, args } = await scene.read(taskId);
      assert.deepEqual({ alias, estimateMs, ttlMs, idempotencyKey, deliver, trace, labels, args }, optional);
    },
  },
  {
    title: 'a task without a poll interval of its own has none',
    run: async (scene) => {
      const { pollIntervalMs: _, ...wanted } = scene.toNewTask();
      const result = await scene.store.tasks.create(wanted, { queueLimit: 10 });
      assert.equal(result.kind, 'created');
      assert.equal((await scene.read(wanted.taskId)).pollIntervalMs, undefined);
    },
  },
  {
    title: 'changing what was handed in or out does not change the record',
    run: async (scene) => {
      const args = { pages: [1, 2] };
      const task = await scene.submit({ args });
      args.pages.push(3);
      const out = (task.args as { pages: number[] }).pages;
      try {
        out.push(4);
      } catch {
        // A store may freeze the value instead of copying it.
      }
      assert.deepEqual((await scene.read(task.taskId)).args, { pages: [1, 2] });
    },
  },
  {
    title: 'the same key with equal arguments joins the task, whatever the order of their names',
    run: async (scene) => {
      const first = await scene.submit({ idempotencyKey: 'k', args: { a: 1, b: { c: 2, d: 3 } } });
      const again = scene.toNewTask({ idempotencyKey: 'k', args: { b: { d: 3, c: 2 }, a: 1 } });
      assert.deepEqual(await create(scene, again), { kind: 'joined', task: first });
      assert.equal(await scene.store.tasks.get({ taskId: again.taskId }), undefined);
      assert.deepEqual(await scene.history(first.taskId), ['submitted']);
    },
  },
  {
    title: 'a task is joined while it runs and after it has ended',
    run: async (scene) => {
      const lease = await scene.begin({ idempotencyKey: 'k' });
      const running = await create(scene, scene.toNewTask({ idempotencyKey: 'k' }));
      assert.deepEqual(outline(running), ['joined', lease.taskId, 'working']);
      await scene.store.tasks.settle(lease, { outcome: { kind: 'result', value: 1 } });
      const ended = await create(scene, scene.toNewTask({ idempotencyKey: 'k' }));
      assert.deepEqual(outline(ended), ['joined', lease.taskId, 'completed']);
    },
  },
  {
    title: 'the same key with other arguments is a conflict that names the task',
    run: async (scene) => {
      const { taskId } = await scene.submit({ idempotencyKey: 'k' });
      const other = scene.toNewTask({ idempotencyKey: 'k', args: { year: 1999 } });
      assert.deepEqual(await create(scene, other), { kind: 'conflict', on: 'idempotencyKey', taskId });
      assert.equal(await scene.store.tasks.get({ taskId: other.taskId }), undefined);
    },
  },
  {
    title: 'fingerprints that are given decide whether arguments are equal, and any of them will do',
    run: async (scene) => {
      const wanted = scene.toNewTask({ idempotencyKey: 'k', alias: 'mine', args: 'one text' });
      const tasks = scene.store.tasks;
      assert.equal((await tasks.create(wanted, { queueLimit: 10, fingerprints: ['new', 'old'] })).kind, 'created');
      const again = { ...wanted, taskId: scene.toNewTask().taskId, args: 'another text' };
      const newer = await tasks.create(again, { queueLimit: 10, fingerprints: ['newest', 'new'] });
      assert.deepEqual(outline(newer), ['joined', wanted.taskId, 'queued']);
      const other = await tasks.create({ ...again, args: 'one text' }, { queueLimit: 10, fingerprints: ['old'] });
      assert.deepEqual(other, { kind: 'conflict', on: 'idempotencyKey', taskId: wanted.taskId });
    },
  },
  {
    title: 'a key belongs to one principal, identity and tool',
    run: async (scene) => {
      await scene.submit({ idempotencyKey: 'k' });
      for (const over of [{ principal: 'eve' }, { identity: 'other' }, { tool: 'other' }]) {
        await scene.submit({ idempotencyKey: 'k', ...over });
      }
    },
  },
  {
    title: 'the same alias joins an equal call, else it is a conflict',
    run: async (scene) => {
      const { taskId } = await scene.submit({ alias: 'mine' });
      const equal = await create(scene, scene.toNewTask({ alias: 'mine' }));
      assert.deepEqual(outline(equal), ['joined', taskId, 'queued']);
      for (const over of [{ args: {} }, { tool: 'other' }]) {
        const other = await create(scene, scene.toNewTask({ alias: 'mine', ...over }));
        assert.deepEqual(other, { kind: 'conflict', on: 'alias', taskId });
      }
    },
  },
  {
    title: 'an alias belongs to one principal and identity',
    run: async (scene) => {
      await scene.submit({ alias: 'mine' });
      for (const over of [{ principal: 'eve' }, { identity: 'other' }]) await scene.submit({ alias: 'mine', ...over });
    },
  },
  {
    title: 'a key and an alias that name two tasks are a conflict',
    run: async (scene) => {
      await scene.submit({ idempotencyKey: 'k' });
      const { taskId } = await scene.submit({ alias: 'mine' });
      const both = await create(scene, scene.toNewTask({ idempotencyKey: 'k', alias: 'mine' }));
      assert.deepEqual(both, { kind: 'conflict', on: 'alias', taskId });
    },
  },
  {
    title: 'a tombstone is joined and conflicts as its task did, until it is forgotten',
    run: async (scene) => {
      const { taskId } = await scene.submit({ idempotencyKey: 'k', alias: 'mine' });
      await scene.store.tasks.settle({ taskId }, { outcome: { kind: 'cancelled', reason: 'not needed' } });
      await scene.clock.advance(60_000);
      const now = scene.clock.now();
      await scene.store.tasks.sweep({ expiresBefore: now, tombstonesBefore: 0, limit: 10 });
      for (const name of [{ idempotencyKey: 'k' }, { alias: 'mine' }]) {
        assert.deepEqual(outline(await create(scene, scene.toNewTask(name))), ['joined', taskId, 'cancelled']);
        assert.equal((await create(scene, scene.toNewTask({ ...name, args: 0 }))).kind, 'conflict');
      }
      await scene.clock.advance(1);
      await scene.store.tasks.sweep({ expiresBefore: 0, tombstonesBefore: now, limit: 10 });
      await scene.submit({ idempotencyKey: 'k', alias: 'mine', args: 0 });
    },
  },
  {
    title: 'of ten creates at once with one key, one creates and nine join it',
    run: async (scene) => {
      const all = await Promise.all(
        Array.from({ length: 10 }, () => create(scene, scene.toNewTask({ idempotencyKey: 'k', alias: 'mine' }))),
      );
      const kinds = all.map((result) => result.kind).sort();
      assert.deepEqual(kinds, ['created', ...Array.from({ length: 9 }, () => 'joined')]);
      assert.equal(new Set(all.map((result) => outline(result)[1])).size, 1);
      assert.equal((await scene.store.tasks.list({ limit: 100 })).tasks.length, 1);
    },
  },
  {
    title: 'a full queue takes no task, but still lets one be joined',
    run: async (scene) => {
      await scene.submit({ idempotencyKey: 'k' });
      await scene.submit();
      const refused = scene.toNewTask();
      assert.deepEqual(await create(scene, refused, 2), { kind: 'full', queued: 2 });
      assert.equal(await scene.store.tasks.get({ taskId: refused.taskId }), undefined);
      assert.equal((await create(scene, scene.toNewTask({ idempotencyKey: 'k' }), 2)).kind, 'joined');
    },
  },
  {
    title: 'only waiting tasks of the same identity count against the queue limit',
    run: async (scene) => {
      await scene.submit({ identity: 'other' });
      await scene.begin();
      const { taskId } = await scene.submit();
      await scene.store.tasks.settle({ taskId }, { outcome: { kind: 'cancelled', reason: 'not needed' } });
      assert.equal((await create(scene, scene.toNewTask(), 1)).kind, 'created');
      assert.equal((await create(scene, scene.toNewTask(), 1)).kind, 'full');
    },
  },
];

function create(scene: Scene, task: NewTask, queueLimit = 100): Promise<CreateResult> {
  return scene.store.tasks.create(task, { queueLimit });
}

function outline(result: CreateResult): unknown[] {
  return 'task' in result ? [result.kind, result.task.taskId, result.task.status] : [result.kind];
}
