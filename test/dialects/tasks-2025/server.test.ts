import { TaskError } from 'holdfast';
import { until, untilStatus } from 'holdfast/testing';
import { describe, expect, it } from 'vitest';
import { cancelTask, getTask, listTasks } from '../../../dist/dialects/tasks-2025/server.js';
import { openDesk } from './open-desk.ts';

const unknown = { name: 'RpcFailure', code: -32602, message: 'Failed to retrieve task: Task not found' };

const methods = [
  ['tasks/get', getTask],
  [
    'tasks/cancel',
    (engine: Parameters<typeof cancelTask>[0], principal: string, params: unknown) =>
      cancelTask(engine, { principal }, params),
  ],
] as const;

describe('tasks/get', () => {
  it('shows the task flat, without result and without related-task metadata', async () => {
    const { engine, submit } = await openDesk();
    const { taskId, createdAt } = await submit('quick', { ttlMs: 7000 });
    await engine.outcome(taskId);
    const shown = await getTask(engine, 'local', { taskId });
    expect(shown).toMatchObject({ taskId, status: 'completed', pollInterval: 1000 });
    expect(shown.createdAt).toBe(new Date(createdAt).toISOString());
    expect(shown.ttl).toBeGreaterThanOrEqual(7000);
    expect(Object.keys(shown).sort()).toEqual([
      'createdAt',
      'lastUpdatedAt',
      'pollInterval',
      'status',
      'taskId',
      'ttl',
    ]);
  });

  it('follows the task through a question to its end', async () => {
    const { engine, gate, submit } = await openDesk();
    const { taskId } = await submit('ask');
    await untilStatus(engine, taskId, 'input_required');
    expect((await getTask(engine, 'local', { taskId })).status).toBe('input_required');
    await engine.answer(taskId, { ok: { action: 'accept', content: { ok: true } } });
    expect((await getTask(engine, 'local', { taskId })).status).toBe('working');
    gate.open();
    await engine.outcome(taskId);
    expect((await getTask(engine, 'local', { taskId })).status).toBe('completed');
  });

  it('shows a tool that failed as failed, with its text', async () => {
    const { engine, submit } = await openDesk();
    for (const [tool, text] of [
      ['refuse', 'no paper'],
      ['throws', 'out of ink'],
      ['protocolError', 'no such printer'],
    ] as const) {
      const { taskId } = await submit(tool);
      await engine.outcome(taskId);
      expect(await getTask(engine, 'local', { taskId })).toMatchObject({ status: 'failed', statusMessage: text });
    }
  });
});

describe.each(methods)('%s', (method, serve) => {
  it.each([undefined, null, 7, 'text', [], {}, { taskId: '' }, { taskId: 7 }, { taskId: null }, { taskId: ['t'] }])(
    'refuses parameters without a task id: %j',
    async (params) => {
      const { engine } = await openDesk();
      const message = `Invalid params: ${method} requires non-empty string taskId`;
      await expect(serve(engine, 'local', params)).rejects.toMatchObject({ code: -32602, message });
    },
  );

  it('answers -32602 for an unknown id, and does not repeat it', async () => {
    const { engine } = await openDesk();
    await expect(serve(engine, 'local', { taskId: '<script>' })).rejects.toMatchObject(unknown);
  });

  it("answers another principal's id exactly as an unknown one", async () => {
    const { engine, submit } = await openDesk();
    const { taskId } = await submit('hold', { principal: 'alice' });
    await expect(serve(engine, 'bob', { taskId })).rejects.toMatchObject(unknown);
    expect((await engine.get(taskId, { principal: 'alice' })).status).not.toBe('cancelled');
  });

  it.each([{ dialect: 'tasks-2026' }, { dialect: 'held' }, {}])(
    'does not know a task made in another way: %j',
    async (labels) => {
      const { engine } = await openDesk();
      const { task } = await engine.submit('hold', {}, { labels });
      await expect(serve(engine, 'local', { taskId: task.taskId })).rejects.toMatchObject(unknown);
    },
  );

  it('says that a task has expired, and how it had ended', async () => {
    const { rig, engine, submit } = await openDesk();
    const { taskId } = await submit('throws', { ttlMs: 0 });
    await engine.outcome(taskId);
    await expire(rig);
    await expect(serve(engine, 'local', { taskId })).rejects.toMatchObject({
      code: -32602,
      message: 'Failed to retrieve task: Task has expired (out of ink)',
    });
  });

  it('passes on a failure of the store as it is', async () => {
    const { engine } = await openDesk();
    const failure = new TaskError('STORE_LOCKED', 'busy');
    const broken = { ...engine, get: () => Promise.reject(failure) };
    await expect(serve(broken, 'local', { taskId: 't1' })).rejects.toBe(failure);
  });
});

