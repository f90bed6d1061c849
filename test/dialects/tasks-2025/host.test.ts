import { describe, expect, it } from 'vitest';
import { followTask2025 } from '../../../src/dialects/tasks-2025/host-follow.ts';
import type { TaskHandle2025 } from '../../../src/dialects/tasks-2025/host-half.ts';
import { TaskError } from '../../../src/errors.ts';
import { createFakePort, error, result, untilAborted } from '../fake-port.ts';

const HANDLE: TaskHandle2025 = { dialect: 'tasks-2025', taskId: 't', pollInterval: 1000 };
const RELATED = { 'io.modelcontextprotocol/related-task': { taskId: 't' } };
const OUTCOME = { kind: 'result', result: { content: [] }, isError: false };
const lose = () => Promise.reject(new TaskError('LINE_LOST', 'cut'));

describe('following a task of 2025-11-25', () => {
  it('[HOST-21] costs one request where the server holds it, and the result is without what belongs to the task', async () => {
    const port = createFakePort(() => result({ content: [], _meta: RELATED }));
    expect(await followTask2025(HANDLE, port)).toEqual(OUTCOME);
    expect(port.sent.map(({ method }) => method)).toEqual(['tasks/result']);
  });

  it('[HOST-22] costs at most 50 requests in five minutes where the server does not hold it', async () => {
    const port = createFakePort(() => error(-32002, 'not ready'));
    const following = followTask2025({ ...HANDLE, pollInterval: 10 }, port);
    await port.pass(300_000);
    expect(port.sent.length).toBeGreaterThan(10);
    expect(port.sent.length).toBeLessThanOrEqual(50);
    port.stop(new TaskError('DETACHED', 'enough'));
    await expect(following).rejects.toMatchObject({ code: 'DETACHED' });
  });

  it('[HOST-23] outlives lines that break and errors of the moment', async () => {
    const replies = [lose, () => error(-32603), () => error(-32603), lose, () => result({ content: [] })];
    const port = createFakePort(() => (replies.shift() ?? lose)());
    const following = followTask2025(HANDLE, port);
    await port.pass(60_000);
    expect(await following).toEqual(OUTCOME);
  });

  it('[HOST-02] ends as the task did: failed with the error of its result, cancelled with its reason', async () => {
    const end = (status: string) =>
      createFakePort((method) =>
        method === 'tasks/result' ? error(-32050, 'jam') : result({ taskId: 't', status, statusMessage: 'why' }),
      );
    expect(await followTask2025(HANDLE, end('failed'))).toEqual({
      kind: 'error',
      error: { code: -32050, message: 'jam' },
    });
    expect(await followTask2025(HANDLE, end('cancelled'))).toEqual({ kind: 'cancelled', reason: 'why' });
  });

  it('[HOST-24] ends when the time to live is over and the server cannot be reached', async () => {
    const port = createFakePort((_method, _params, signal) => untilAborted(signal));
    const following = followTask2025({ ...HANDLE, expiresAt: port.clock.now() + 1000 }, port);
    await port.pass(100_000);
    expect(await following).toMatchObject({ kind: 'expired' });
  });
});
