import { describe, expect, it } from 'vitest';
import { openLegacy } from './open-2025.ts';
import { openPipe } from './open-stdio-2025.ts';

const call = (name: string, more: object = {}) => ({ name, arguments: {}, ...more });

describe('what a server of 2025-11-25 declares', () => {
  it('[T25-01] is that tasks can be listed and cancelled and tools called as tasks, over HTTP and stdio', async () => {
    const tasks = { list: {}, cancel: {}, requests: { tools: { call: {} } } };
    expect((await openLegacy()).welcome).toMatchObject({ protocolVersion: '2025-11-25', capabilities: { tasks } });
    expect((await openPipe()).welcome).toMatchObject({ protocolVersion: '2025-11-25', capabilities: { tasks } });
  });

  it('[T25-02] is for each tool whether it may, must or cannot be called as a task', async () => {
    const { tools } = await (await openLegacy()).ask('tools/list');
    const support = new Map(
      (tools as { name: string; execution: { taskSupport: string } }[]).map((tool) => [
        tool.name,
        tool.execution.taskSupport,
      ]),
    );
    expect(support.get('quick')).toBe('optional');
    expect(support.get('required')).toBe('required');
    expect(support.get('greet')).toBe('forbidden');
  });
});

describe('a call', () => {
  it('[T25-03] as a task is -32601 for a tool that forbids it', async () => {
    const client = await openLegacy();
    const { error } = await client.send('tools/call', {
      name: 'greet',
      arguments: { name: 'Ada' },
      task: { ttl: 60_000 },
    });
    expect(error).toMatchObject({ code: -32601, message: expect.stringContaining('greet') });
  });

  it('[T25-04] without a task is -32601 for a tool that requires one, and nothing runs', async () => {
    const client = await openLegacy();
    const { error } = await client.send('tools/call', call('required'));
    expect(error).toMatchObject({ code: -32601, message: expect.stringContaining('params.task') });
    expect(await client.ask('tasks/list')).toEqual({ tasks: [] });
  });

  it('[T25-05] may be made either way where a task is optional', async () => {
    const client = await openLegacy();
    expect(await client.ask('tools/call', call('quick'))).toEqual({ content: [{ type: 'text', text: 'done' }] });
    const { taskId } = await client.start('quick');
    expect(await client.ask('tasks/result', { taskId })).toMatchObject({ content: [{ text: 'done' }] });
  });

  it('[T25-06] is never answered with a task unless it asked for one, and shows none', async () => {
    const client = await openLegacy({ inlineMs: 0 }, { capabilities: { tasks: { requests: {} } } });
    const held = await client.request('tools/call', call('hold'));
    await client.rig.onlyTask();
    expect(await client.ask('tasks/list')).toEqual({ tasks: [] });
    await client.release();
    expect((await held.answer()).result).toEqual({ content: [{ type: 'text', text: 'held' }] });
  });

  it.each([['text'], [7], [[]], [null]])('[T25-07] with a task that is no object is -32602: %j', async (task) => {
    const { error } = await (await openLegacy()).send('tools/call', call('quick', { task }));
    expect(error?.code).toBe(-32602);
  });
});

describe('a request of a kind that cannot be a task', () => {
  it('[T25-08] is served as usual, whatever it says of tasks', async () => {
    const client = await openLegacy();
    expect(await client.ask('tools/list', { task: { ttl: 1 } })).toHaveProperty('tools');
    expect(await client.ask('ping', { task: { ttl: 1 } })).toEqual({});
    expect(await client.ask('tasks/list')).toEqual({ tasks: [] });
  });
});
