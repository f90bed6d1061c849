import { Client as ModernClient, StreamableHTTPClientTransport as ModernHttp } from '@modelcontextprotocol/client';
import { Client as OldClient } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as OldHttp } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { CallToolResultSchema, ElicitRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import { describe, expect, it, onTestFinished } from 'vitest';
import { openHttp } from '../open-http.ts';

const ME = { name: 'test', version: '1.0.0' };
const CAPABILITIES = { capabilities: { elicitation: { form: {} } } };
const YES = { action: 'accept' as const, content: { sure: true } };
const text = (words: string) => [{ type: 'text', text: words }];

type Call = (
  params: { name: string; arguments: Record<string, unknown> },
  onprogress?: (progress: number) => void,
) => Promise<unknown>;

async function connectNew(url: string, mode: 'auto' | 'legacy'): Promise<Call> {
  const client = new ModernClient(ME, { ...CAPABILITIES, versionNegotiation: { mode } });
  client.setRequestHandler('elicitation/create', async () => YES);
  await client.connect(new ModernHttp(new URL(url)));
  onTestFinished(() => client.close());
  return (params, onprogress) =>
    client.callTool(params, onprogress && { onprogress: ({ progress }) => onprogress(progress) });
}

async function connectOld(url: string): Promise<Call> {
  const client = new OldClient(ME, CAPABILITIES);
  client.setRequestHandler(ElicitRequestSchema, async () => YES);
  await client.connect(new OldHttp(new URL(url)) as never);
  onTestFinished(() => client.close());
  return (params, onprogress) =>
    client.callTool(params, undefined, onprogress && { onprogress: ({ progress }) => onprogress(progress) });
}

describe.each([
  ['client 2.4, modern', (url: string) => connectNew(url, 'auto')],
  ['client 2.4, legacy', (url: string) => connectNew(url, 'legacy')],
  ['SDK 1.32', connectOld],
])('%s over HTTP', (_, connect) => {
  it('calls quick tools, with a task behind them or none', async () => {
    const call = await connect(await (await openHttp()).serve());
    expect(await call({ name: 'greet', arguments: { name: 'Ada' } })).toMatchObject({ content: text('Hello, Ada!') });
    expect(await call({ name: 'add', arguments: { a: 1, b: 2 } })).toMatchObject({ content: text('3') });
  });

  it('waits for a held call and hears of its progress', async () => {
    const rig = await openHttp();
    const call = await connect(await rig.serve({ http: { firstCommentMs: 20, keepAliveMs: 20 } }));
    const result = await call({ name: 'wait', arguments: {} }, () => rig.open());
    expect(result).toMatchObject({ content: text('waited') });
  });

  it('gets the result of a held call that was silent until its stream was opened by a comment', async () => {
    const rig = await openHttp();
    const call = await connect(await rig.serve({ http: { firstCommentMs: 1, keepAliveMs: 1 } }));
    const calling = call({ name: 'wait', arguments: {} });
    await rig.onlyTask();
    rig.open();
    expect(await calling).toMatchObject({ content: text('waited') });
  });

  it('answers the question of a held call', async () => {
    const call = await connect(await (await openHttp()).serve());
    expect(await call({ name: 'confirm', arguments: {} })).toMatchObject({ content: text('sure: true') });
  });
});

describe('SDK 1.32 with 2025-11-25 tasks over HTTP', () => {
  it('runs a tool as a task, answers its question and gets its result', async () => {
    const url = await (await openHttp()).serve();
    const client = new OldClient(ME, CAPABILITIES);
    client.setRequestHandler(ElicitRequestSchema, async () => YES);
    await client.connect(new OldHttp(new URL(url)) as never);
    onTestFinished(() => client.close());
    await client.listTools();
    const params = { name: 'confirm', arguments: {} };
    const stream = client.experimental.tasks.callToolStream(params, CallToolResultSchema, { task: { ttl: 60_000 } });
    const seen = [];
    for await (const message of stream) seen.push(message);
    expect(seen[0]).toMatchObject({ type: 'taskCreated' });
    expect(seen.at(-1)).toMatchObject({ type: 'result', result: { content: text('sure: true') } });
  });
});
