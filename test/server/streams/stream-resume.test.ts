import { until, untilStatus } from 'holdfast/testing';
import { describe, expect, it } from 'vitest';
import { openSession, post } from '../open-http.ts';
import { askOnLine, callOnLine, openLines, resumeStream, toSteps } from '../open-line.ts';

const DONE = { id: 7, result: { content: [{ type: 'text', text: 'a stepped' }] } };
const STEPS = { name: 'steps' };

describe('the stream of a held call', () => {
  it('[HOSTS-250] begins with an id and no data, and gives each message an id of its own', async () => {
    const { serve, step } = await openLines();
    const url = await serve();
    const line = await callOnLine(url, await openSession(url), STEPS);
    const first = await line.next();
    expect(first).toEqual({ id: expect.any(String), retry: 2000, data: '' });
    step(4);
    const rest = await line.rest();
    expect(rest.map(({ message }) => message?.method ?? message?.id)).toContain(7);
    const ids = [first, ...rest].map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
    expect(ids).not.toContain(undefined);
  });

  it('[HOSTS-251] begins for clients of before 2025-11-25 with an event of another name, which they skip', async () => {
    const { serve, step } = await openLines();
    const url = await serve();
    const headers = { ...(await openSession(url)), 'mcp-protocol-version': '2025-06-18' };
    const line = await callOnLine(url, headers, STEPS);
    expect(await line.next()).toMatchObject({ id: expect.any(String), name: 'cursor', data: '{}' });
    step(4);
    expect((await line.rest()).at(-1)).toMatchObject({ name: 'message', message: DONE });
  });

  it('[HOSTS-252] goes on at another server with what was not told, under the id of the call, and runs nothing again', async () => {
    const { rig, serve, step, runs } = await openLines();
    const [first, second] = [await serve(), await serve()];
    const headers = await openSession(first);
    const line = await callOnLine(first, headers, STEPS);
    step(1);
    const told = await line.message();
    expect(told.message.params).toMatchObject({ data: 'step 1' });
    await line.cut();
    step(2);
    const resumed = await resumeStream(second, headers, told.id);
    expect(await resumed.next()).toMatchObject({ data: '', retry: 2000 });
    step(4);
    const rest = await resumed.rest();
    expect(toSteps(rest)).toEqual(['step 2', 'step 3']);
    expect(rest.at(-1)?.message).toMatchObject(DONE);
    expect(runs).toEqual(['a']);
    await until(async () => (await rig.holds()).length === 0, { what: 'the answer to count as read' });
  });

  it('[HOSTS-252] tells progress that is higher than all that was told before the cut', async () => {
    const { serve, step } = await openLines();
    const url = await serve({ progressEveryMs: 50 });
    const headers = await openSession(url);
    const line = await callOnLine(url, headers, STEPS);
    step(1);
    const values: number[] = [];
    const read = ({ message }: { message?: { method?: string; params?: unknown } }) => {
      if (message?.method === 'notifications/progress') values.push((message.params as { progress: number }).progress);
    };
    let last = await line.message();
    for (; values.length < 3; last = await line.message()) read(last);
    read(last);
    await line.cut();
    const resumed = await resumeStream(url, headers, last.id);
    step(4);
    for (const event of await resumed.rest()) read(event);
    expect(values.at(-1)).toBe(0.75);
    expect(values).toEqual([...new Set(values)].sort((a, b) => a - b));
  });

  it('[HOSTS-253] counts as left while it is cut, and as waited for when it is resumed', async () => {
    const { rig, serve, step } = await openLines();
    const url = await serve();
    const headers = await openSession(url);
    const line = await callOnLine(url, headers, STEPS);
    const { id } = await line.next();
    await line.cut();
    await until(async () => (await rig.holds())[0]?.cancelAt, { what: 'the call to be left' });
    const resumed = await resumeStream(url, headers, id);
    await until(async () => (await rig.holds())[0]?.by, { what: 'the call to be waited for' });
    expect((await rig.holds())[0]).not.toHaveProperty('cancelAt');
    step(4);
    expect((await resumed.rest()).at(-1)?.message).toMatchObject(DONE);
  });

  it('[HOSTS-254] that is resumed twice is told on the newest; the older one ends, and nothing is lost', async () => {
    const { rig, serve, step, runs } = await openLines();
    const url = await serve();
    const headers = await openSession(url);
    const line = await callOnLine(url, headers, STEPS);
    const { id } = await line.next();
    const second = await resumeStream(url, headers, id);
    expect(await line.rest()).toEqual([]);
    const both = await Promise.all([resumeStream(url, headers, id), resumeStream(url, headers, id)]);
    expect(toSteps(await second.rest())).toEqual([]);
    step(4);
    const heard = await Promise.all(both.map((one) => one.rest()));
    const answered = heard.filter((events) => events.some(({ message }) => message?.id === 7));
    expect(answered).toHaveLength(1);
    expect(toSteps(answered[0] ?? [])).toEqual(['step 1', 'step 2', 'step 3']);
    expect(runs).toEqual(['a']);
    await until(async () => (await rig.holds()).length === 0, { what: 'the answer to count as read' });
  });

  it('[HOSTS-255] gives a lost answer to who comes back for it, and then the same call begins anew', async () => {
    const { rig, serve, step, runs } = await openLines();
    const url = await serve();
    const headers = await openSession(url);
    const line = await callOnLine(url, headers, STEPS);
    const { id } = await line.next();
    await line.cut();
    step(4);
    await untilStatus(rig.tasks, await rig.onlyTask(), 'completed');
    const resumed = await resumeStream(url, headers, id);
    expect((await resumed.rest()).at(-1)?.message).toEqual({ jsonrpc: '2.0', ...DONE });
    await until(async () => (await rig.holds()).length === 0, { what: 'the answer to count as read' });
    const again = await callOnLine(url, headers, { ...STEPS, id: 8 });
    expect((await again.rest()).at(-1)?.message).toMatchObject({ id: 8, result: DONE.result });
    expect(runs).toEqual(['a', 'a']);
  });

  it('[HOSTS-256] hands over when the patience of its client ends, counted from the call and not from the cut', async () => {
    const { serve, step } = await openLines();
    const url = await serve({ profiles: { raw: { giveUpMs: 400 } }, marginMs: 100 });
    const headers = await openSession(url);
    const line = await callOnLine(url, headers, STEPS);
    const { id } = await line.next();
    const handedOver = (await line.rest()).at(-1)?.message?.result;
    expect(handedOver).toMatchObject({ _meta: { 'holdfast/task': {} } });
    // The hand-over itself may be what was lost.
    const resumed = await resumeStream(url, headers, id);
    expect((await resumed.rest()).at(-1)?.message?.result).toMatchObject({ _meta: { 'holdfast/task': {} } });
    step(4);
  });

  it.each([
    [
      'task_wait',
      (task_id: string) => ({ method: 'tools/call', params: { name: 'task_wait', arguments: { task_id } } }),
    ],
    ['tasks/result', (taskId: string) => ({ method: 'tasks/result', params: { taskId } })],
  ])('[HOSTS-272] of %s is resumed at another server like that of the call itself', async (_, toRequest) => {
    const { rig, serve, step, runs } = await openLines();
    const [first, second] = [await serve(), await serve()];
    const headers = await openSession(first);
    const params = { name: 'steps', arguments: {}, task: {} };
    await (await post(first, { body: { jsonrpc: '2.0', id: 1, method: 'tools/call', params }, headers })).text();
    const line = await askOnLine(first, headers, { jsonrpc: '2.0', id: 7, ...toRequest(await rig.onlyTask()) });
    const { id } = await line.next();
    await line.cut();
    const resumed = await resumeStream(second, headers, id);
    step(4);
    expect((await resumed.rest()).at(-1)?.message).toMatchObject(DONE);
    expect(runs).toEqual(['a']);
  });

  it('[HOSTS-257] is over once its call was answered or cancelled: there is no stream to come back to', async () => {
    const { serve, step } = await openLines();
    const url = await serve();
    const headers = await openSession(url);
    const cancelled = await callOnLine(url, headers, { ...STEPS, id: 6 });
    await cancelled.next();
    const params = { requestId: 6, reason: 'not needed' };
    await post(url, { body: { jsonrpc: '2.0', method: 'notifications/cancelled', params }, headers });
    const [last] = (await cancelled.rest()).slice(-1);
    expect(last?.message).toBeUndefined();
    expect((await resumeStream(url, headers, last?.id)).status).toBe(405);
    step(4);
    const answered = await callOnLine(url, headers, STEPS);
    const end = (await answered.rest()).at(-1);
    expect(end?.message).toMatchObject(DONE);
    expect((await resumeStream(url, headers, end?.id)).status).toBe(405);
  });

  it('[HOSTS-258] has no ids when the request names itself at such length that they would not fit a header', async () => {
    const { serve, step } = await openLines();
    const url = await serve();
    step(4);
    const [id, progressToken] = ['x'.repeat(1000), 'y'.repeat(1000)];
    const line = await callOnLine(url, await openSession(url), { ...STEPS, id, meta: { progressToken } });
    const events = await line.rest();
    expect(events.filter(({ id }) => id !== undefined)).toEqual([]);
    expect(events.at(-1)?.message?.result).toEqual(DONE.result);
  });
});

