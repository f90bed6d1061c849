import assert from 'node:assert/strict';
import type { OutboxTake } from '../../store/contracts/outbox-contract.ts';
import type { ContractCase, Scene } from './scene.ts';

const HOLD_MS = 30_000;

export const outboxCases: readonly ContractCase[] = [
  {
    title: 'a taken message carries its data and its ended task',
    run: async (scene) => {
      const taskId = await end(scene, 'bell');
      const { messages } = await take(scene);
      assert.equal(messages.length, 1);
      const { messageId, ...message } = messages[0] ?? assert.fail();
      assert.ok(messageId.length > 0);
      const task = await scene.read(taskId);
      assert.deepEqual(message, { topic: 'bell', data: { to: 'bell' }, task, tries: 1 });
      assert.equal(task.status, 'completed');
    },
  },
  {
    title: 'only the topics asked for are taken, oldest first and no more than wanted',
    run: async (scene) => {
      const ended: string[] = [];
      for (const topic of ['bell', 'prompt', 'bell', 'bell']) {
        ended.push(await end(scene, topic));
        await scene.clock.advance(1);
      }
      assert.deepEqual(told(await take(scene, { topics: [] })), []);
      assert.deepEqual(told(await take(scene, { topics: ['bell'], max: 2 })), [ended[0], ended[2]]);
      assert.deepEqual(told(await take(scene, { topics: ['prompt', 'bell'] })), [ended[1], ended[3]]);
    },
  },
  {
    title: 'a taken message is held from others, then comes again under the same id',
    run: async (scene) => {
      await end(scene, 'bell');
      const [first] = (await take(scene)).messages;
      await scene.clock.advance(HOLD_MS - 1);
      assert.deepEqual((await take(scene)).messages, []);
      await scene.clock.advance(1);
      const [second] = (await take(scene)).messages;
      assert.deepEqual([second?.messageId, second?.tries], [first?.messageId, 2]);
    },
  },
  {
    title: 'of two who take at once, one gets the message',
    run: async (scene) => {
      await end(scene, 'bell');
      const both = await Promise.all([take(scene), take(scene)]);
      assert.equal(both.flatMap((taken) => taken.messages).length, 1);
    },
  },
  {
    title: 'a delivered message never comes again',
    run: async (scene) => {
      const { outbox } = scene.store;
      await end(scene, 'bell');
      const [message] = (await take(scene)).messages;
      const messageId = message?.messageId ?? assert.fail();
      await outbox.done(messageId);
      await outbox.done(messageId);
      await outbox.postpone(messageId, 0);
      await scene.clock.advance(HOLD_MS * 2);
      assert.deepEqual(await take(scene), { messages: [] });
    },
  },
  {
    title: 'a postponed message comes at its new time, sooner or later than its hold',
    run: async (scene) => {
      await end(scene, 'bell');
      for (const wait of [500, HOLD_MS * 3]) {
        const [message] = (await take(scene)).messages;
        await scene.store.outbox.postpone(message?.messageId ?? assert.fail(), scene.clock.now() + wait);
        await scene.clock.advance(wait - 1);
        assert.deepEqual((await take(scene)).messages, []);
        await scene.clock.advance(1);
      }
      assert.equal((await take(scene)).messages[0]?.tries, 3);
    },
  },
  {
    title: 'a take says when the next message of its topics is due',
    run: async (scene) => {
      assert.deepEqual(await take(scene), { messages: [] });
      await end(scene, 'bell');
      await end(scene, 'prompt');
      const now = scene.clock.now();
      assert.equal((await take(scene, { topics: ['bell'] })).nextDueAt, now + HOLD_MS);
      assert.equal((await take(scene, { topics: ['prompt', 'bell'], max: 0 })).nextDueAt, now);
      await scene.clock.advance(10);
      assert.equal((await take(scene, { topics: ['bell'] })).nextDueAt, now + HOLD_MS);
      assert.equal((await take(scene, { topics: ['other'] })).nextDueAt, undefined);
    },
  },
  {
    title: 'what waits of a task is told in the order of its deliveries, until it is done',
    run: async (scene) => {
      const deliver = [{ topic: 'prompt' }, { topic: 'bell', data: 1 }];
      const lease = await scene.begin({ deliver });
      const { taskId } = lease;
      assert.deepEqual(await scene.store.outbox.waiting(taskId), []);
      await scene.store.tasks.settle(lease, { outcome: { kind: 'result', value: 1 } });
      await end(scene, 'bell');
      const now = scene.clock.now();
      const [message] = (await take(scene, { max: 1 })).messages;
      const [prompt, bell, ...others] = await scene.store.outbox.waiting(taskId);
      assert.deepEqual([prompt?.topic, prompt?.dueAt, prompt?.tries], ['prompt', now, 0]);
      assert.deepEqual(bell, { messageId: message?.messageId, topic: 'bell', dueAt: now + HOLD_MS, tries: 1 });
      assert.deepEqual(others, []);
      await scene.store.outbox.done(message?.messageId ?? assert.fail());
      assert.deepEqual(await scene.store.outbox.waiting(taskId), [prompt]);
      assert.deepEqual(await scene.store.outbox.waiting('nobody'), []);
    },
  },
];

async function end(scene: Scene, topic: string): Promise<string> {
  const lease = await scene.begin({ deliver: [{ topic, data: { to: topic } }] });
  assert.equal(await scene.store.tasks.settle(lease, { outcome: { kind: 'result', value: 1 } }), true);
  return lease.taskId;
}

function take(scene: Scene, over: { topics?: string[]; max?: number } = {}): Promise<OutboxTake> {
  return scene.store.outbox.take({ topics: ['bell'], max: 10, holdMs: HOLD_MS, ...over });
}

function told(taken: OutboxTake): string[] {
  return taken.messages.map((message) => message.task.taskId);
}
