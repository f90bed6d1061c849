import { Client as ModernClient, StreamableHTTPClientTransport as ModernHttp } from '@modelcontextprotocol/client';
import { StdioClientTransport as ModernStdio } from '@modelcontextprotocol/client/stdio';
import { Client as LegacyClient } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport as LegacyStdio } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport as LegacyHttp } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { Transport as LegacyTransport } from '@modelcontextprotocol/sdk/shared/transport.js';
import { untilStatus } from 'holdfast/testing';
import { describe, expect, it, onTestFinished } from 'vitest';
import { COMBINATIONS, connectRaw } from '../../e2e/raw-client.ts';
import { getStatus, readTask } from '../../e2e/raw-task.ts';
import { openSite, type Site } from '../../e2e/site.ts';

const ME = { name: 'test', version: '1.0.0' };
const SLOW = { name: 'render', arguments: { ms: 3000 } };

describe.each(COMBINATIONS)('a client that cancels what has been answered, over %s, %s era', (medium, era) => {
  it('[ERA-40] twice, changes nothing: neither the task it was given nor the next call', async () => {
    const site = await openSite();
    const client = await connectRaw(site, medium, era);
    const task = era === 'legacy' ? { task: {} } : {};
    const greeted = await client.request('tools/call', { name: 'greet', arguments: { name: 'Ada' } });
    const begun = await client.request('tools/call', { ...SLOW, ...task });
    const taskId = readTask(begun);
    for (const requestId of [greeted.id, greeted.id, begun.id, begun.id]) {
      await client.send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId } });
    }
    expect(await getStatus(client, taskId)).toBe('working');
    await untilStatus(site.tasks, taskId, 'completed');
    expect(await getStatus(client, taskId)).toBe('completed');
  });
});

type Call = (site: Site) => Promise<unknown>;

function callLegacy(open: (site: Site) => Promise<LegacyTransport>): Call {
  return async (site) => {
    const client = new LegacyClient(ME);
    onTestFinished(() => client.close());
    await client.connect(await open(site));
    return client.callTool(SLOW);
  };
}

function callModern(open: (site: Site) => Promise<ModernStdio | ModernHttp>): Call {
  return async (site) => {
    const client = new ModernClient(ME, { versionNegotiation: { mode: 'auto' } });
    onTestFinished(() => client.close());
    await client.connect(await open(site));
    return client.callTool(SLOW);
  };
}

const toUrl = async (site: Site) => new URL((await site.serve()).url);

describe.each<[string, Call]>([
  ['SDK 1.32 over stdio', callLegacy(async (site) => new LegacyStdio(site.command))],
  ['SDK 1.32 over HTTP', callLegacy(async (site) => new LegacyHttp(await toUrl(site)) as LegacyTransport)],
  ['client 2.4 over stdio', callModern(async (site) => new ModernStdio(site.command))],
  ['client 2.4 over HTTP', callModern(async (site) => new ModernHttp(await toUrl(site)))],
])('a client that declared no tasks (%s)', (_, call) => {
  it('[ERA-41] gets the result of a slow tool and never a task', async () => {
    const site = await openSite();
    const result = await call(site);
    expect(result).toMatchObject({ content: [{ type: 'text', text: 'report rendered' }] });
    for (const key of ['task', 'taskId', 'status']) expect(result).not.toHaveProperty(key);
    expect(site.runs()).toEqual(['render report 1']);
  });
});
