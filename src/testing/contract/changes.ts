import assert from 'node:assert/strict';
import type { Change } from '../../store/contract.ts';
import { until } from '../until.ts';
import type { ContractCase, Scene } from './scene.ts';

export const changesCases: readonly ContractCase[] = [
  {
    title: 'every event of a task is announced, in order',
    run: async (scene) => {
      const { seen, stop } = collect(scene);
      const { tasks } = scene.store;
      const lease = await scene.begin();
      await tasks.write(lease, { events: [{ type: 'progress', value: 0.5 }], step: { name: 's', value: 1 } });
      await tasks.ask(lease, { key: 'q1', request: { kind: 'roots' } });
      await tasks.release(lease, { how: 'park' });
      await tasks.answer(lease.taskId, { q1: { action: 'accept' } });
      await tasks.settle({ taskId: lease.taskId }, { outcome: { kind: 'cancelled', reason: 'not needed' } });
      await until(() => seen.some((change) => change.type === 'ended'), { what: 'the end to be announced' });
      stop();
      assert.deepEqual(
        seen.map((change) => change.type),
        await scene.history(lease.taskId),
      );
      assert.deepEqual(new Set(seen.map((change) => change.taskId)), new Set([lease.taskId]));
    },
  },
  {
    title: 'a change can be read by the time it is announced',
    run: async (scene) => {
      const statuses: Promise<string | undefined>[] = [];
      const stop = scene.store.changes.subscribe((changes) => {
        for (const { taskId, type } of changes) {
          if (type === 'ended') statuses.push(scene.store.tasks.get({ taskId }).then((task) => task?.status));
        }
      });
      const lease = await scene.begin();
      await scene.store.tasks.settle(lease, { outcome: { kind: 'result', value: 1 } });
      await until(() => statuses.length > 0, { what: 'the end to be announced' });
      stop();
      assert.deepEqual(await Promise.all(statuses), ['completed']);
    },
  },
  {
    title: 'a write that changes nothing is not announced',
    run: async (scene) => {
      const lease = await scene.begin();
      await scene.store.tasks.settle(lease, { outcome: { kind: 'result', value: 1 } });
      const { seen, stop } = collect(scene);
      await scene.store.tasks.write(lease, { events: [{ type: 'progress', value: 1 }] });
      await scene.store.tasks.settle(lease, { outcome: { kind: 'result', value: 2 } });
      const marker = await scene.submit();
      await until(() => seen.length > 0, { what: 'the marker to be announced' });
      stop();
      assert.deepEqual(seen, [{ taskId: marker.taskId, type: 'submitted' }]);
    },
  },
  {
    title: 'every subscriber hears of a change, until it has called off',
    run: async (scene) => {
      const gone = collect(scene);
      const [one, two] = [collect(scene), collect(scene)];
      gone.stop();
      await scene.submit();
      await until(() => one.seen.length > 0 && two.seen.length > 0, { what: 'both to be told' });
      one.stop();
      two.stop();
      assert.deepEqual([one.seen.length, two.seen.length, gone.seen.length], [1, 1, 0]);
    },
  },
];

function collect(scene: Scene): { readonly seen: Change[]; readonly stop: () => void } {
  const seen: Change[] = [];
  return { seen, stop: scene.store.changes.subscribe((changes) => seen.push(...changes)) };
}
