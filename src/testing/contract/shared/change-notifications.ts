import assert from 'node:assert/strict';
import type { Change } from '../../../store/contract.ts';
import { until } from '../../until.ts';
import type { Scene } from '../scene.ts';
import { ROUNDS, type SharedContractCase } from './pair.ts';

/** A store that only polls now and then would need minutes for all rounds. */
const ALL_ROUNDS_MS = 60_000;

export const changeNotificationCases: readonly SharedContractCase[] = [
  {
    title: 'what is written through one store can be read through the other',
    run: async ({ one, other }) => {
      const lease = await one.begin();
      assert.deepEqual(await other.snapshot(lease.taskId), await one.snapshot(lease.taskId));
      assert.equal(await other.store.tasks.settle(lease, { outcome: { kind: 'result', value: 1 } }), true);
      assert.equal((await one.read(lease.taskId)).status, 'completed');
    },
  },
  {
    title: 'each store hears at once of what the other writes, time and again',
    run: async ({ one, other }) => {
      const heard = await listenToBoth({ one, other });
      const endsAt = performance.now() + ALL_ROUNDS_MS;
      for (let round = 0; round < ROUNDS; round++) {
        const [writer, hears] = round % 2 === 0 ? ([one, heard[1]] as const) : ([other, heard[0]] as const);
        const { taskId } = await writer.submit();
        const timeoutMs = Math.max(1, endsAt - performance.now());
        await until(() => hears.changes.some((change) => change.taskId === taskId), { what: 'the change', timeoutMs });
      }
      for (const { stop } of heard) stop();
    },
  },
  {
    title: 'whoever subscribes and then reads misses nothing: what was not read yet is heard of',
    run: async ({ one, other }) => {
      for (let round = 0; round < ROUNDS; round++) {
        const { taskId } = await one.submit();
        const { changes, stop } = listen(other);
        const ended = one.store.tasks.settle({ taskId }, { outcome: { kind: 'cancelled', reason: 'enough' } });
        const { status } = await other.read(taskId);
        await ended;
        const hasHeard = () => changes.some((change) => change.taskId === taskId && change.type === 'ended');
        if (status !== 'cancelled') await until(hasHeard, { what: 'the end that was not read' });
        stop();
      }
    },
  },
  {
    title: 'every event is told once to both, in the order of its task, whoever wrote it',
    run: async ({ one, other }) => {
      const heard = await listenToBoth({ one, other });
      const tasks: string[] = [];
      for (let round = 0; round < ROUNDS; round++) {
        const made = await Promise.all([one.submit(), other.submit()]);
        tasks.push(...made.map(({ taskId }) => taskId));
        const outcome = { kind: 'cancelled', reason: 'enough' } as const;
        await Promise.all(made.map(({ taskId }) => other.store.tasks.settle({ taskId }, { outcome })));
      }
      for (const { changes, stop } of heard) {
        await until(() => changes.filter(({ type }) => type === 'ended').length >= tasks.length);
        stop();
        for (const taskId of tasks) {
          const types = changes.filter((change) => change.taskId === taskId).map(({ type }) => type);
          assert.deepEqual(types, ['submitted', 'ended']);
        }
      }
    },
  },
];

/** Subscribes to both stores and then reads: from that read on, no change may be missed. */
async function listenToBoth({ one, other }: { readonly one: Scene; readonly other: Scene }) {
  const { taskId } = await one.submit();
  const heard = [listen(one), listen(other)] as const;
  await Promise.all([one.read(taskId), other.read(taskId)]);
  return heard;
}

function listen({ store }: Scene): { readonly changes: Change[]; readonly stop: () => void } {
  const changes: Change[] = [];
  return { changes, stop: store.changes.subscribe((told) => changes.push(...told)) };
}
