import { Client as ModernClient } from '@modelcontextprotocol/client';
import { StdioClientTransport as ModernStdio } from '@modelcontextprotocol/client/stdio';
import { Client as LegacyClient } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport as LegacyStdio } from '@modelcontextprotocol/sdk/client/stdio.js';
import { CallToolResultSchema, type NotificationSchema } from '@modelcontextprotocol/sdk/types.js';
import { until } from 'holdfast/testing';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { z } from 'zod';
import { type Report, toCommand } from '../../e2e/open-jobs.ts';
import { openSite } from '../../e2e/site.ts';

const ME = { name: 'test', version: '1.0.0' };
const SYNC = { name: 'wksm_monitor_sync', arguments: { path: '/path/to/dir', recursive: true } };

interface SdkClient {
  listTools(): Promise<unknown>;
  callTool(params: typeof SYNC | { name: string }): Promise<unknown>;
  /** Results of jobs that were told. */
  readonly results: { readonly job_id: string; readonly result: Report }[];
}

async function connectLegacy(options: object): Promise<SdkClient> {
  const client = new LegacyClient(ME);
  const results: SdkClient['results'] = [];
  client.onerror = () => {};
  client.fallbackNotificationHandler = async ({ method, params }: z.infer<typeof NotificationSchema>) => {
    if (method === 'notifications/tool_result') results.push(params as unknown as SdkClient['results'][number]);
  };
  await client.connect(new LegacyStdio(toCommand(await openSite(), options)));
  onTestFinished(() => client.close());
  return {
    results,
    listTools: () => client.listTools(),
    callTool: (params) => client.callTool(params, CallToolResultSchema),
  };
}

const connectModern =
  (mode: 'legacy' | 'auto') =>
  async (options: object): Promise<SdkClient> => {
    const client = new ModernClient(ME, { versionNegotiation: { mode } });
    const results: SdkClient['results'] = [];
    client.onerror = () => {};
    client.fallbackNotificationHandler = async ({ method, params }) => {
      if (method === 'notifications/tool_result') results.push(params as unknown as SdkClient['results'][number]);
    };
    await client.connect(new ModernStdio(toCommand(await openSite(), options)));
    onTestFinished(() => client.close());
    return { results, listTools: () => client.listTools(), callTool: (params) => client.callTool(params) };
  };

describe.each([
  ['SDK 1.32', connectLegacy],
  ['client 2.4, legacy era', connectModern('legacy')],
  ['client 2.4, modern era', connectModern('auto')],
] as const)('a client that knows nothing of jobs: %s', (_, connect) => {
  it('[JOB-61] takes the first answer as a tool result and can hear the result of the job', async () => {
    const client = await connect({ jobs: 'always' });
    await client.listTools();
    const result = (await client.callTool(SYNC)) as { content: { text: string }[]; structuredContent: Report };
    const report = result.structuredContent;
    expect(report).toMatchObject({ success: true, data: { estimated_runtime_seconds: 45, status: 'queued' } });
    expect(JSON.parse(result.content[0]?.text ?? '')).toEqual(report);
    const [told] = await until(() => (client.results.length > 0 ? client.results : undefined), { timeoutMs: 30_000 });
    expect(told).toMatchObject({ job_id: report.data.job_id, result: { success: true, data: { files_updated: 490 } } });
    expect(await client.callTool({ name: 'now' })).toMatchObject({ content: [{ type: 'text', text: 'done now' }] });
  });

  it('[JOB-62] takes the first answer of a tool with an output schema', async () => {
    const client = await connect({ jobs: 'always' });
    await client.listTools();
    const { structuredContent } = (await client.callTool({ name: 'summary' })) as { structuredContent: Report };
    expect(structuredContent.data).toHaveProperty('job_id');
  });
});
