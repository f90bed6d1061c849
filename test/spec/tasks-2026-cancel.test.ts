import { until } from 'holdfast/testing';
import { describe, expect, it } from 'vitest';
import { postModern } from '../server/open-http.ts';
import { ACK, openModern } from './open-2026.ts';
import { openPipe } from './open-stdio-2026.ts';

describe('tasks/cancel', () => {
  it('[T26-41] is acknowledged with an empty result, marked complete, and ends the task', async () => {
    const { start, send, untilStatus } = await openModern();
    const taskId = await start('wait');
    expect(await send('tasks/cancel', { taskId })).toMatchObject({ status: 200, answer: { result: ACK } });
    await untilStatus(taskId, 'cancelled');
  });

  it('[T26-42] for an id that is no task is -32602', async () => {
    const { send } = await openModern();
    const { answer } = await send('tasks/cancel', { taskId: 'nothing' });
    expect(answer.error).toEqual({ code: -32602, message: 'Failed to retrieve task: Task not found' });
  });

  it('[T26-43] is acknowledged again, and for a task that has ended, which stays as it is', async () => {
    const { start, ask, get, untilStatus } = await openModern();
    const cancelled = await start('wait');
    await ask('tasks/cancel', { taskId: cancelled });
    const before = await get(cancelled);
    expect(await ask('tasks/cancel', { taskId: cancelled })).toEqual(ACK);
    expect(await get(cancelled)).toEqual(before);
    const completed = await start('always');
    const ended = await untilStatus(completed, 'completed');
    expect(await ask('tasks/cancel', { taskId: completed })).toEqual(ACK);
    expect(await get(completed)).toEqual(ended);
  });

  it('[T26-44] is possible while the task waits for input, which is no longer asked then', async () => {
    const { start, ask, get, untilStatus } = await openModern();
    const taskId = await start('two');
    await untilStatus(taskId, 'input_required');
    await ask('tasks/cancel', { taskId });
    const task = await get(taskId);
    expect(task.status).toBe('cancelled');
    expect(task).not.toHaveProperty('inputRequests');
  });
});

describe('what does not cancel a task', () => {
  it('[T26-45] notifications/cancelled for the call that made it', async () => {
    const { send, answer, ask, notify } = await openPipe();
    send(1, 'tools/call', { name: 'render', arguments: { ms: 2000 } });
    const taskId = (await answer(1)).result?.taskId;
    notify('notifications/cancelled', { requestId: 1, reason: 'no longer wanted' });
    notify('notifications/cancelled', { requestId: 1 });
    await until(async () => (await ask('tasks/get', { taskId })).result?.status === 'completed');
  });

  it('[T26-46] closing the stream of a poll or a subscription', async () => {
    const { url, start, open, untilStatus } = await openModern();
    const taskId = await start('wait');
    const leaving = new AbortController();
    const listening = await postModern(url, {
      method: 'subscriptions/listen',
      params: { notifications: { taskIds: [taskId] } },
      tasks: true,
      signal: leaving.signal,
    });
    const reader = listening.body?.getReader();
    await reader?.read();
    leaving.abort();
    await reader?.read().catch(() => {});
    open();
    await untilStatus(taskId, 'completed');
  });
});

describe('a call that has not been given its task yet', () => {
  it('[T26-47] is stopped by notifications/cancelled, and not answered', async () => {
    const { site, send, notify, messages, ask } = await openPipe({ program: 'spec-server.js' });
    send(2, 'tools/call', { name: 'hold', arguments: {} });
    await until(() => site.runs().length === 1, { what: 'the tool to begin' });
    notify('notifications/cancelled', { requestId: 2, reason: 'no longer wanted' });
    await until(async () => (await site.tasks.list()).tasks[0]?.status === 'cancelled');
    await ask('tools/list');
    expect(messages.filter(({ id }) => id === 2)).toEqual([]);
  });
});
