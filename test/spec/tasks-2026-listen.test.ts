import { until } from 'holdfast/testing';
import { describe, expect, it } from 'vitest';
import { type Frames, type Message, postModern, readFrames, SUBSCRIPTION_ID } from '../server/open-http.ts';
import { EVERYTHING, type Modern, named, openModern, REQUIRED } from './open-2026.ts';
import { openPipe } from './open-stdio-2026.ts';

async function listen(
  { url }: Modern,
  taskIds: readonly string[],
  { capabilities = EVERYTHING, headers = {} }: { capabilities?: object; headers?: Record<string, string> } = {},
): Promise<Frames> {
  const params = { notifications: { taskIds } };
  const request = { method: 'subscriptions/listen', params, id: 9, tasks: true, capabilities, headers };
  return readFrames(await postModern(url, request));
}

/** Everything up to the answer that ends the subscription. */
async function readAll(frames: Frames): Promise<Message[]> {
  const messages: Message[] = [];
  do messages.push(await frames.message());
  while (messages.at(-1)?.id === undefined);
  return messages;
}

const stripped = ({ _meta, resultType, ...task }: Record<string, unknown>) => task;

describe('subscriptions/listen with task ids', () => {
  it('[T26-48] without the extension is -32021, over HTTP and stdio', async () => {
    const { send } = await openModern();
    const params = { notifications: { taskIds: ['x'] } };
    const { status, answer } = await send('subscriptions/listen', params, { tasks: false });
    expect(status).toBe(400);
    expect(answer.error).toMatchObject({ code: -32021, data: REQUIRED });
    const pipe = await openPipe();
    await pipe.ask('tools/list');
    const refused = await pipe.ask('subscriptions/listen', { ...params, capabilities: {} });
    expect(refused.error).toMatchObject({ code: -32021, data: REQUIRED });
  });

  it('[T26-49] is acknowledged before anything else, with the tasks that will be told of', async () => {
    const modern = await openModern();
    const taskId = await modern.start('wait');
    const frames = await listen(modern, [taskId, 'nothing']);
    expect(await frames.message()).toMatchObject({
      method: 'notifications/subscriptions/acknowledged',
      params: { notifications: { taskIds: [taskId] } },
    });
    modern.open();
  });

  it('[T26-50] tells each time the whole task, as tasks/get would', async () => {
    const modern = await openModern();
    const taskId = await modern.start('two');
    const waiting = await modern.untilStatus(taskId, 'input_required');
    const frames = await listen(modern, [taskId]);
    await frames.message();
    const first = await frames.message();
    expect(first.method).toBe('notifications/tasks');
    expect(stripped(first.params ?? {})).toEqual(stripped(waiting));
    await modern.update(taskId, { a: named('Ada'), b: named('Bob') });
    const last = (await readAll(frames)).at(-2);
    expect(stripped(last?.params ?? {})).toEqual(stripped(await modern.get(taskId)));
  });

  it('[T26-51] carries no progress and no log of the work, nor does any other answer', async () => {
    const modern = await openModern();
    const meta = { progressToken: 'p', 'io.modelcontextprotocol/logLevel': 'debug' };
    const created = await modern.ask('tools/call', { name: 'noisy', arguments: {}, _meta: meta });
    const told = await readAll(await listen(modern, [String(created.taskId)]));
    const methods = new Set(told.flatMap(({ method }) => method ?? []));
    expect(methods).toEqual(new Set(['notifications/subscriptions/acknowledged', 'notifications/tasks']));
    expect(told.at(-2)?.params).toMatchObject({ status: 'completed', result: { content: [{ text: 'quiet' }] } });
  });

  it('[T26-51] nor does the wire of a stdio server', async () => {
    const { ask, send, messages } = await openPipe();
    const call = { name: 'render', arguments: { ms: 1500 }, _meta: { progressToken: 'p' } };
    const taskId = (await ask('tools/call', call)).result?.taskId;
    send(9, 'subscriptions/listen', { notifications: { taskIds: [taskId] } });
    await until(() => messages.some(({ params }) => params?.status === 'completed'), { what: 'the end of the task' });
    const methods = new Set(messages.flatMap(({ method }) => method ?? []));
    expect(methods).toEqual(new Set(['notifications/subscriptions/acknowledged', 'notifications/tasks']));
  });

  it('[T26-52] names the subscription in every message', async () => {
    const modern = await openModern();
    const told = await readAll(await listen(modern, [await modern.start('always')]));
    expect(told.length).toBeGreaterThanOrEqual(3);
    for (const { params, result } of told) {
      expect((params ?? result)?._meta).toMatchObject({ [SUBSCRIPTION_ID]: 9 });
    }
  });

  it('[T26-53] tells of the tasks that were named, and of no other', async () => {
    const modern = await openModern();
    const taskId = await modern.start('wait');
    const frames = await listen(modern, [taskId]);
    await frames.message();
    await modern.untilStatus(await modern.start('always'), 'completed');
    modern.open();
    const told = (await readAll(frames)).flatMap(({ params }) => params?.taskId ?? []);
    expect(new Set(told)).toEqual(new Set([taskId]));
  });

  it('[T26-54] shows no question that the subscriber cannot answer', async () => {
    const modern = await openModern();
    const taskId = await modern.start('everything');
    await modern.untilStatus(taskId, 'input_required');
    const frames = await listen(modern, [taskId], { capabilities: { sampling: {} } });
    await frames.message();
    const { params } = await frames.message();
    expect(params).toMatchObject({ taskId, status: 'input_required' });
    expect(Object.keys(params?.inputRequests as object)).not.toContain('form');
    await modern.ask('tasks/cancel', { taskId });
    expect((await readAll(frames)).at(-2)?.params).toMatchObject({ status: 'cancelled' });
  });
});
