import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openSqliteStore } from 'holdfast';
import { until } from 'holdfast/testing';
import { describe, expect, it, onTestFinished } from 'vitest';
import { type Legacy, nextOf, openLegacy, STATUS, YES } from './open-2025.ts';
import { openPipe } from './open-stdio-2025.ts';

const ISO = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;
const times = { createdAt: expect.stringMatching(ISO), lastUpdatedAt: expect.stringMatching(ISO) };

const end = async (client: Legacy, tool: string, status: string) => {
  const { taskId } = await client.start(tool);
  await client.untilStatus(taskId, status);
  return taskId;
};

describe('the answer to a call as a task', () => {
  it('[T25-09] is the task and no result, while the work goes on', async () => {
    const client = await openLegacy();
    const params = { name: 'hold', arguments: {}, task: { ttl: 60_000 } };
    const answer = await client.ask('tools/call', params);
    expect(Object.keys(answer)).toEqual(['task']);
    expect(await client.get((answer.task as { taskId: string }).taskId)).toMatchObject({ status: 'working' });
  });

  it('[T25-10] says working, even when the work has ended by then', async () => {
    const client = await openLegacy();
    for (const tool of ['quick', 'refuse', 'break', 'hold']) expect((await client.start(tool)).status).toBe('working');
  });

  it('[T25-11] has an id of the server, unlike any other, whatever id the client wishes', async () => {
    const client = await openLegacy();
    const ids = [];
    for (let n = 0; n < 20; n++) ids.push((await client.start('quick', { task: { taskId: 'mine' } })).taskId);
    expect(new Set(ids).size).toBe(20);
    for (const id of ids) expect(id).toMatch(/^[0-9a-v]{36}$/);
  });
});

describe('the status of a task', () => {
  it('[T25-12] [T25-13] goes from working to input_required and back, and then to its end', async () => {
    const client = await openLegacy();
    const news = await client.listen();
    const { taskId } = await client.start('sure');
    const told = async () => (await nextOf(news, STATUS)).params;
    expect(await told()).toMatchObject({ taskId, status: 'input_required' });
    expect((await client.get(taskId)).status).toBe('input_required');
    await client.answer(`holdfast:${taskId}:q1`, YES);
    expect(await told()).toMatchObject({ taskId, status: 'working' });
    expect(await told()).toMatchObject({ taskId, status: 'completed' });
    expect((await client.get(taskId)).status).toBe('completed');
  });

  it('[T25-13] stays input_required until everything that was asked is answered', async () => {
    const client = await openLegacy();
    const { taskId } = await client.start('both');
    await until(async () => (await client.rig.tasks.get(taskId)).questions.length === 2);
    await client.answer(`holdfast:${taskId}:a`, YES);
    expect((await client.get(taskId)).status).toBe('input_required');
    await client.answer(`holdfast:${taskId}:b`, YES);
    await client.untilStatus(taskId, 'completed');
  });

  it.each([
    ['quick', 'completed'],
    ['refuse', 'failed'],
    ['break', 'failed'],
  ])('[T25-14] never changes again once it is at its end: %s', async (tool, status) => {
    const client = await openLegacy();
    const taskId = await end(client, tool, status);
    const before = await client.get(taskId);
    await client.send('tasks/cancel', { taskId });
    await client.answer(`holdfast:${taskId}:q1`, YES);
    await client.send('tasks/result', { taskId });
    expect(await client.get(taskId)).toEqual(before);
  });

  it('[T25-15] is failed for a result with isError, and says why', async () => {
    const client = await openLegacy();
    const refused = await client.get(await end(client, 'refuse', 'failed'));
    expect(refused.statusMessage).toBe('no paper');
    const broken = await client.get(await end(client, 'break', 'failed'));
    expect(broken.statusMessage).toBe('no such printer');
  });
});

describe('every answer that shows a task', () => {
  it('[T25-16] [T25-17] has both its times, how long it is kept and when to ask again', async () => {
    const client = await openLegacy();
    const news = await client.listen();
    const created = await client.start('hold', { task: { ttl: 60_000 } });
    const { taskId } = created;
    const shown = { ...times, taskId, ttl: 60_000, pollInterval: expect.any(Number) };
    expect(created).toMatchObject(shown);
    expect(await client.get(taskId)).toMatchObject(shown);
    expect(await client.ask('tasks/list')).toMatchObject({ tasks: [shown] });
    const { ttl: _, ...ended } = shown;
    expect(await client.ask('tasks/cancel', { taskId })).toMatchObject(ended);
    expect((await nextOf(news, STATUS)).params).toMatchObject(ended);
    expect(Object.keys(created).sort()).toEqual([
      'createdAt',
      'lastUpdatedAt',
      'pollInterval',
      'status',
      'taskId',
      'ttl',
    ]);
  });

  it('[T25-17] says null for a task that is kept for ever, and the default where none was asked', async () => {
    const client = await openLegacy();
    const kept = await client.start('hold', { task: { ttl: null } });
    expect((await client.get(kept.taskId)).ttl).toBeNull();
    const other = await client.start('hold');
    expect((await client.get(other.taskId)).ttl).toBe(3_600_000);
  });

  it('[T25-18] counts from creation in full once the work has ended', async () => {
    const client = await openLegacy();
    const { taskId } = await client.start('hold', { task: { ttl: 60_000 } });
    await client.release();
    const task = await client.untilStatus(taskId, 'completed');
    const worked = Date.parse(String(task.lastUpdatedAt)) - Date.parse(String(task.createdAt));
    expect(task.ttl).toBe(60_000 + worked);
  });
});

