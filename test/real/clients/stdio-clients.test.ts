import { Client as ModernClient } from '@modelcontextprotocol/client';
import { StdioClientTransport as ModernStdio } from '@modelcontextprotocol/client/stdio';
import { Client as LegacyClient } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport as LegacyStdio } from '@modelcontextprotocol/sdk/client/stdio.js';
import { CallToolResultSchema, ElicitRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import { describe, expect, it, onTestFinished } from 'vitest';
import { openSite, type Site } from '../../e2e/site.ts';

const ME = { name: 'test', version: '1.0.0' };
const YES = { action: 'accept', content: { really: true } } as const;
const text = (words: string) => [{ type: 'text', text: words }];

async function connect(site: Site, mode: 'legacy' | 'auto') {
  const client = new ModernClient(ME, { capabilities: { elicitation: { form: {} } }, versionNegotiation: { mode } });
  const asked: string[] = [];
  client.setRequestHandler('elicitation/create', async ({ params }) => {
    asked.push(params.message);
    return YES;
  });
  await client.connect(new ModernStdio(site.command));
  onTestFinished(() => client.close());
  return { client, asked };
}

describe.each(['legacy', 'auto'] as const)('client 2.4 over stdio, era %s', (mode) => {
  it('calls tools of every kind as if they were plain', async () => {
    const { client, asked } = await connect(await openSite(), mode);
    const { tools } = await client.listTools();
    const names = ['greet', 'render', 'print', 'publish', 'sign', 'order', 'jam', 'fail', 'summary'];
    const companions = ['wait', 'answer', 'cancel', 'list'].map((name) => `reports_task_${name}`);
    expect(tools.map(({ name }) => name)).toEqual([...names, ...companions]);
    const call = (name: string, args = {}) => client.callTool({ name, arguments: args });
    expect(await call('greet', { name: 'Ada' })).toMatchObject({ content: text('Hello, Ada!') });
    expect(await call('render', { ms: 40 })).toMatchObject({ content: text('report rendered') });
    expect(await call('fail')).toMatchObject({ content: text('no ink'), isError: true });
    expect(await call('summary')).toMatchObject({ structuredContent: { pages: 12 } });
    expect(await call('publish')).toMatchObject({ content: text('published') });
    expect(asked).toEqual(['Really?']);
  });

  it('hears of progress, in rising order', async () => {
    const { client } = await connect(await openSite(), mode);
    const seen: number[] = [];
    const onprogress = ({ progress }: { progress: number }) => void seen.push(progress);
    await client.callTool({ name: 'render', arguments: { ms: 600 } }, { onprogress });
    expect(seen.length).toBeGreaterThan(1);
    expect(seen).toEqual([...seen].sort((a, b) => a - b));
  });

  it('gets a result that says what is wrong with its arguments, and an error for an unknown tool', async () => {
    const { client } = await connect(await openSite(), mode);
    expect(await client.callTool({ name: 'greet', arguments: { name: 7 } })).toMatchObject({ isError: true });
    await expect(client.callTool({ name: 'nothing', arguments: {} })).rejects.toMatchObject({ code: -32602 });
  });
});

describe('SDK 1.32 with 2025-11-25 tasks over stdio', () => {
  async function connectLegacy(site: Site) {
    const client = new LegacyClient(ME, { capabilities: { elicitation: { form: {} } } });
    const asked: string[] = [];
    client.setRequestHandler(ElicitRequestSchema, async ({ params }) => {
      asked.push(params.message);
      return { ...YES };
    });
    await client.connect(new LegacyStdio(site.command));
    onTestFinished(() => client.close());
    await client.listTools();
    const run = async (name: string, args = {}) => {
      const types: string[] = [];
      const stream = client.experimental.tasks.callToolStream({ name, arguments: args }, CallToolResultSchema, {
        task: { ttl: 60_000 },
      });
      for await (const message of stream) {
        types.push(message.type);
        if (message.type === 'result') return { types, result: message.result };
        if (message.type === 'error') return { types, error: message.error };
      }
      return { types };
    };
    return { client, asked, run };
  }

  it('runs a tool as a task and gets its result', async () => {
    const { run } = await connectLegacy(await openSite());
    const { types, result } = await run('render', { ms: 300 });
    expect(types[0]).toBe('taskCreated');
    expect(result).toMatchObject({ content: text('report rendered') });
  });

  it('is asked once inside a task, and the answer reaches the tool', async () => {
    const { run, asked } = await connectLegacy(await openSite());
    expect((await run('publish')).result).toMatchObject({ content: text('published') });
    expect(asked).toEqual(['Really?']);
  });

  it('lists and cancels its tasks', async () => {
    const { client } = await connectLegacy(await openSite());
    const { tasks } = client.experimental;
    const stream = tasks.callToolStream({ name: 'render', arguments: { ms: 60_000 } }, CallToolResultSchema, {
      task: { ttl: 60_000 },
    });
    const created = (await stream.next()).value;
    const taskId = created?.type === 'taskCreated' ? created.task.taskId : '';
    expect((await tasks.listTasks()).tasks).toMatchObject([{ taskId, status: 'working' }]);
    expect(await tasks.cancelTask(taskId)).toMatchObject({ taskId, status: 'cancelled' });
    await expect(tasks.cancelTask(taskId)).rejects.toMatchObject({ code: -32602 });
  });
});
