import assert from 'node:assert/strict';
import type { QuestionRequest } from '../../../task/question.ts';
import type { ContractCase } from '../scene.ts';

const FORM: QuestionRequest = { kind: 'form', message: 'Publish it?', schema: { type: 'object' } };
const YES = { action: 'accept', content: { confirm: true } } as const;

export const answerCases: readonly ContractCase[] = [
  {
    title: 'a question makes the task wait for input and is on the record',
    run: async (scene) => {
      const lease = await scene.begin();
      await scene.clock.advance(3);
      const at = scene.clock.now();
      assert.equal(await scene.store.tasks.ask(lease, { key: 'q1', request: FORM }), true);
      const task = await scene.read(lease.taskId);
      assert.deepEqual([task.status, task.worker, task.updatedAt], ['input_required', lease.worker, at]);
      assert.deepEqual(task.questions, [{ key: 'q1', request: FORM, askedAt: at }]);
      const event = { type: 'asked', key: 'q1', request: FORM, seq: 3, at };
      assert.deepEqual(await scene.store.tasks.events(lease.taskId, 2, 10), [event]);
    },
  },
  {
    title: 'a key that exists changes nothing, open or answered',
    run: async (scene) => {
      const { tasks } = scene.store;
      const lease = await scene.begin();
      await tasks.ask(lease, { key: 'q1', request: FORM });
      const open = await scene.snapshot(lease.taskId);
      assert.equal(await tasks.ask(lease, { key: 'q1', request: { kind: 'roots' } }), true);
      assert.deepEqual(await scene.snapshot(lease.taskId), open);
      await tasks.answer(lease.taskId, { q1: YES });
      const answered = await scene.snapshot(lease.taskId);
      assert.equal(await tasks.ask(lease, { key: 'q1', request: FORM }), true);
      assert.deepEqual(await scene.snapshot(lease.taskId), answered);
    },
  },
  {
    title: 'the task works on once the last of several questions is answered',
    run: async (scene) => {
      const { tasks } = scene.store;
      const lease = await scene.begin();
      await tasks.ask(lease, { key: 'q1', request: FORM });
      await tasks.ask(lease, { key: 'q2', request: { kind: 'url', message: 'Sign in', url: 'https://example.org' } });
      await scene.clock.advance(4);
      const at = scene.clock.now();
      const first = await tasks.answer(lease.taskId, { q2: { action: 'decline' } });
      assert.deepEqual([first?.accepted, first?.task.status], [['q2'], 'input_required']);
      const second = await tasks.answer(lease.taskId, { q1: YES });
      assert.deepEqual([second?.accepted, second?.task.status], [['q1'], 'working']);
      assert.deepEqual(second?.task, await scene.read(lease.taskId));
      assert.equal(second?.task.worker, lease.worker);
      assert.deepEqual(
        second?.task.questions.map(({ key, answer, answeredAt }) => [key, answer, answeredAt]),
        [
          ['q1', YES, at],
          ['q2', { action: 'decline' }, at],
        ],
      );
      assert.deepEqual(await tasks.events(lease.taskId, 4, 10), [
        { type: 'answered', key: 'q2', answer: { action: 'decline' }, seq: 5, at },
        { type: 'answered', key: 'q1', answer: YES, seq: 6, at },
      ]);
    },
  },
  {
    title: 'answers to several questions at once are taken in the order they were asked',
    run: async (scene) => {
      const lease = await scene.begin();
      await scene.store.tasks.ask(lease, { key: 'b', request: FORM });
      await scene.store.tasks.ask(lease, { key: 'a', request: FORM });
      const result = await scene.store.tasks.answer(lease.taskId, { a: YES, b: { action: 'cancel' } });
      assert.deepEqual([result?.accepted, result?.task.status], [['b', 'a'], 'working']);
    },
  },
  {
    title: 'answers to other keys are left out, and a second answer does not replace the first',
    run: async (scene) => {
      const { tasks } = scene.store;
      const lease = await scene.begin();
      await tasks.ask(lease, { key: 'q1', request: FORM });
      await tasks.ask(lease, { key: 'toString', request: FORM });
      const first = await tasks.answer(lease.taskId, { q1: YES, q9: YES });
      assert.deepEqual(first?.accepted, ['q1']);
      const before = await scene.snapshot(lease.taskId);
      const second = await tasks.answer(lease.taskId, { q1: { action: 'decline' } });
      assert.deepEqual(second?.accepted, []);
      assert.deepEqual(await scene.snapshot(lease.taskId), before);
    },
  },
  {
    title: 'of two answers at once to one question, one is accepted',
    run: async (scene) => {
      const lease = await scene.begin();
      await scene.store.tasks.ask(lease, { key: 'q1', request: FORM });
      const both = await Promise.all([1, 2].map(() => scene.store.tasks.answer(lease.taskId, { q1: YES })));
      assert.equal(both.flatMap((result) => result?.accepted ?? []).length, 1);
      assert.deepEqual(await scene.history(lease.taskId), ['submitted', 'claimed', 'asked', 'answered']);
    },
  },
  {
    title: 'the last answer to a parked task queues it again',
    run: async (scene) => {
      const { tasks } = scene.store;
      const lease = await scene.begin();
      await tasks.ask(lease, { key: 'q1', request: FORM });
      await tasks.ask(lease, { key: 'q2', request: FORM });
      await tasks.release(lease, { how: 'park' });
      await scene.clock.advance(500);
      const at = scene.clock.now();
      assert.equal((await tasks.answer(lease.taskId, { q1: YES }))?.task.status, 'input_required');
      const task = (await tasks.answer(lease.taskId, { q2: YES }))?.task;
      assert.deepEqual([task?.status, task?.runAt], ['queued', at]);
      const requeued = (await tasks.events(lease.taskId, 0, 20)).at(-1);
      assert.deepEqual(requeued, { type: 'requeued', reason: 'answered', runAt: at, seq: 8, at });
      const { claimed } = await scene.take(await scene.read(lease.taskId), lease.worker);
      assert.deepEqual([claimed.task.attempt, claimed.task.fence], [1, 2]);
    },
  },
  {
    title: 'there is nothing to answer of an unknown task, nor of one without open questions',
    run: async (scene) => {
      const { tasks } = scene.store;
      assert.equal(await tasks.answer('unknown', { q1: YES }), undefined);
      const lease = await scene.begin();
      assert.deepEqual((await tasks.answer(lease.taskId, { q1: YES }))?.accepted, []);
      await tasks.ask(lease, { key: 'q1', request: FORM });
      await tasks.settle(lease, { outcome: { kind: 'result', value: null } });
      const ended = await scene.snapshot(lease.taskId);
      const late = await tasks.answer(lease.taskId, { q1: YES });
      assert.deepEqual([late?.accepted, late?.task.status], [[], 'completed']);
      assert.deepEqual(await scene.snapshot(lease.taskId), ended);
    },
  },
];