describe('tasks/cancel', () => {
  it('has cancelled the task when it answers, and shows it so', async () => {
    const { engine, submit } = await openDesk();
    const { taskId } = await submit('hold');
    const shown = await cancelTask(engine, { principal: 'local' }, { taskId });
    expect(shown).toMatchObject({ taskId, status: 'cancelled', statusMessage: 'The task was cancelled by request.' });
    expect((await engine.get(taskId)).status).toBe('cancelled');
  });

  it('is refused the second time', async () => {
    const { engine, submit } = await openDesk();
    const { taskId } = await submit('hold');
    await cancelTask(engine, { principal: 'local' }, { taskId });
    await expect(cancelTask(engine, { principal: 'local' }, { taskId })).rejects.toMatchObject({
      code: -32602,
      message: "Cannot cancel task: already in terminal status 'cancelled'",
    });
  });

  it('is refused for a task that has ended, in the words of this dialect', async () => {
    const { engine, submit } = await openDesk();
    const { taskId } = await submit('refuse');
    await engine.outcome(taskId);
    await expect(cancelTask(engine, { principal: 'local' }, { taskId })).rejects.toMatchObject({
      code: -32602,
      message: "Cannot cancel task: already in terminal status 'failed'",
    });
  });

  it('is refused when the task ends in the very moment', async () => {
    const { engine, gate, submit } = await openDesk();
    const { taskId } = await submit('hold');
    const racing = {
      ...engine,
      async cancel(...args: Parameters<typeof engine.cancel>) {
        gate.open();
        await engine.outcome(taskId);
        return engine.cancel(...args);
      },
    };
    await expect(cancelTask(racing, { principal: 'local' }, { taskId })).rejects.toMatchObject({
      message: "Cannot cancel task: already in terminal status 'completed'",
    });
  });
});

describe('tasks/list', () => {
  it.each([undefined, null, {}])('is empty without tasks, for parameters %j', async (params) => {
    const { engine } = await openDesk();
    expect(await listTasks(engine, 'local', params)).toEqual({ tasks: [] });
  });

  it('shows the tasks of this dialect and this principal, newest first, as tasks/get does', async () => {
    const { engine, submit } = await openDesk();
    const first = await submit('quick');
    await engine.submit('quick', {}, { labels: { dialect: 'tasks-2026' } });
    await engine.submit('quick', {});
    await submit('quick', { principal: 'alice' });
    const second = await submit('refuse');
    await Promise.all([first, second].map(({ taskId }) => engine.outcome(taskId)));
    const shown = await Promise.all([second, first].map(({ taskId }) => getTask(engine, 'local', { taskId })));
    expect(await listTasks(engine, 'local', {})).toEqual({ tasks: shown });
  });

  it('leaves out what has expired, as tasks/get does', async () => {
    const { rig, engine, submit } = await openDesk();
    const { taskId } = await submit('quick', { ttlMs: 0 });
    await engine.outcome(taskId);
    await expire(rig);
    expect(await listTasks(engine, 'local', {})).toEqual({ tasks: [] });
  });

  it('goes through many tasks page by page, each once', async () => {
    const { engine, submit } = await openDesk();
    const made: string[] = [];
    for (let i = 0; i < 230; i++) made.unshift((await submit('hold')).taskId);
    const pages = await readAll((params) => listTasks(engine, 'local', params));
    expect(pages.map((page) => page.length)).toEqual([100, 100, 30]);
    expect(pages.flat()).toEqual(made);
  });

  it('passes over pages of other tasks, but not without end in one request', async () => {
    const { engine, submit } = await openDesk();
    const { taskId } = await submit('hold');
    const other = { ...(await engine.get(taskId)), labels: {} };
    const crowded = {
      ...engine,
      list: async ({ cursor = '0' }: { cursor?: string } = {}) =>
        cursor === 'z' ? { tasks: [await engine.get(taskId)] } : { tasks: [other], nextCursor: toNext(cursor) },
    };
    const pages = await readAll((params) => listTasks(crowded, 'local', params));
    expect(pages).toEqual([[], [taskId]]);
  });

  it.each([7, null, '', 'abc', 'dGFza3M', 'dGFza3M6MQ==', '../../etc', 'x'.repeat(5000)])(
    'refuses the cursor %j, which it never gave out',
    async (cursor) => {
      const { engine } = await openDesk();
      await expect(listTasks(engine, 'local', { cursor })).rejects.toMatchObject({
        code: -32602,
        message: 'Invalid params: tasks/list cursor must be what an earlier page returned as nextCursor',
      });
    },
  );

  it('refuses a cursor that only looks like one of its own', async () => {
    const { engine } = await openDesk();
    const cursor = Buffer.from('tasks:!!').toString('base64url');
    await expect(listTasks(engine, 'local', { cursor })).rejects.toMatchObject({ code: -32602 });
  });

  it('passes on a failure of the store as it is', async () => {
    const { engine } = await openDesk();
    const failure = new TaskError('STORE_LOCKED', 'busy');
    const broken = { ...engine, list: () => Promise.reject(failure) };
    await expect(listTasks(broken, 'local', {})).rejects.toBe(failure);
  });
});

/** The cursors 0..z, one after the other. */
function toNext(cursor: string): string {
  return (Number.parseInt(cursor, 36) + 1).toString(36);
}

async function readAll(read: (params: unknown) => ReturnType<typeof listTasks>): Promise<string[][]> {
  const pages: string[][] = [];
  for (let cursor: string | undefined; ; ) {
    const { tasks, nextCursor } = await read(cursor === undefined ? {} : { cursor });
    pages.push(tasks.map(({ taskId }) => taskId));
    if (nextCursor === undefined) return pages;
    cursor = nextCursor;
  }
}

/** Turns every task whose time is up into a tombstone. */
async function expire({ store }: Awaited<ReturnType<typeof openDesk>>['rig']): Promise<void> {
  const sweep = { expiresBefore: Date.now() + 1, tombstonesBefore: 0, limit: 10 };
  await until(async () => {
    const { tasks } = await store.tasks.list({ limit: 10 });
    await store.tasks.sweep(sweep);
    return tasks.every(({ outcome }) => outcome?.kind === 'expired');
  });
}
