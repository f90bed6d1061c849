import assert from 'node:assert/strict';
import type { SettledOutcome } from '../../../task/outcome.ts';
import { type ContractCase, IDENTITY, type Scene, TOOL } from '../scene.ts';

const DONE: SettledOutcome = { kind: 'result', value: { pages: 500 } };
const STOP: SettledOutcome = { kind: 'cancelled', reason: 'not needed' };
const ROOTS = { kind: 'roots' } as const;

export const settleCases: readonly ContractCase[] = [
  {
    title: 'a result completes the task, frees its holder and starts its time to live',
    run: async (scene) => {
      const lease = await scene.begin({ ttlMs: 5000 });
      await scene.clock.advance(30);
      const at = scene.clock.now();
      assert.equal(await scene.store.tasks.settle(lease, { outcome: DONE }), true);
      const task = await scene.read(lease.taskId);
      assert.deepEqual([task.status, task.outcome], ['completed', DONE]);
      assert.deepEqual([task.endedAt, task.expiresAt, task.updatedAt], [at, at + 5000, at]);
      assert.deepEqual(['worker' in task, 'statusMessage' in task], [false, false]);
      const event = { type: 'ended', status: 'completed', outcome: 'result', seq: 3, at };
      assert.deepEqual(await scene.store.tasks.events(lease.taskId, 2, 10), [event]);
    },
  },
  {
    title: 'every other outcome has its status, and its reason as the message',
    run: async (scene) => {
      const error = { code: 'TOOL_FAILED', message: 'No paper', data: { tray: 2 }, stack: 'Error: No paper' };
      const endings: [SettledOutcome, string, string][] = [
        [{ kind: 'error', error }, 'failed', 'No paper'],
        [{ kind: 'interrupted', reason: 'The worker died' }, 'failed', 'The worker died'],
        [STOP, 'cancelled', 'not needed'],
      ];
      for (const [outcome, status, message] of endings) {
        const lease = await scene.begin();
        assert.equal(await scene.store.tasks.settle(lease, { outcome }), true);
        const task = await scene.read(lease.taskId);
        assert.deepEqual([task.status, task.outcome, task.statusMessage], [status, outcome, message]);
        const [ended] = await scene.store.tasks.events(lease.taskId, 2, 10);
        assert.deepEqual(ended, {
          type: 'ended',
          status,
          outcome: outcome.kind,
          message,
          seq: 3,
          at: scene.clock.now(),
        });
      }
    },
  },
  {
    title: 'no character in the words of a tool keeps its task from going on or ending',
    run: async (scene) => {
      const { tasks } = scene.store;
      const words = 'before\0after \ud800';
      const lease = await scene.begin();
      assert.equal(await tasks.write(lease, { events: [{ type: 'progress', value: 0.5, message: words }] }), true);
      assert.match((await scene.read(lease.taskId)).statusMessage ?? '', /^before.after .$/u);
      const outcome: SettledOutcome = { kind: 'error', error: { code: 'TOOL_FAILED', message: words } };
      assert.equal(await tasks.settle(lease, { outcome }), true);
      const task = await scene.read(lease.taskId);
      assert.deepEqual(task.outcome, outcome);
      assert.match(task.statusMessage ?? '', /^before.after .$/u);
    },
  },
  {
    title: 'a task without a time to live never expires, and one of zero expires at its end',
    run: async (scene) => {
      const kept = await scene.begin({ ttlMs: null });
      const brief = await scene.begin({ ttlMs: 0 });
      for (const lease of [kept, brief]) await scene.store.tasks.settle(lease, { outcome: DONE });
      assert.equal('expiresAt' in (await scene.read(kept.taskId)), false);
      assert.equal((await scene.read(brief.taskId)).expiresAt, scene.clock.now());
    },
  },
  {
    title: 'buffered events come before the end, and their progress stays',
    run: async (scene) => {
      const lease = await scene.begin();
      const events = [
        { type: 'progress', value: 0.5 },
        { type: 'progress', value: 1, message: 'All done' },
      ] as const;
      await scene.store.tasks.settle(lease, { outcome: DONE, events });
      const task = await scene.read(lease.taskId);
      assert.deepEqual(task.progress, { value: 1, message: 'All done', at: scene.clock.now() });
      assert.deepEqual([task.lastSeq, 'statusMessage' in task], [5, false]);
      assert.deepEqual((await scene.history(lease.taskId)).slice(2), ['progress', 'progress', 'ended']);
    },
  },
  {
    title: 'open questions are withdrawn at the end, answered ones stay',
    run: async (scene) => {
      const { tasks } = scene.store;
      const lease = await scene.begin();
      for (const key of ['q1', 'q2']) await tasks.ask(lease, { key, request: ROOTS });
      await tasks.answer(lease.taskId, { q1: { action: 'accept' } });
      assert.equal(await tasks.settle(lease, { outcome: DONE }), true);
      assert.deepEqual(
        (await scene.read(lease.taskId)).questions.map((question) => question.key),
        ['q1'],
      );
    },
  },
  {
    title: 'without a fence anybody can end a task that waits, works, asks or is parked',
    run: async (scene) => {
      const { tasks } = scene.store;
      const waiting = await scene.submit({ tool: 'waiting' });
      const working = await scene.begin();
      const asking = await scene.begin();
      await tasks.ask(asking, { key: 'q1', request: ROOTS });
      const parked = await scene.begin();
      await tasks.ask(parked, { key: 'q1', request: ROOTS });
      await tasks.release(parked, { how: 'park' });
      for (const { taskId } of [waiting, working, asking, parked]) {
        assert.equal(await tasks.settle({ taskId }, { outcome: STOP }), true);
        const task = await scene.read(taskId);
        assert.deepEqual([task.status, task.questions, 'worker' in task], ['cancelled', [], false]);
      }
      assert.deepEqual(await tasks.backlog(IDENTITY), { queued: 0, leased: 0 });
      const worker = await scene.startWorker();
      assert.deepEqual(await scene.claim(worker, { free: { waiting: 9, [TOOL]: 9 } }), []);
    },
  },
  {
    title: 'the end is final: nothing ends a task twice',
    run: async (scene) => {
      const lease = await scene.begin();
      await scene.store.tasks.settle(lease, { outcome: DONE });
      const before = await scene.snapshot(lease.taskId);
      await scene.clock.advance(1);
      for (const outcome of [DONE, STOP, { kind: 'interrupted', reason: 'late' } as const]) {
        assert.equal(await scene.store.tasks.settle(lease, { outcome }), false);
        assert.equal(await scene.store.tasks.settle({ taskId: lease.taskId }, { outcome }), false);
      }
      assert.deepEqual(await scene.snapshot(lease.taskId), before);
      assert.equal(await scene.store.tasks.settle({ taskId: 'unknown' }, { outcome: STOP }), false);
    },
  },
  {
    title: 'of many who end a task at once, one does, and it is told once',
    run: async (scene) => {
      const lease = await scene.begin({ deliver: [{ topic: 'bell' }] });
      const tries = Array.from({ length: 8 }, (_, n) =>
        scene.store.tasks.settle(n % 2 ? lease : { taskId: lease.taskId }, { outcome: n % 2 ? DONE : STOP }),
      );
      assert.equal((await Promise.all(tries)).filter(Boolean).length, 1);
      assert.deepEqual(await scene.history(lease.taskId), ['submitted', 'claimed', 'ended']);
      const { messages } = await scene.store.outbox.take({ topics: ['bell'], max: 10, holdMs: 1000 });
      assert.equal(messages.length, 1);
    },
  },
  {
    title: 'each delivery becomes one outbox message, whoever ends the task',
    run: async (scene) => {
      const deliver = [{ topic: 'bell', data: { loud: true } }, { topic: 'bell' }, { topic: 'prompt', data: [1] }];
      const settled = await scene.begin({ deliver });
      assert.deepEqual(await take(scene), []);
      await scene.store.tasks.settle(settled, { outcome: DONE });
      const first = await take(scene);
      const { taskId: cancelled } = await scene.submit({ deliver });
      await scene.store.tasks.settle({ taskId: cancelled }, { outcome: STOP });
      const second = await take(scene);
      for (const [messages, taskId] of [[first, settled.taskId] as const, [second, cancelled] as const]) {
        const told = messages.map(({ topic, data, task }) => [topic, data, task.taskId]);
        const wanted = deliver.map(({ topic, data }) => [topic, data, taskId]);
        assert.deepEqual(new Set(told.map(toText)), new Set(wanted.map(toText)));
        assert.equal(messages.length, 3);
      }
      assert.equal(new Set([...first, ...second].map((message) => message.messageId)).size, 6);
    },
  },
  {
    title: 'run times of the last twenty results are kept for each tool, identity and principal',
    run: async (scene) => {
      assert.deepEqual(await scene.store.tasks.durations(IDENTITY, TOOL, 'ada'), []);
      for (let ranMs = 1; ranMs <= 25; ranMs++) {
        await scene.store.tasks.settle(await scene.begin(), { outcome: DONE, ranMs });
      }
      const kept = [...(await scene.store.tasks.durations(IDENTITY, TOOL, 'ada'))].sort((a, b) => a - b);
      assert.deepEqual(
        kept,
        Array.from({ length: 20 }, (_, n) => n + 6),
      );
      assert.deepEqual(await scene.store.tasks.durations(IDENTITY, 'other', 'ada'), []);
      assert.deepEqual(await scene.store.tasks.durations('other', TOOL, 'ada'), []);
      assert.deepEqual(await scene.store.tasks.durations(IDENTITY, TOOL, 'bob'), []);
    },
  },
  {
    title: 'only results teach run times',
    run: async (scene) => {
      const failure = { kind: 'error', error: { code: 'TOOL_FAILED', message: 'No' } } as const;
      await scene.store.tasks.settle(await scene.begin(), { outcome: failure, ranMs: 5 });
      await scene.store.tasks.settle(await scene.begin(), { outcome: STOP, ranMs: 5 });
      await scene.store.tasks.settle(await scene.begin(), { outcome: DONE });
      const late = await scene.begin();
      await scene.store.tasks.settle(late, { outcome: DONE, ranMs: 7 });
      await scene.store.tasks.settle(late, { outcome: DONE, ranMs: 8 });
      assert.deepEqual(await scene.store.tasks.durations(IDENTITY, TOOL, 'ada'), [7]);
    },
  },
];

async function take(scene: Scene) {
  return (await scene.store.outbox.take({ topics: ['bell', 'prompt'], max: 10, holdMs: 60_000 })).messages;
}

function toText(value: unknown): string {
  return JSON.stringify(value);
}
