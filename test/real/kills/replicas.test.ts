import { until, untilStatus } from 'holdfast/testing';
import { describe, expect, it } from 'vitest';
import { connectExtTasks } from '../../e2e/ext-tasks.ts';
import { type Era, type Message, openRawHttp, type RawHttp } from '../../e2e/raw-client.ts';
import { begin, finish, getStatus } from '../../e2e/raw-task.ts';
import { openRoundRobin } from '../../e2e/round-robin.ts';
import { openSite } from '../../e2e/site.ts';

const YES = { action: 'accept', content: { really: true } };

async function open(era: Era) {
  const site = await openSite();
  const [a, b] = [await site.serve(), await site.serve()];
  expect(a.pid).not.toBe(b.pid);
  const robin = await openRoundRobin([a.url, b.url]);
  const client = await openRawHttp(robin.url, era, a.kill);
  return { site, a, b, robin, client };
}

/** Answers the question that came on the standing stream. */
async function answerOn(client: RawHttp): Promise<Message> {
  const isQuestion = ({ method }: Message) => method === 'elicitation/create';
  const question = await until(() => client.others.find(isQuestion), { what: 'a question on the standing stream' });
  await client.send({ jsonrpc: '2.0', id: question.id, result: YES });
  return question;
}

describe('two processes behind one port, era 2026-07-28', () => {
  it('[ERA-38] a task made by one is polled and finished through the other', async () => {
    const { site, client, robin } = await open('modern');
    const taskId = await begin(client, 'render', { ms: 2500 });
    expect(await getStatus(client, taskId)).toBe('working');
    await untilStatus(site.tasks, taskId, 'completed');
    for (const _ of ['A', 'B']) expect(await finish(client, taskId)).toEqual({ text: 'report rendered' });
    expect(robin.log).toEqual(['A tools/call', 'B tasks/get', 'A tasks/get', 'B tasks/get']);
    expect(site.runs()).toEqual(['render report 1']);
  });

  it('[ERA-38] a question asked through one is answered through the other', async () => {
    const { site, client, robin } = await open('modern');
    const taskId = await begin(client, 'publish');
    await untilStatus(site.tasks, taskId, 'input_required');
    for (const _ of ['B', 'A']) {
      const { result } = await client.request('tasks/get', { taskId });
      expect(result).toMatchObject({
        status: 'input_required',
        inputRequests: { q1: { method: 'elicitation/create' } },
      });
    }
    await client.request('tasks/update', { taskId, inputResponses: { q1: YES } });
    await untilStatus(site.tasks, taskId, 'completed');
    expect(await finish(client, taskId)).toEqual({ text: 'published' });
    const log = ['A tools/call', 'B tasks/get', 'A tasks/get', 'B tasks/update', 'A tasks/get'];
    expect(robin.log).toEqual(log);
  });

  it('[ERA-38] a task made by one is cancelled through the other', async () => {
    const { site, client, robin } = await open('modern');
    const taskId = await begin(client, 'render', { ms: 60_000 });
    await client.request('tasks/cancel', { taskId });
    expect(await getStatus(client, taskId)).toBe('cancelled');
    expect(robin.log).toEqual(['A tools/call', 'B tasks/cancel', 'A tasks/get']);
    await untilStatus(site.tasks, taskId, 'cancelled');
  });

  it('[ERA-38] a listener at one hears of a task made by the other', async () => {
    const { a, b, client, site } = await open('modern');
    const taskId = await begin(client.at(a.url), 'publish');
    const listening = client.at(b.url).request('subscriptions/listen', { notifications: { taskIds: [taskId] } });
    listening.catch(() => {});
    const states = () =>
      client.others.filter(({ method }) => method === 'notifications/tasks').map(({ params }) => params);
    await until(() => states().some((state) => state?.status === 'input_required'), { what: 'news of the question' });
    await client.at(a.url).request('tasks/update', { taskId, inputResponses: { q1: YES } });
    await until(() => states().some((state) => state?.status === 'completed'), { what: 'news of the end' });
    expect(site.runs()).toEqual(['publish 1']);
  });
});

describe('two processes behind one port, era 2025-11-25', () => {
  it('[ERA-39] share a session: a task made by one is polled, listed and finished through the other', async () => {
    const { site, client, robin } = await open('legacy');
    const taskId = await begin(client, 'render', { ms: 2500 });
    expect(await getStatus(client, taskId)).toBe('working');
    expect((await client.request('tasks/list')).result?.tasks).toMatchObject([{ taskId }]);
    for (const _ of ['B', 'A']) expect(await finish(client, taskId)).toEqual({ text: 'report rendered' });
    expect(robin.log).toEqual([
      'A initialize',
      'B notifications/initialized',
      'A tools/call',
      'B tasks/get',
      'A tasks/list',
      'B tasks/result',
      'A tasks/result',
    ]);
    expect(site.runs()).toEqual(['render report 1']);
  });

  it('[ERA-39] a task made by one is cancelled through the other', async () => {
    const { client, robin } = await open('legacy');
    const taskId = await begin(client, 'render', { ms: 60_000 });
    expect((await client.request('tasks/cancel', { taskId })).result).toMatchObject({ taskId, status: 'cancelled' });
    expect(await getStatus(client, taskId)).toBe('cancelled');
    expect(robin.log.slice(2)).toEqual(['A tools/call', 'B tasks/cancel', 'A tasks/get']);
  });

  it('[ERA-39] a question on tasks/result of one is answered through the other', async () => {
    const { a, b, client, site } = await open('legacy');
    const taskId = await begin(client.at(a.url), 'publish');
    const finishing = finish(client.at(b.url), taskId);
    const question = await answerOn(client.at(a.url));
    expect(question.id).toBe(`holdfast:${taskId}:q1`);
    expect(await finishing).toEqual({ text: 'published' });
    expect(site.runs()).toEqual(['publish 1']);
  });

  it('[ERA-39] a standing stream at one asks what a task made by the other wants to know', async () => {
    const { a, b, client } = await open('legacy');
    await client.at(a.url).listen();
    const taskId = await begin(client.at(b.url), 'publish');
    await answerOn(client.at(b.url));
    expect(await finish(client.at(a.url), taskId)).toEqual({ text: 'published' });
    expect(client.others.filter(({ method }) => method === 'elicitation/create')).toHaveLength(1);
  });
});

describe.each(['modern', 'legacy'] as const)('ext-tasks in front of two processes, %s era', (era) => {
  it('[ERA-38] [ERA-39] runs, is asked and gets its results as from one', async () => {
    const site = await openSite();
    const robin = await openRoundRobin([(await site.serve()).url, (await site.serve()).url]);
    const { session, asked, listTools } = await connectExtTasks({ site, medium: 'http', era, url: robin.url });
    await listTools();
    const run = async (name: string, args = {}) => {
      const execution = await session.callTool(name, args, { task: { preference: 'prefer' } });
      return { kind: execution.kind, outcome: (await execution.settle()).outcome };
    };
    const done = (words: string) => ({ kind: 'task', outcome: { result: { content: [{ text: words }] } } });
    expect(await run('render', { ms: 600 })).toMatchObject(done('report rendered'));
    expect(await run('publish')).toMatchObject(done('published'));
    expect(await run('sign')).toMatchObject(done('signed by Ada in London'));
    expect(asked).toHaveLength(3);
    expect(site.runs()).toEqual(['render report 1', 'publish 1']);
  });
});