describe('questions on a stream that was cut', () => {
  const CAPABILITIES = { capabilities: { elicitation: { form: {} } } };
  const YES = { action: 'accept', content: { sure: true } };

  it('[HOSTS-259] are not asked again when the client has received them, and its answer is taken', async () => {
    const { rig, serve } = await openLines();
    const [first, second] = [await serve(), await serve()];
    const headers = await openSession(first, CAPABILITIES);
    const line = await callOnLine(first, headers, { name: 'confirm' });
    const question = await line.message();
    expect(question.message.method).toBe('elicitation/create');
    await line.cut();
    await until(async () => (await rig.holds())[0]?.cancelAt, { what: 'the call to be left' });
    const resumed = await resumeStream(second, headers, question.id);
    await until(async () => (await rig.holds())[0]?.by, { what: 'the call to be waited for' });
    await post(first, { body: { jsonrpc: '2.0', id: question.message.id, result: YES }, headers });
    const rest = await resumed.rest();
    expect(rest.flatMap(({ message }) => message?.method ?? [])).not.toContain('elicitation/create');
    expect(rest.at(-1)?.message).toMatchObject({ id: 7, result: { content: [{ text: 'sure: true' }] } });
  });

  it('[HOSTS-259] are asked where the stream goes on when the client has not received them', async () => {
    const { serve } = await openLines();
    const [first, second] = [await serve(), await serve()];
    const headers = await openSession(first, CAPABILITIES);
    const line = await callOnLine(first, headers, { name: 'confirm' });
    const { id } = await line.next();
    await line.message();
    await line.cut();
    const resumed = await resumeStream(second, headers, id);
    const question = await resumed.message();
    expect(question.message.method).toBe('elicitation/create');
    await post(second, { body: { jsonrpc: '2.0', id: question.message.id, result: YES }, headers });
    expect((await resumed.rest()).at(-1)?.message).toMatchObject({
      id: 7,
      result: { content: [{ text: 'sure: true' }] },
    });
  });
});