describe('the lifetime of a task', () => {
  it.each([-1, 1.5, 31_536_000_001, 'long'])('[T25-19] is refused with what is expected: %j', async (ttl) => {
    const { error } = await (await openLegacy()).send('tools/call', { name: 'quick', arguments: {}, task: { ttl } });
    expect(error?.code).toBe(-32602);
    expect(error?.message).toMatch(/ttl/);
  });

  it('[T25-20] ends it: it is not listed any more, and its id says that it has expired', async () => {
    const dir = await mkdtemp(join(tmpdir(), 'holdfast-ttl-'));
    const store = await openSqliteStore({ path: join(dir, 'tasks.db') });
    onTestFinished(async () => {
      await store.close();
      await rm(dir, { recursive: true });
    });
    const client = await openLegacy({ store });
    const { taskId } = await client.start('quick', { task: { ttl: 0 } });
    const sweep = { expiresBefore: Date.now() + 60_000, tombstonesBefore: 0, limit: 1 };
    await until(async () => (await store.tasks.sweep(sweep)).expired === 1, { what: 'the task to expire' });
    const expired = { code: -32602, message: expect.stringContaining('Task has expired') };
    for (const method of ['tasks/get', 'tasks/result', 'tasks/cancel']) {
      expect((await client.send(method, { taskId })).error, method).toMatchObject(expired);
    }
    expect(await client.ask('tasks/list')).toEqual({ tasks: [] });
  });
});

describe('tasks/cancel', () => {
  it('[T25-21] stops the work, and the task is cancelled before the answer leaves', async () => {
    const client = await openLegacy();
    const { taskId } = await client.start('stubborn');
    await until(async () => (await client.rig.tasks.get(taskId)).startedAt !== undefined);
    expect(await client.ask('tasks/cancel', { taskId })).toMatchObject({
      taskId,
      status: 'cancelled',
      statusMessage: 'The task was cancelled by request.',
    });
    expect((await client.get(taskId)).status).toBe('cancelled');
    const stopped = () => client.ask('tools/call', { name: 'stopped', arguments: {} });
    await until(async () => JSON.stringify(await stopped()).includes('true'), { what: 'the signal of the work' });
  });

  it('[T25-22] leaves the task cancelled although the work ends with a result', async () => {
    const client = await openLegacy();
    const { taskId } = await client.start('stubborn');
    await until(async () => (await client.rig.tasks.get(taskId)).startedAt !== undefined);
    await client.ask('tasks/cancel', { taskId });
    const stopped = () => client.ask('tools/call', { name: 'stopped', arguments: {} });
    await until(async () => JSON.stringify(await stopped()).includes('true'), { what: 'the work to end' });
    expect((await client.get(taskId)).status).toBe('cancelled');
    expect((await client.send('tasks/result', { taskId })).error?.code).toBe(-32800);
  });

  it('[T25-23] is -32602 for a task at its end, and the second time', async () => {
    const client = await openLegacy();
    for (const [tool, status] of [
      ['quick', 'completed'],
      ['refuse', 'failed'],
    ] as const) {
      const taskId = await end(client, tool, status);
      const { error } = await client.send('tasks/cancel', { taskId });
      const message = `Cannot cancel task: already in terminal status '${status}'`;
      expect(error).toMatchObject({ code: -32602, message });
    }
    const { taskId } = await client.start('hold');
    await client.ask('tasks/cancel', { taskId });
    const { error } = await client.send('tasks/cancel', { taskId });
    const message = "Cannot cancel task: already in terminal status 'cancelled'";
    expect(error).toMatchObject({ code: -32602, message });
  });

  it('[T25-24] is the only way: a cancelled request leaves its task alone', async () => {
    const pipe = await openPipe();
    const params = { name: 'hold', arguments: {}, task: {} };
    pipe.post({ id: 'call', method: 'tools/call', params });
    pipe.post({ method: 'notifications/cancelled', params: { requestId: 'call', reason: 'never mind' } });
    const listed = await until(async () => {
      const { result } = await pipe.send('tasks/list');
      return (result?.tasks as { taskId: string }[] | undefined)?.[0];
    });
    pipe.post({ method: 'notifications/cancelled', params: { requestId: 'call' } });
    await pipe.release();
    expect((await pipe.result(listed.taskId)).result).toMatchObject({ content: [{ text: 'held' }] });
  });

  it('[T25-24] is not meant by giving up on tasks/result either', async () => {
    const client = await openLegacy();
    const { taskId } = await client.start('hold');
    const waiting = await client.request('tasks/result', { taskId });
    await client.notify('notifications/cancelled', { requestId: waiting.id, reason: 'enough' });
    expect(await waiting.frames.isDone()).toBe(true);
    expect((await client.get(taskId)).status).toBe('working');
    await client.release();
    await client.untilStatus(taskId, 'completed');
  });
});
