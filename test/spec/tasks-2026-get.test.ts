import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openSqliteStore } from 'holdfast';
import { describe, expect, it, onTestFinished } from 'vitest';
import { ACK, openModern } from './open-2026.ts';

/** What a task has whatever its status. */
const FIELDS = ['taskId', 'status', 'createdAt', 'lastUpdatedAt', 'ttlMs', 'pollIntervalMs', 'resultType', '_meta'];

const namesOf = (task: object) => Object.keys(task).sort();

describe('tasks/get', () => {
  it('[T26-19] a task that is being worked on has a status and nothing of an end', async () => {
    const { start, get, open } = await openModern();
    const task = await get(await start('wait', {}));
    expect(task.status).toBe('working');
    expect(namesOf(task).filter((name) => name !== 'statusMessage')).toEqual([...FIELDS].sort());
    open();
  });

  it('[T26-20] a task that waits names everything that is open, as requests of the protocol', async () => {
    const { start, untilStatus } = await openModern();
    const task = await untilStatus(await start('everything'), 'input_required');
    expect(namesOf(task)).toEqual([...FIELDS, 'inputRequests'].sort());
    expect(task.inputRequests).toMatchObject({
      form: { method: 'elicitation/create', params: { mode: 'form', requestedSchema: { required: ['name'] } } },
      url: { method: 'elicitation/create', params: { mode: 'url', url: 'https://example.com/sign-in' } },
      sampling: { method: 'sampling/createMessage', params: { maxTokens: 10 } },
      roots: { method: 'roots/list' },
    });
    expect(Object.keys(task.inputRequests as object)).toHaveLength(4);
  });

  it('[T26-21] a completed task holds the result that the call itself would have had', async () => {
    const { start, ask, open, untilStatus } = await openModern();
    const taskId = await start('wait');
    open();
    const { result, ...task } = await untilStatus(taskId, 'completed');
    expect(namesOf(task).filter((name) => name !== 'statusMessage')).toEqual([...FIELDS].sort());
    const { _meta, ...direct } = await ask('tools/call', { name: 'wait', arguments: {} }, { tasks: false });
    expect(result).toEqual(direct);
  });

  it('[T26-22] a cancelled task says so and why, and has neither result nor error', async () => {
    const { start, ask, get } = await openModern();
    const taskId = await start('wait');
    await ask('tasks/cancel', { taskId });
    const task = await get(taskId);
    expect(task).toMatchObject({ status: 'cancelled', statusMessage: expect.stringContaining('cancelled') });
    expect(namesOf(task)).toEqual([...FIELDS, 'statusMessage'].sort());
  });

  it('[T26-23] a failed task holds the JSON-RPC error of its call', async () => {
    const { start, send, untilStatus } = await openModern();
    const task = await untilStatus(await start('refuses'), 'failed');
    expect(namesOf(task)).toEqual([...FIELDS, 'error', 'statusMessage'].sort());
    const { answer } = await send('tools/call', { name: 'refuses', arguments: {} }, { tasks: false });
    expect(task.error).toEqual(answer.error);
    expect(task.error).toEqual({ code: -32004, message: 'no such printer', data: { printer: 'p1' } });
  });

  it('[T26-24] a failed task tells in words what went wrong', async () => {
    const { start, untilStatus } = await openModern();
    expect(await untilStatus(await start('refuses'), 'failed')).toMatchObject({ statusMessage: 'no such printer' });
  });

  it('[T26-25] a tool that fails has completed, with a result that is an error', async () => {
    const { start, untilStatus } = await openModern();
    const task = await untilStatus(await start('fails'), 'completed');
    expect(task.result).toEqual({ resultType: 'complete', content: [{ type: 'text', text: 'no ink' }], isError: true });
    expect(task).not.toHaveProperty('error');
  });

  it('[T26-26] the answer is marked complete in every status', async () => {
    const { start, untilStatus, open, ask } = await openModern();
    const cancelled = await start('wait', { gate: 'never' });
    await ask('tasks/cancel', { taskId: cancelled });
    open();
    const seen = [
      await untilStatus(await start('wait', { gate: 'shut' }), 'working'),
      await untilStatus(await start('two'), 'input_required'),
      await untilStatus(await start('always'), 'completed'),
      await untilStatus(await start('refuses'), 'failed'),
      await untilStatus(cancelled, 'cancelled'),
    ];
    expect(seen.map(({ resultType }) => resultType)).toEqual(seen.map(() => 'complete'));
    open('shut');
  });

  it('[T26-27] no message ties itself to a task in the way of 2025-11-25', async () => {
    const { start, untilStatus, ask } = await openModern();
    const waiting = await start('two');
    const seen = [
      await ask('tools/call', { name: 'always' }),
      await untilStatus(waiting, 'input_required'),
      await ask('tasks/update', { taskId: waiting, inputResponses: {} }),
      await ask('tasks/cancel', { taskId: waiting }),
      await untilStatus(await start('always'), 'completed'),
    ];
    for (const { _meta } of seen) expect(_meta).toEqual(ACK._meta);
    expect(JSON.stringify(seen)).not.toContain('related-task');
  });

  it('[T26-28] an id that is no task is -32602, with words that say so', async () => {
    const { send } = await openModern();
    for (const taskId of ['nothing', '', '01k7gsdmrnjqbfq6psbirv49fqvao3dldbcj']) {
      const { answer } = await send('tasks/get', { taskId });
      expect(answer.error).toEqual({ code: -32602, message: 'Failed to retrieve task: Task not found' });
    }
    const { answer } = await send('tasks/get', { taskId: 7 });
    expect(answer.error).toMatchObject({ code: -32602, message: expect.stringContaining('taskId') });
  });

  it('[T26-29] a task whose time is up is -32602, and the words say what became of it', async () => {
    const dir = await mkdtemp(join(tmpdir(), 'holdfast-spec-'));
    onTestFinished(() => rm(dir, { recursive: true }));
    const store = await openSqliteStore({ path: join(dir, 'tasks.db') });
    onTestFinished(() => store.close());
    const { start, untilStatus, send } = await openModern({ store });
    const taskId = await start('always');
    await untilStatus(taskId, 'completed');
    await store.tasks.sweep({ expiresBefore: Date.now() + 4_000_000, tombstonesBefore: 0, limit: 100 });
    expect((await send('tasks/get', { taskId })).answer.error).toMatchObject({
      code: -32602,
      message: expect.stringMatching(/^Failed to retrieve task: Task has expired\. .*completed/),
    });
  });
});
