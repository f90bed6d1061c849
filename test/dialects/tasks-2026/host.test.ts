import { describe, expect, it } from 'vitest';
import { followTask2026 } from '../../../src/dialects/tasks-2026/host-follow.ts';
import { readTask2026, type TaskHandle2026 } from '../../../src/dialects/tasks-2026/host-half.ts';
import { TaskError } from '../../../src/errors.ts';
import { createFakePort, error, type FakePort, result, untilAborted } from '../fake-port.ts';

const HANDLE: TaskHandle2026 = { dialect: 'tasks-2026', taskId: 't', pollIntervalMs: 1000 };
const WORKING = { taskId: 't', status: 'working' };
const DONE = { taskId: 't', status: 'completed', result: { resultType: 'complete', content: [] } };
const OUTCOME = { kind: 'result', result: { content: [] }, isError: false };
const ACK = { method: 'notifications/subscriptions/acknowledged', params: { notifications: { taskIds: ['t'] } } };

const count = ({ sent }: FakePort, method: string) => sent.filter((one) => one.method === method).length;
const lose = () => Promise.reject(new TaskError('LINE_LOST', 'cut'));

describe('following a task of the extension', () => {
  it('[HOST-21] costs one question when the server tells, however long it takes', async () => {
    const port = createFakePort((method, _, signal) =>
      method === 'subscriptions/listen' ? untilAborted(signal) : result(WORKING),
    );
    const following = followTask2026(HANDLE, port);
    port.tell(ACK);
    await port.pass(300_000);
    port.tell({ method: 'notifications/tasks', params: DONE });
    expect(await following).toEqual(OUTCOME);
    expect(port.sent.map(({ method }) => method)).toEqual(['subscriptions/listen', 'tasks/get']);
  });

  it('[HOST-22] costs at most 50 questions in five minutes when nobody tells', async () => {
    let task: typeof WORKING | typeof DONE = WORKING;
    const port = createFakePort((method) => (method === 'tasks/get' ? result(task) : error(-32601)));
    const following = followTask2026({ ...HANDLE, pollIntervalMs: 10 }, port);
    await port.pass(300_000);
    expect(count(port, 'tasks/get')).toBeGreaterThan(10);
    expect(count(port, 'tasks/get')).toBeLessThanOrEqual(50);
    expect(count(port, 'subscriptions/listen')).toBe(1);
    task = DONE;
    await port.pass(20_000);
    expect(await following).toEqual(OUTCOME);
  });

  it('[HOST-23] outlives questions that fail, of any kind', async () => {
    const replies = [lose, () => error(-32603), () => error(-32000), lose, () => result(DONE)];
    const port = createFakePort((method) => (method === 'tasks/get' ? (replies.shift() ?? lose)() : error(-32601)));
    const following = followTask2026(HANDLE, port);
    await port.pass(60_000);
    expect(await following).toEqual(OUTCOME);
  });

  it('[HOST-21] looks once after it is told that it will be told, as the task may have ended before', async () => {
    let task: typeof WORKING | typeof DONE = WORKING;
    const port = createFakePort((method, _, signal) =>
      method === 'subscriptions/listen' ? untilAborted(signal) : result(task),
    );
    const following = followTask2026(HANDLE, port);
    await port.pass(1500);
    task = DONE;
    port.tell(ACK);
    await port.pass(5000);
    expect(await following).toEqual(OUTCOME);
  });

  it('[HOST-23] listens again when the stream has ended and the server answers', async () => {
    const port = createFakePort((method) => (method === 'subscriptions/listen' ? lose() : result(WORKING)));
    const following = followTask2026(HANDLE, port);
    await port.pass(10_000);
    expect(count(port, 'subscriptions/listen')).toBeGreaterThan(1);
    port.tell({ method: 'notifications/tasks', params: DONE });
    expect(await following).toEqual(OUTCOME);
  });

  it('[HOST-24] ends when the time to live is over and the server cannot be reached', async () => {
    const port = createFakePort((_method, _params, signal) => untilAborted(signal));
    const following = followTask2026({ ...HANDLE, expiresAt: port.clock.now() + 100_000 }, port);
    await port.pass(150_000);
    const early = await Promise.race([following, Promise.resolve('waiting')]);
    await port.pass(60_000);
    expect(early).toBe('waiting');
    expect(await following).toMatchObject({ kind: 'expired' });
  });

  it('[HOST-24] goes on after the time to live while the server says that the task is working', async () => {
    const port = createFakePort((method) =>
      method === 'tasks/get' ? result({ ...WORKING, ttlMs: 100_000 }) : error(-32601),
    );
    const following = followTask2026({ ...HANDLE, expiresAt: port.clock.now() + 100_000 }, port);
    await port.pass(1_000_000);
    port.tell({ method: 'notifications/tasks', params: DONE });
    expect(await following).toEqual(OUTCOME);
  });

  it('[HOST-25] asks the user again when the server refuses an answer, and gives up after a few times', async () => {
    const asking = { ...WORKING, status: 'input_required', inputRequests: { q: { method: 'roots/list' } } };
    const port = createFakePort((method, params) => {
      if (method === 'tasks/get') return result(asking);
      if (method !== 'tasks/update') return error(-32601);
      const { q } = params.inputResponses as { q: { action?: string } };
      return q.action === 'cancel' ? result({}) : error(-32602, 'not that');
    });
    const following = followTask2026(HANDLE, port);
    await port.pass(100_000);
    expect(port.asked).toEqual(['q', 'q#2', 'q#3', 'q#4', 'q#5']);
    expect(count(port, 'tasks/update')).toBe(6);
    port.tell({ method: 'notifications/tasks', params: DONE });
    expect(await following).toEqual(OUTCOME);
  });

  it('[FIRST-400] asks again at once, with why, although the server tells of changes and a refusal is none', async () => {
    const asking = { ...WORKING, status: 'input_required', inputRequests: { q: { method: 'elicitation/create' } } };
    const heard: (string | undefined)[] = [];
    const port = createFakePort(
      (method, params, signal) => {
        if (method === 'subscriptions/listen') return untilAborted(signal);
        if (method === 'tasks/get') return result(asking);
        const { q } = params.inputResponses as { q: { content: { zip: string } } };
        return q.content.zip === '12345' ? result({}) : error(-32602, 'zip: expected five digits');
      },
      (_key, _request, refusal) => {
        heard.push(refusal);
        return { action: 'accept', content: { zip: refusal === undefined ? 'here' : '12345' } };
      },
    );
    const following = followTask2026(HANDLE, port);
    port.tell(ACK);
    await port.pass(3000);
    expect(heard).toEqual([undefined, 'zip: expected five digits']);
    port.tell({ method: 'notifications/tasks', params: DONE });
    expect(await following).toEqual(OUTCOME);
  });

  it('[HOST-25] sends an answer once, even if the server shows the question for a while', async () => {
    const asking = { ...WORKING, status: 'input_required', inputRequests: { q: { method: 'roots/list' } } };
    const port = createFakePort((method) => {
      if (method === 'tasks/update') return result({});
      return method === 'tasks/get' ? result(asking) : error(-32601);
    });
    const following = followTask2026(HANDLE, port);
    await port.pass(100_000);
    expect(count(port, 'tasks/update')).toBe(1);
    port.stop(new TaskError('DETACHED', 'enough'));
    await expect(following).rejects.toMatchObject({ code: 'DETACHED' });
  });

  it('takes for a handle only what is one', () => {
    expect(readTask2026({ resultType: 'task', taskId: 't', ttlMs: 5, pollIntervalMs: null }, 10)).toEqual({
      dialect: 'tasks-2026',
      taskId: 't',
      expiresAt: 15,
    });
    expect(readTask2026({ taskId: 't' }, 10)).toBeUndefined();
    expect(readTask2026({ resultType: 'task', taskId: 7 }, 10)).toBeUndefined();
  });
});
