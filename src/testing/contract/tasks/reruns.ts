import assert from 'node:assert/strict';
import type { FinishedStep } from '../../../store/contracts/task-contract.ts';
import type { Actor } from '../../../task/actor.ts';
import type { Task } from '../../../task/record.ts';
import type { ContractCase, Scene } from '../scene.ts';

const ADA: Actor = { principal: 'ada', client: { name: 'desk' } };
const STEPS: readonly FinishedStep[] = [
  { name: 'read', value: { pages: 3 } },
  { name: 'ä sort', value: null },
];

export const rerunsCases: readonly ContractCase[] = [
  {
    title: 'a task that runs another one again says so first, and has the steps that were kept',
    run: async (scene) => {
      const first = await scene.submit();
      const again = await rerun(scene, first, STEPS);
      const now = scene.clock.now();
      assert.equal(again.lastSeq, 3);
      assert.deepEqual(await scene.read(again.taskId), again);
      assert.deepEqual(await scene.store.tasks.events(again.taskId, 0, 10), [
        { type: 'submitted', rerunOf: first.taskId, by: ADA, seq: 1, at: now },
        { type: 'stepped', name: 'read', seq: 2, at: now },
        { type: 'stepped', name: 'ä sort', seq: 3, at: now },
      ]);
      assert.deepEqual(await scene.store.tasks.steps(first.taskId), {});
      assert.deepEqual(await scene.store.tasks.steps(again.taskId), { read: { pages: 3 }, 'ä sort': null });
    },
  },
  {
    title: 'whoever claims it gets the kept steps, and can add to them',
    run: async (scene) => {
      const worker = await scene.startWorker();
      const { taskId } = await rerun(scene, undefined, STEPS);
      const [claimed] = await scene.claim(worker);
      assert.deepEqual(claimed?.steps, { read: { pages: 3 }, 'ä sort': null });
      const lease = { taskId, worker, fence: claimed?.task.fence ?? 0 };
      assert.equal(await scene.store.tasks.write(lease, { step: { name: 'print', value: 'done' } }), true);
      assert.equal((await scene.read(taskId)).lastSeq, 5);
      assert.deepEqual(await scene.store.tasks.steps(taskId), { read: { pages: 3 }, 'ä sort': null, print: 'done' });
    },
  },
  {
    title: 'steps of a task that is not there, or has expired, are none',
    run: async (scene) => {
      assert.deepEqual(await scene.store.tasks.steps('nobody'), {});
      const { taskId } = await rerun(scene, undefined, STEPS);
      await scene.store.tasks.settle({ taskId }, { outcome: { kind: 'cancelled', reason: 'no' } });
      const now = scene.clock.now();
      await scene.store.tasks.sweep({ expiresBefore: 0, endedBefore: now, tombstonesBefore: 0, limit: 10 });
      assert.deepEqual(await scene.store.tasks.steps(taskId), {});
    },
  },
  {
    title: 'kept steps count for their principal',
    run: async (scene) => {
      const task = scene.toNewTask();
      const share = { queued: 10, storedBytes: 20_000 };
      const steps = [{ name: 'large', value: 'x'.repeat(30_000) }];
      const options = { queueLimit: 10, share, rerun: { of: 'first', by: ADA, steps } };
      assert.equal(
        (await scene.store.tasks.create(task, { ...options, share: { ...share, storedBytes: 60_000 } })).kind,
        'created',
      );
      const second = await scene.store.tasks.create(scene.toNewTask(), { queueLimit: 10, share });
      assert.deepEqual([second.kind, 'limit' in second && second.limit], ['over-share', 'storedBytes']);
    },
  },
  {
    title: 'the first event of a task in a queue says that it is in one',
    run: async (scene) => {
      const { taskId } = await scene.submit({ queue: 'desk' });
      const [first] = await scene.store.tasks.events(taskId, 0, 1);
      assert.deepEqual(first, { type: 'submitted', isInQueue: true, seq: 1, at: scene.clock.now() });
    },
  },
  {
    title: 'an attempt tells of the process groups that it starts',
    run: async (scene) => {
      const lease = await scene.begin();
      const events = [
        { type: 'spawned', pid: 7, command: 'sort' },
        { type: 'exited', pid: 7, code: 0, signal: null },
      ] as const;
      assert.equal(await scene.store.tasks.write(lease, { events }), true);
      const told = (await scene.store.tasks.events(lease.taskId, 2, 10)).map(({ seq: _, at: __, ...body }) => body);
      assert.deepEqual(told, events);
    },
  },
];

async function rerun(scene: Scene, first: Task | undefined, steps: readonly FinishedStep[]): Promise<Task> {
  const options = { queueLimit: 100, rerun: { of: first?.taskId ?? 'first', by: ADA, steps } };
  const result = await scene.store.tasks.create(scene.toNewTask(), options);
  return result.kind === 'created' ? result.task : assert.fail(result.kind);
}
