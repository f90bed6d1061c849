import assert from 'node:assert/strict';
import type { HighRateBody } from '../../../task/event.ts';
import type { ContractCase } from '../scene.ts';

export const writeCases: readonly ContractCase[] = [
  {
    title: 'high-rate events are kept in order, and the newest progress is on the record',
    run: async (scene) => {
      const lease = await scene.begin();
      await scene.clock.advance(3);
      const at = scene.clock.now();
      const events: HighRateBody[] = [
        { type: 'progress', value: 0.1, message: 'Page 1' },
        { type: 'log', level: 'info', message: 'hello', data: { n: 1 } },
        { type: 'progress', value: 0.2, message: 'Page 2' },
        { type: 'stream', data: ['chunk', null] },
      ];
      assert.equal(await scene.store.tasks.write(lease, { events }), true);
      const task = await scene.read(lease.taskId);
      assert.deepEqual(task.progress, { value: 0.2, message: 'Page 2', at });
      assert.deepEqual([task.statusMessage, task.updatedAt, task.lastSeq], ['Page 2', at, 6]);
      assert.deepEqual(
        await scene.store.tasks.events(lease.taskId, 2, 10),
        events.map((event, place) => ({ ...event, seq: 3 + place, at })),
      );
    },
  },
  {
    title: 'a progress without a message leaves the message of the one before',
    run: async (scene) => {
      const lease = await scene.begin();
      await scene.store.tasks.write(lease, { events: [{ type: 'progress', value: 0.1, message: 'Page 1' }] });
      await scene.store.tasks.write(lease, { events: [{ type: 'progress', value: 0.2 }] });
      const { progress, statusMessage } = await scene.read(lease.taskId);
      assert.deepEqual([progress, statusMessage], [{ value: 0.2, at: scene.clock.now() }, 'Page 1']);
    },
  },
  {
    title: 'events that are no progress leave the progress as it is',
    run: async (scene) => {
      const lease = await scene.begin();
      await scene.store.tasks.write(lease, { events: [{ type: 'progress', value: 0.5, message: 'Half' }] });
      const { progress } = await scene.read(lease.taskId);
      await scene.clock.advance(5);
      await scene.store.tasks.write(lease, { events: [{ type: 'stream', data: 1 }] });
      assert.deepEqual((await scene.read(lease.taskId)).progress, progress);
    },
  },
  {
    title: 'a step is stored with its event, after the events written with it',
    run: async (scene) => {
      const lease = await scene.begin();
      const events = [{ type: 'progress', value: 1 }] as const;
      assert.equal(await scene.store.tasks.write(lease, { events, step: { name: 'fetch', value: 7 } }), true);
      const [, , third, fourth] = await scene.store.tasks.events(lease.taskId, 0, 10);
      assert.deepEqual([third?.type, fourth?.type], ['progress', 'stepped']);
      assert.deepEqual(fourth, { type: 'stepped', name: 'fetch', seq: 4, at: scene.clock.now() });
    },
  },
  {
    title: 'writes at once are numbered without holes',
    run: async (scene) => {
      const lease = await scene.begin();
      const writes = Array.from({ length: 20 }, (_, n) =>
        scene.store.tasks.write(lease, { events: [{ type: 'stream', data: n }] }),
      );
      assert.deepEqual(new Set(await Promise.all(writes)), new Set([true]));
      const seqs = (await scene.store.tasks.events(lease.taskId, 0, 100)).map((event) => event.seq);
      assert.deepEqual(
        seqs,
        Array.from({ length: 22 }, (_, n) => n + 1),
      );
      assert.equal((await scene.read(lease.taskId)).lastSeq, 22);
    },
  },
];
