import { describe, expect, it } from 'vitest';
import { nextOf, openLegacy, RELATED, YES } from './open-2025.ts';

describe('tasks/result', () => {
  it('[T25-25] [T25-26] gives exactly what the call would have got, and names the task, again and again', async () => {
    const client = await openLegacy();
    const plain = await client.ask('tools/call', { name: 'rich', arguments: {} });
    const { taskId } = await client.start('rich');
    await client.untilStatus(taskId, 'completed');
    const related = { _meta: { ...(plain._meta as object), [RELATED]: { taskId } } };
    expect(await client.ask('tasks/result', { taskId })).toEqual({ ...plain, ...related });
    expect(await client.ask('tasks/result', { taskId })).toEqual({ ...plain, ...related });
  });

  it('[T25-25] gives a result with isError as a result', async () => {
    const client = await openLegacy();
    const plain = await client.ask('tools/call', { name: 'refuse', arguments: {} });
    expect(plain.isError).toBe(true);
    const { taskId } = await client.start('refuse');
    await client.untilStatus(taskId, 'failed');
    const expected = { ...plain, _meta: { [RELATED]: { taskId } } };
    expect(await client.ask('tasks/result', { taskId })).toEqual(expected);
  });

  it('[T25-27] gives the JSON-RPC error that the call would have got', async () => {
    const client = await openLegacy();
    const plain = await client.send('tools/call', { name: 'break', arguments: {} });
    expect(plain.error).toEqual({ code: -32050, message: 'no such printer', data: { printer: 'p1' } });
    const { taskId } = await client.start('break');
    await client.untilStatus(taskId, 'failed');
    expect((await client.send('tasks/result', { taskId })).error).toEqual(plain.error);
  });

  it('[T25-27] leaves an error its number, also one that the SDK would change', async () => {
    const client = await openLegacy();
    const plain = await client.send('tools/call', { name: 'absent', arguments: {} });
    expect(plain.error).toEqual({ code: -32002, message: 'no such page' });
    const { taskId } = await client.start('absent');
    await client.untilStatus(taskId, 'failed');
    expect((await client.send('tasks/result', { taskId })).error).toEqual(plain.error);
  });

  it('[T25-28] gives an error for a cancelled task, also to those who wait', async () => {
    const client = await openLegacy();
    const { taskId } = await client.start('hold');
    const waiting = await client.request('tasks/result', { taskId });
    await client.ask('tasks/cancel', { taskId });
    const cancelled = { code: -32800, message: 'Cancelled: The task was cancelled by request.' };
    expect((await waiting.answer()).error).toMatchObject(cancelled);
    expect((await client.send('tasks/result', { taskId })).error).toMatchObject(cancelled);
  });

  it('[T25-29] is answered only when the task has ended, through questions too', async () => {
    const client = await openLegacy();
    const { taskId } = await client.start('sure');
    const waiting = await client.request('tasks/result', { taskId });
    const question = await nextOf(waiting.frames, 'elicitation/create');
    expect((await client.get(taskId)).status).toBe('input_required');
    await client.answer(question.id, YES);
    expect((await waiting.answer()).result).toMatchObject({ content: [{ text: 'sure: true' }] });
  });

  it('[T25-29] is answered for everybody who waits', async () => {
    const client = await openLegacy();
    const { taskId } = await client.start('hold');
    const waiting = await Promise.all([1, 2, 3].map(() => client.request('tasks/result', { taskId })));
    await client.release();
    const answers = await Promise.all(waiting.map(({ answer }) => answer()));
    for (const { result } of answers) expect(result).toMatchObject({ content: [{ text: 'held' }] });
  });
});

describe('tasks/get', () => {
  it('[T25-30] is answered as plain JSON, without a stream', async () => {
    const client = await openLegacy();
    const { taskId } = await client.start('hold');
    const body = { jsonrpc: '2.0', id: 1, method: 'tasks/get', params: { taskId } };
    const headers = {
      ...client.headers,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
    };
    const response = await fetch(client.url, { method: 'POST', headers, body: JSON.stringify(body) });
    expect(response.headers.get('content-type')).toBe('application/json');
    expect(await response.json()).toMatchObject({ jsonrpc: '2.0', id: 1, result: { taskId, status: 'working' } });
  });
});
