import assert from 'node:assert/strict';
import type { Share } from '../../../store/contracts/task-contract.ts';
import type { Actor } from '../../../task/actor.ts';
import type { ContractCase, Scene } from '../scene.ts';

const ADA: Actor = { principal: 'ada', client: { name: 'desk', version: '2.0' } };
const ROOT: Actor = { operator: 'root' };

export const actorsCases: readonly ContractCase[] = [
  {
    title: 'an answer is kept with who gave it',
    run: async (scene) => {
      const lease = await scene.begin();
      await scene.store.tasks.ask(lease, { key: 'q1', request: { kind: 'roots' } });
      await scene.store.tasks.ask(lease, { key: 'q2', request: { kind: 'roots' } });
      await scene.store.tasks.answer(lease.taskId, { q1: { action: 'decline' } }, ADA);
      await scene.store.tasks.answer(lease.taskId, { q2: { action: 'decline' } });
      const answered = (await events(scene, lease.taskId)).filter((event) => event.type === 'answered');
      assert.deepEqual(
        answered.map(({ key, by }) => [key, by]),
        [
          ['q1', ADA],
          ['q2', undefined],
        ],
      );
    },
  },
  {
    title: 'an end is kept with who brought it about; one by the work itself names nobody',
    run: async (scene) => {
      const [stopped, finished] = [await scene.begin(), await scene.begin()];
      const { taskId } = stopped;
      await scene.store.tasks.settle({ taskId }, { outcome: { kind: 'cancelled', reason: 'no' }, by: ROOT });
      await scene.store.tasks.settle(finished, { outcome: { kind: 'result', value: 1 } });
      assert.deepEqual((await events(scene, taskId)).at(-1), {
        type: 'ended',
        status: 'cancelled',
        outcome: 'cancelled',
        message: 'no',
        by: ROOT,
        seq: 3,
        at: scene.clock.now(),
      });
      assert.equal('by' in ((await events(scene, finished.taskId)).at(-1) ?? {}), false);
    },
  },
  {
    title: 'a tombstone tells who pruned the task',
    run: async (scene) => {
      const { taskId } = await scene.submit();
      await scene.store.tasks.settle({ taskId }, { outcome: { kind: 'cancelled', reason: 'no' } });
      const now = scene.clock.now();
      await scene.store.tasks.sweep({ expiresBefore: 0, endedBefore: now, tombstonesBefore: 0, limit: 10, by: ROOT });
      const { outcome } = await scene.read(taskId);
      assert.deepEqual(outcome, { kind: 'expired', was: 'cancelled', reason: 'no', by: ROOT });
    },
  },
  {
    title: 'a held task that is taken over keeps by whom, once, and not after it has ended',
    run: async (scene) => {
      const take = async (holder: string, by?: Actor, share?: Share) => {
        const hold = { key: 'k', by: holder, graceMs: 1000 };
        const options = { queueLimit: 100, hold, ...(by && { by }), ...(share && { share }) };
        const result = await scene.store.tasks.create(scene.toNewTask(), options);
        const taskId = 'task' in result ? result.task.taskId : assert.fail(result.kind);
        await scene.store.holds.release(taskId, holder, { how: 'leave', graceMs: 1000 });
        return taskId;
      };
      const taskId = await take('first', ADA);
      for (const [holder, by] of [
        ['second', ADA],
        ['third', ADA],
        ['fourth', ROOT],
        ['fifth', undefined],
      ] as const) {
        assert.equal(await take(holder, by), taskId);
      }
      const told = (await events(scene, taskId)).map((event) => (event.type === 'taken-over' ? event.by : event.type));
      assert.deepEqual(told, ['submitted', ADA, ROOT]);
      assert.equal((await scene.read(taskId)).lastSeq, 3);
      assert.equal(await take('full', ADA, { queued: 9, storedBytes: 1 }), taskId);
      assert.equal((await scene.read(taskId)).lastSeq, 3);
      const worker = await scene.startWorker();
      const { lease } = await scene.take(await scene.read(taskId), worker);
      await scene.store.tasks.settle(lease, { outcome: { kind: 'result', value: 1 } });
      assert.equal(await take('sixth', ADA), taskId);
      assert.equal((await events(scene, taskId)).at(-1)?.type, 'ended');
    },
  },
];

function events(scene: Scene, taskId: string) {
  return scene.store.tasks.events(taskId, 0, 100);
}
