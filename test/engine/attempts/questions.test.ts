import { isOpen, type TaskContext } from 'holdfast';
import { untilStatus } from 'holdfast/testing';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { openLightRig, storeKinds } from '../open-rig.ts';

const COLOUR = {
  type: 'object',
  properties: { colour: { type: 'string', enum: ['red', 'blue'] } },
  required: ['colour'],
};

describe.each(storeKinds)('questions on the %s store', (kind) => {
  it('[ENGINE-30] [ENGINE-31] a form with a zod schema resolves with the values of the answer', async () => {
    const rig = await openLightRig(kind);
    const engine = await rig.engine({
      publish: {
        run: async (_args, task) => {
          const { copies } = await task.ask({ message: 'How many?', schema: z.object({ copies: z.number().int() }) });
          return copies + 1;
        },
      },
    });
    const { task } = await engine.submit('publish');
    const asking = await untilStatus(engine, task.taskId, 'input_required');
    expect(asking.questions).toMatchObject([{ key: 'q1', request: { kind: 'form', message: 'How many?' } }]);
    const answered = await engine.answer(task.taskId, { q1: { action: 'accept', content: { copies: 2 } } });
    expect(answered).toMatchObject({ accepted: ['q1'], task: { status: 'working' } });
    expect(await engine.outcome(task.taskId)).toEqual({ kind: 'result', value: 3 });
  });

  it('[ENGINE-31] a zod schema gives its defaults and transforms to the tool', async () => {
    const rig = await openLightRig(kind);
    const schema = z.object({ copies: z.number().default(5), name: z.string().transform((name) => name.trim()) });
    const engine = await rig.engine({ publish: { run: (_args, task) => task.ask({ message: 'How?', schema }) } });
    const { task } = await engine.submit('publish');
    await untilStatus(engine, task.taskId, 'input_required');
    await engine.answer(task.taskId, { q1: { action: 'accept', content: { name: ' Ann ' } } });
    expect(await engine.outcome(task.taskId)).toEqual({ kind: 'result', value: { copies: 5, name: 'Ann' } });
  });

  it('[ENGINE-31] an answer that does not fit is ANSWER_INVALID, names the field and changes nothing', async () => {
    const rig = await openLightRig(kind);
    const engine = await rig.engine({
      paint: { run: (_args, task) => task.ask({ message: 'Which?', schema: COLOUR }) },
    });
    const { task } = await engine.submit('paint');
    await untilStatus(engine, task.taskId, 'input_required');
    const answer = (content: { colour: string | number } | undefined) =>
      engine.answer(task.taskId, { q1: { action: 'accept', ...(content && { content }) } });
    await expect(answer({ colour: 'green' })).rejects.toMatchObject({
      code: 'ANSWER_INVALID',
      message: expect.stringContaining('colour'),
    });
    await expect(answer({ colour: 1 })).rejects.toMatchObject({ code: 'ANSWER_INVALID' });
    await expect(answer(undefined)).rejects.toMatchObject({ code: 'ANSWER_INVALID' });
    await expect(engine.answer(task.taskId, { q1: { action: 'maybe' } as never })).rejects.toMatchObject({
      code: 'ANSWER_INVALID',
      message: expect.stringContaining('"accept", "decline" and "cancel"'),
    });
    await expect(engine.answer(task.taskId, { q1: null as never })).rejects.toMatchObject({ code: 'ANSWER_INVALID' });
    expect((await engine.get(task.taskId)).questions.filter(isOpen)).toHaveLength(1);
    await answer({ colour: 'blue' });
    expect(await engine.outcome(task.taskId)).toEqual({ kind: 'result', value: { colour: 'blue' } });
  });

  it('[ENGINE-32] a URL, sampling and roots can be asked for, under keys of the tool', async () => {
    const rig = await openLightRig(kind);
    const engine = await rig.engine({
      visit: {
        run: async (_args, task) => [
          await task.ask({ key: 'sign-in', message: 'Sign in', url: 'https://example.com/in' }),
          await task.ask({ key: 'model', sampling: { messages: [], maxTokens: 5 } }),
          await task.ask({ key: 'folders', roots: true }),
        ],
      },
    });
    const { taskId } = (await engine.submit('visit')).task;
    const untilAsked = async (key: string) => {
      for await (const event of engine.watch(taskId)) if (event.type === 'asked' && event.key === key) return event;
      throw new Error(`${key} was not asked`);
    };
    expect((await untilAsked('sign-in')).request).toEqual({
      kind: 'url',
      message: 'Sign in',
      url: 'https://example.com/in',
    });
    await engine.answer(taskId, { 'sign-in': { action: 'accept' } });
    expect((await untilAsked('model')).request).toEqual({ kind: 'sampling', params: { messages: [], maxTokens: 5 } });
    await expect(engine.answer(taskId, { model: { action: 'accept' } })).rejects.toMatchObject({
      code: 'ANSWER_INVALID',
    });
    await engine.answer(taskId, { model: { action: 'accept', content: { role: 'assistant' } } });
    expect((await untilAsked('folders')).request).toEqual({ kind: 'roots' });
    await engine.answer(taskId, { folders: { action: 'accept', content: { roots: [] } } });
    expect(await engine.outcome(taskId)).toEqual({ kind: 'result', value: [{}, { role: 'assistant' }, { roots: [] }] });
  });

  it.each(['decline', 'cancel'] as const)(
    '[ENGINE-30] a tool that does not catch a %s fails with QUESTION_DECLINED',
    async (action) => {
      const rig = await openLightRig(kind);
      const engine = await rig.engine({
        paint: { run: (_args, task) => task.ask({ message: 'Which?', schema: COLOUR }) },
      });
      const { task } = await engine.submit('paint');
      await untilStatus(engine, task.taskId, 'input_required');
      await engine.answer(task.taskId, { q1: { action } });
      expect(await engine.outcome(task.taskId)).toMatchObject({
        kind: 'error',
        error: { code: 'QUESTION_DECLINED', data: { key: 'q1', action } },
      });
    },
  );

  it('[ENGINE-33] parallel questions are q1 and q2, and can be answered one at a time', async () => {
    const rig = await openLightRig(kind);
    const ask = (task: TaskContext) => task.ask({ message: 'Which?', schema: COLOUR });
    const engine = await rig.engine({ paint: { run: (_args, task) => Promise.all([ask(task), ask(task)]) } });
    const { taskId } = (await engine.submit('paint')).task;
    for await (const event of engine.watch(taskId)) if (event.type === 'asked' && event.key === 'q2') break;
    const first = await engine.answer(taskId, { q2: { action: 'accept', content: { colour: 'red' } } });
    expect(first).toMatchObject({ accepted: ['q2'], task: { status: 'input_required' } });
    await expect(engine.answer(taskId, { q2: { action: 'decline' } })).rejects.toMatchObject({
      code: 'QUESTION_NOT_OPEN',
      message: expect.stringContaining('open are q1'),
    });
    await engine.answer(taskId, { q1: { action: 'accept', content: { colour: 'blue' } } });
    expect(await engine.outcome(taskId)).toEqual({ kind: 'result', value: [{ colour: 'blue' }, { colour: 'red' }] });
  });

  it('[ENGINE-30] a question in no expected form fails in the tool and opens nothing', async () => {
    const rig = await openLightRig(kind);
    const engine = await rig.engine({
      wrong: { run: (args: object, task) => task.ask(args as never) },
    });
    const outcomeOf = async (question: object) => engine.outcome((await engine.submit('wrong', question)).task.taskId);
    for (const question of [
      {},
      { message: 'x', url: 'not a url' },
      { message: '', schema: COLOUR },
      { message: 'x', schema: { type: 'string' } },
    ]) {
      expect(await outcomeOf(question)).toMatchObject({ kind: 'error', error: { code: 'INVALID_ARGUMENT' } });
    }
  });
});
