import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { CallToolResultSchema } from '@modelcontextprotocol/sdk/types.js';
import { until } from 'holdfast/testing';
import { describe, expect, it } from 'vitest';
import { shippedProgramPath } from '../programs/program-path.js';
import { openSite, type Site } from './site.ts';

// The other tests start programs of their bundle.
const openShippedSite = () => openSite('reports-server', shippedProgramPath);

async function connect(site: Site) {
  const client = new Client({ name: 'test', version: '1.0.0' });
  const transport = new StdioClientTransport(site.command);
  await client.connect(transport);
  await client.listTools();
  return { client, transport, tasks: client.experimental.tasks };
}

async function begin(site: Site, ms: number) {
  const { client, transport, tasks } = await connect(site);
  const stream = tasks.callToolStream({ name: 'render', arguments: { ms } }, CallToolResultSchema, { task: {} });
  const created = (await stream.next()).value;
  const taskId = created?.type === 'taskCreated' ? created.task.taskId : '';
  await until(() => site.runs().length === 1, { what: 'the tool to begin' });
  return { client, transport, taskId };
}

describe('a task over stdio outlives its server', () => {
  it.each(['SIGKILL', 'SIGTERM', 'SIGINT', 'closing stdin'] as const)(
    'ended by %s, and the next one answers for it',
    async (how) => {
      const site = await openShippedSite();
      const { client, transport, taskId } = await begin(site, 1500);
      if (how === 'closing stdin') await client.close();
      else process.kill(transport.pid ?? 0, how);

      const next = await connect(site);
      expect(await next.tasks.getTaskResult(taskId, CallToolResultSchema)).toMatchObject({
        content: [{ type: 'text', text: 'report rendered' }],
      });
      expect(site.runs()).toEqual(['render report 1']);
      await next.client.close();
      await client.close();
    },
  );

  it('[ROOMS-332] whose worker is killed too, when the work may be repeated', async () => {
    const site = await openShippedSite();
    const { client, transport, taskId } = await begin(site, 1500);
    process.kill(await site.workerPid(), 'SIGKILL');
    process.kill(transport.pid ?? 0, 'SIGKILL');

    const next = await connect(site);
    expect(await next.tasks.getTaskResult(taskId, CallToolResultSchema)).toMatchObject({
      content: [{ type: 'text', text: 'report rendered' }],
    });
    expect(site.runs()).toEqual(['render report 1', 'render report 2']);
    await next.client.close();
    await client.close();
  });
});
