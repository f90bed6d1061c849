import assert from 'node:assert/strict';
import { KEPT_HIGH_RATE_EVENTS } from '../../../task/event.ts';
import type { SettledOutcome } from '../../../task/outcome.ts';
import type { NewTask } from '../../../task/record.ts';
import type { ContractCase, Scene } from '../scene.ts';

const DONE: SettledOutcome = { kind: 'result', value: 'secret' };
const NEVER = 0;

export const sweepCases: readonly ContractCase[] = [
  {
    title: 'a finished task whose time is up becomes a tombstone that says what happened',
    run: async (scene) => {
      const { tasks } = scene.store;
      const lease = await scene.begin({ ttlMs: 1000, trace: { traceparent: '00-1-2-01' }, alias: 'mine' });
      await tasks.write(lease, { step: { name: 's', value: 1 }, events: [{ type: 'progress', value: 1 }] });
      await tasks.ask(lease, { key: 'q1', request: { kind: 'roots' } });
      await tasks.answer(lease.taskId, { q1: { action: 'accept', content: 'secret' } });
      await tasks.settle(lease, { outcome: DONE });
      const whole = await scene.read(lease.taskId);
      await scene.clock.advance(999);
      assert.equal((await sweepExpired(scene)).expired, 0);
      await scene.clock.advance(1);
      assert.equal((await sweepExpired(scene)).expired, 1);
      const { args, outcome, questions, deliver, progress, trace, ...kept } = await scene.read(lease.taskId);
      assert.deepEqual([args, questions, deliver, progress, trace], [null, [], [], undefined, undefined]);
      assert.deepEqual(outcome, { ...outcome, kind: 'expired', was: 'result' });
      const { taskId, alias, principal, identity, tool, status, endedAt } = whole;
      assert.deepEqual(kept, { ...kept, taskId, alias, principal, identity, tool, status, endedAt });
      assert.deepEqual(await tasks.events(taskId, 0, 100), []);
      assert.doesNotMatch(JSON.stringify(await scene.read(taskId)), /secret/);
    },
  },
  {
    title: 'a tombstone keeps the kind and the reason of its outcome',
    run: async (scene) => {
      const endings: [SettledOutcome, string][] = [
        [{ kind: 'cancelled', reason: 'not needed' }, 'not needed'],
        [{ kind: 'interrupted', reason: 'The worker died' }, 'The worker died'],
        [{ kind: 'error', error: { code: 'TOOL_FAILED', message: 'No paper', stack: 'at x' } }, 'No paper'],
      ];
      for (const [outcome, reason] of endings) {
        const taskId = await end(scene, { ttlMs: 0 }, outcome);
        await sweepExpired(scene);
        assert.deepEqual((await scene.read(taskId)).outcome, { kind: 'expired', was: outcome.kind, reason });
      }
    },
  },
  {
    title: 'a tombstone is final and is swept once',
    run: async (scene) => {
      const taskId = await end(scene, { ttlMs: 0 });
      await sweepExpired(scene);
      const before = await scene.snapshot(taskId);
      await scene.clock.advance(1);
      assert.equal((await sweepExpired(scene)).expired, 0);
      assert.equal(await scene.store.tasks.settle({ taskId }, { outcome: DONE }), false);
      assert.deepEqual((await scene.store.tasks.answer(taskId, { q1: { action: 'cancel' } }))?.accepted, []);
      assert.deepEqual(await scene.snapshot(taskId), before);
    },
  },
  {
    title: 'a task that has not ended never expires',
    run: async (scene) => {
      const { tasks } = scene.store;
      const parked = await scene.begin({ ttlMs: 0 });
      await tasks.ask(parked, { key: 'q1', request: { kind: 'roots' } });
      await tasks.release(parked, { how: 'park' });
      const working = await scene.begin({ ttlMs: 0 });
      const queued = await scene.submit({ ttlMs: 0 });
      await scene.clock.advance(10_000);
      const now = scene.clock.now();
      const swept = await tasks.sweep({ expiresBefore: now, endedBefore: now, tombstonesBefore: NEVER, limit: 10 });
      assert.equal(swept.expired, 0);
      const found = await Promise.all([parked, working, queued].map(({ taskId }) => scene.read(taskId)));
      assert.deepEqual(
        found.map((task) => task.status),
        ['input_required', 'working', 'queued'],
      );
    },
  },
  {
    title: 'a prune also takes tasks by their end, whatever their time to live',
    run: async (scene) => {
      const old = [await end(scene, { ttlMs: null }), await end(scene, { ttlMs: 9_000_000 })];
      const endedBefore = scene.clock.now();
      await scene.clock.advance(1);
      const recent = await end(scene, { ttlMs: null });
      const request = { expiresBefore: NEVER, tombstonesBefore: NEVER, limit: 10 };
      assert.equal((await scene.store.tasks.sweep(request)).expired, 0);
      assert.equal((await scene.store.tasks.sweep({ ...request, endedBefore })).expired, 2);
      const kinds = await Promise.all([...old, recent].map(async (taskId) => (await scene.read(taskId)).outcome?.kind));
      assert.deepEqual(kinds, ['expired', 'expired', 'result']);
    },
  },
  {
    title: 'a task is kept while a message of its is undelivered',
    run: async (scene) => {
      const { outbox } = scene.store;
      const taskId = await end(scene, { ttlMs: 0, deliver: [{ topic: 'bell' }, { topic: 'prompt' }] });
      const { messages } = await outbox.take({ topics: ['bell', 'prompt'], max: 10, holdMs: 1000 });
      const now = scene.clock.now();
      const request = { expiresBefore: now, endedBefore: now, tombstonesBefore: NEVER, limit: 10 };
      for (const { messageId } of messages) {
        assert.equal((await scene.store.tasks.sweep(request)).expired, 0);
        assert.deepEqual((await scene.read(taskId)).outcome, DONE);
        await outbox.done(messageId);
      }
      assert.equal((await scene.store.tasks.sweep(request)).expired, 1);
    },
  },
  {
    title: 'old tombstones are forgotten, with their alias',
    run: async (scene) => {
      const taskId = await end(scene, { ttlMs: 0, alias: 'mine' });
      await sweepExpired(scene);
      const made = scene.clock.now();
      await scene.clock.advance(1000);
      const sweep = (tombstonesBefore: number) =>
        scene.store.tasks.sweep({ expiresBefore: NEVER, tombstonesBefore, limit: 10 });
      assert.equal((await sweep(made - 1)).forgotten, 0);
      assert.equal((await sweep(made)).forgotten, 1);
      assert.equal(await scene.store.tasks.get({ taskId }), undefined);
      const { principal, identity } = scene.toNewTask();
      assert.equal(await scene.store.tasks.get({ alias: 'mine', principal, identity }), undefined);
      assert.deepEqual((await scene.store.tasks.list({ limit: 10 })).tasks, []);
    },
  },
  {
    title: 'one sweep does no more than its limit of each kind',
    run: async (scene) => {
      for (let n = 0; n < 5; n++) await end(scene, { ttlMs: 0 });
      await scene.clock.advance(1);
      const { tasks } = scene.store;
      const expire = { expiresBefore: scene.clock.now(), tombstonesBefore: NEVER, limit: 2 };
      const expired = [await tasks.sweep(expire), await tasks.sweep(expire), await tasks.sweep(expire)];
      assert.deepEqual(
        expired.map((swept) => swept.expired),
        [2, 2, 1],
      );
      const forget = { expiresBefore: NEVER, tombstonesBefore: scene.clock.now(), limit: 3 };
      const forgotten = [await tasks.sweep(forget), await tasks.sweep(forget)];
      assert.deepEqual(
        forgotten.map((swept) => swept.forgotten),
        [3, 2],
      );
    },
  },
  {
    title: 'the last ten thousand high-rate events stay, and lifecycle events all stay',
    run: async (scene) => {
      const { tasks } = scene.store;
      const lease = await scene.begin();
      const written = KEPT_HIGH_RATE_EVENTS + 500;
      const batch = Array.from({ length: 500 }, (_, n) => ({ type: 'stream', data: n }) as const);
      for (let done = 0; done < written; done += batch.length) await tasks.write(lease, { events: batch });
      await tasks.sweep({ expiresBefore: NEVER, tombstonesBefore: NEVER, limit: 10 });
      const events = await tasks.events(lease.taskId, 0, written + 10);
      const seqs = events.map((event) => event.seq);
      assert.deepEqual(seqs.slice(0, 3), [1, 2, 503]);
      assert.deepEqual([seqs.length, seqs.at(-1)], [KEPT_HIGH_RATE_EVENTS + 2, written + 2]);
      assert.deepEqual(
        (await tasks.events(lease.taskId, 100, 2)).map((event) => event.seq),
        [503, 504],
      );
      assert.deepEqual(
        (await tasks.events(lease.taskId, 6000, 1)).map((event) => event.seq),
        [6001],
      );
      await tasks.settle(lease, { outcome: DONE });
      assert.equal((await scene.read(lease.taskId)).lastSeq, written + 3);
    },
  },
  {
    title: 'a store that is never swept still keeps its high-rate events within bounds',
    run: async (scene) => {
      const lease = await scene.begin();
      const batch = Array.from({ length: 1000 }, (_, n) => ({ type: 'stream', data: n }) as const);
      for (let done = 0; done < 2 * KEPT_HIGH_RATE_EVENTS; done += batch.length) {
        await scene.store.tasks.write(lease, { events: batch });
      }
      const kept = await scene.store.tasks.events(lease.taskId, 0, 3 * KEPT_HIGH_RATE_EVENTS);
      assert.ok(kept.length >= KEPT_HIGH_RATE_EVENTS + 2, `only ${kept.length} events were kept`);
      assert.ok(kept.length <= 1.5 * KEPT_HIGH_RATE_EVENTS, `${kept.length} events were kept`);
    },
  },
];

async function end(scene: Scene, over: Partial<NewTask>, outcome: SettledOutcome = DONE): Promise<string> {
  const lease = await scene.begin(over);
  assert.equal(await scene.store.tasks.settle(lease, { outcome }), true);
  return lease.taskId;
}

function sweepExpired(scene: Scene) {
  return scene.store.tasks.sweep({ expiresBefore: scene.clock.now(), tombstonesBefore: NEVER, limit: 10 });
}
