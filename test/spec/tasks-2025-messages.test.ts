import { until } from 'holdfast/testing';
import { describe, expect, it } from 'vitest';
import { nextOf, openLegacy, RELATED, STATUS, YES } from './open-2025.ts';
import { openPipe } from './open-stdio-2025.ts';

const PROGRESS = 'notifications/progress';

describe('messages that belong to a task', () => {
  it('[T25-31] name it: what is asked, by form, by URL and of the model', async () => {
    const client = await openLegacy();
    const news = await client.listen();
    for (const [tool, method] of [
      ['sure', 'elicitation/create'],
      ['visit', 'elicitation/create'],
      ['sample', 'sampling/createMessage'],
    ] as const) {
      const { taskId } = await client.start(tool);
      expect((await nextOf(news, method)).params?._meta).toEqual({ [RELATED]: { taskId } });
    }
  });

  it('[T25-31] name it: progress', async () => {
    const client = await openLegacy();
    const news = await client.listen();
    const { taskId } = await client.start('steps', { _meta: { progressToken: 'p' } });
    expect((await nextOf(news, PROGRESS)).params?._meta).toEqual({ [RELATED]: { taskId } });
  });

  it('[T25-32] do not name it where the task itself is shown', async () => {
    const client = await openLegacy();
    const news = await client.listen();
    const { taskId } = await client.start('hold');
    const shown = [
      await client.get(taskId),
      await client.ask('tasks/list'),
      await client.ask('tasks/cancel', { taskId }),
      (await nextOf(news, STATUS)).params,
    ];
    expect(JSON.stringify(shown)).not.toContain(RELATED);
  });

  it('[T25-33] are about the task of their parameters, whatever their metadata says', async () => {
    const client = await openLegacy();
    const [mine, other] = [await client.start('hold'), await client.start('quick')];
    const _meta = { [RELATED]: { taskId: mine.taskId } };
    const { taskId } = other;
    expect(await client.ask('tasks/result', { taskId, _meta })).toMatchObject({ _meta: { [RELATED]: { taskId } } });
    expect(await client.ask('tasks/get', { taskId, _meta })).toMatchObject({ taskId, status: 'completed' });
    expect((await client.send('tasks/cancel', { taskId, _meta })).error?.code).toBe(-32602);
    expect((await client.get(mine.taskId)).status).toBe('working');
  });
});

describe('a status notification', () => {
  it('[T25-34] has the whole task, as tasks/get has it', async () => {
    const client = await openLegacy();
    const news = await client.listen();
    const { taskId } = await client.start('refuse');
    const { params } = await nextOf(news, STATUS);
    expect(params).toEqual(await client.get(taskId));
    expect(params).toMatchObject({ status: 'failed', statusMessage: 'no paper' });
  });

  it('[T25-34] comes over stdio too, after the answer that names the task', async () => {
    const pipe = await openPipe();
    const { taskId } = await pipe.start('quick');
    const told = await pipe.until(({ method }) => method === STATUS, 'the news of the end');
    expect(told.params).toEqual((await pipe.send('tasks/get', { taskId })).result);
    const created = pipe.messages.findIndex(({ result }) => result?.task !== undefined);
    expect(pipe.messages.indexOf(told)).toBeGreaterThan(created);
  });
});

describe('progress of a task', () => {
  it.each(['token', 0])('[T25-35] keeps its token %j for the life of the task, and rises', async (progressToken) => {
    const client = await openLegacy();
    const news = await client.listen();
    await client.start('steps', { _meta: { progressToken } });
    const next = async () => (await nextOf(news, PROGRESS)).params;
    expect(await next()).toMatchObject({ progressToken, progress: 0.25, total: 1, message: 'at 0.25' });
    expect(await next()).toMatchObject({ progressToken, progress: 0.5 });
    await client.release('steps');
    expect(await next()).toMatchObject({ progressToken, progress: 0.75 });
  });

  it('[T25-36] ends with the task, and is not sent to those who gave no token', async () => {
    const pipe = await openPipe();
    const { taskId } = await pipe.start('steps', { _meta: { progressToken: 'p' } });
    await pipe.start('steps');
    await pipe.release('steps');
    await pipe.release('end');
    const isEnd = ({ method, params }: (typeof pipe.messages)[number]) =>
      method === STATUS && params?.status === 'completed';
    await until(() => pipe.messages.filter(isEnd).length === 2, { what: 'both ends' });
    const told = pipe.messages.filter(({ method }) => method === PROGRESS);
    expect(told.map(({ params }) => params?.progress)).toEqual([0.25, 0.5, 0.75]);
    const last = pipe.messages.findIndex((message) => isEnd(message) && message.params?.taskId === taskId);
    expect(pipe.messages.slice(last).some(({ method }) => method === PROGRESS)).toBe(false);
  });
});

describe('what a client cannot answer', () => {
  it('[T25-37] is not sent to it: neither forms, pages nor sampling that it did not declare', async () => {
    const client = await openLegacy({}, { capabilities: { elicitation: { url: {} } } });
    const news = await client.listen();
    const [form, sampling] = [await client.start('sure'), await client.start('sample')];
    await client.untilStatus(form.taskId, 'input_required');
    await client.untilStatus(sampling.taskId, 'input_required');
    const { taskId } = await client.start('visit');
    const asked = [];
    for (let message = await news.message(); ; message = await news.message()) {
      if (message.method !== STATUS) asked.push(message.params?.mode);
      if (message.method === 'elicitation/create') break;
    }
    expect(asked).toEqual(['url']);
    await client.answer(`holdfast:${taskId}:q1`, { action: 'accept' });
    await client.untilStatus(taskId, 'completed');
  });

  it('[T25-37] may be answered with an error: the task goes on without, and ends', async () => {
    const pipe = await openPipe();
    const { taskId } = await pipe.start('sure');
    const question = await pipe.until(({ method }) => method === 'elicitation/create', 'the question');
    pipe.post({ id: question.id, error: { code: -32603, message: 'no user here' } });
    const { result } = await pipe.result(taskId);
    const text = expect.stringContaining('question "q1" was cancelled by ');
    expect(result).toMatchObject({ isError: true, content: [{ text }] });
  });

  it('[T25-12] does not keep others from answering it', async () => {
    const client = await openLegacy({}, { capabilities: {} });
    const { taskId } = await client.start('sure');
    await client.untilStatus(taskId, 'input_required');
    await client.rig.tasks.answer(taskId, { q1: YES as never });
    expect(await client.ask('tasks/result', { taskId })).toMatchObject({ content: [{ text: 'sure: true' }] });
  });
});
