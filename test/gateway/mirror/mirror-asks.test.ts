/** What a server asks and tells by itself reaches a client that can answer, and what a server forgets is asked for again. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import {
  CreateMessageRequestSchema,
  ElicitationCompleteNotificationSchema,
  ElicitRequestSchema,
  ListRootsRequestSchema,
} from '@modelcontextprotocol/sdk/types.js';
import { until } from 'holdfast/testing';
import { describe, expect, it, onTestFinished } from 'vitest';
import { readLines } from '../../read-lines.ts';
import { foreign } from '../open-gateway.ts';
import { createMirrored, VIEW } from './mirrored-upstream.ts';
import { openMirror } from './open-mirror.ts';

const ROOTS = [{ uri: 'file:///home/ada', name: 'home' }];
const PATIENCE = { timeoutMs: 60_000 };

async function openClient(url: string) {
  const client = new Client(
    { name: 'a', version: '1' },
    { capabilities: { sampling: {}, roots: { listChanged: true }, elicitation: { form: {}, url: {} } } },
  );
  const completed: string[] = [];
  client.setRequestHandler(CreateMessageRequestSchema, ({ params }) => ({
    model: 'm1',
    role: 'assistant',
    content: { type: 'text', text: `${params.maxTokens} tokens` },
  }));
  client.setRequestHandler(ListRootsRequestSchema, () => ({ roots: ROOTS }));
  client.setRequestHandler(ElicitRequestSchema, ({ params }) =>
    params.mode === 'url' ? { action: 'accept' } : { action: 'decline' },
  );
  client.setNotificationHandler(ElicitationCompleteNotificationSchema, ({ params }) => {
    completed.push(params.elicitationId);
  });
  await client.connect(new StreamableHTTPClientTransport(new URL(url)) as never);
  onTestFinished(() => client.close());
  return { client, completed };
}

describe('a gateway before a server that asks', () => {
  it('[GATE-117] passes on sampling, roots, and elicitation of both modes, and what it tells of them', async () => {
    const upstream = createMirrored();
    const mirror = await openMirror({ upstream });
    const { client, completed } = await openClient(mirror.url);
    const messages = [{ role: 'user', content: { type: 'text', text: 'Hello' } }];
    expect(await upstream.ask('sampling/createMessage', { messages, maxTokens: 5 })).toMatchObject({
      model: 'm1',
      content: { text: '5 tokens' },
    });
    expect(await upstream.ask('roots/list')).toEqual({ roots: ROOTS });
    const asked = { mode: 'url', message: 'Sign in', url: 'https://example.com/in', elicitationId: 'e1' };
    expect(await upstream.ask('elicitation/create', asked)).toEqual({ action: 'accept' });
    const requestedSchema = { type: 'object', properties: {} };
    expect(await upstream.ask('elicitation/create', { message: 'Who?', requestedSchema })).toEqual({
      action: 'decline',
    });
    await upstream.tell('notifications/elicitation/complete', { elicitationId: 'e1' });
    await until(() => completed.includes('e1'), PATIENCE);
    await client.sendRootsListChanged();
    const heard = () => upstream.heard.map(({ method }) => method);
    await until(() => heard().includes('notifications/roots/list_changed'), PATIENCE);
  });

  it('[GATE-118] passes on views of apps, and what their server says of them', async () => {
    const contents = [
      { uri: VIEW.uri, mimeType: VIEW.mimeType, text: '<p>', _meta: { ui: { csp: { connectDomains: [] } } } },
    ];
    const upstream = createMirrored({ 'resources/read': () => ({ contents, _meta: { 'x-own': 1 }, 'x-more': 2 }) });
    const mirror = await openMirror({ upstream });
    const client = await mirror.client('legacy');
    const { result } = await client.request('resources/read', { uri: VIEW.uri });
    expect(result).toEqual({ contents, _meta: { 'x-own': 1 }, 'x-more': 2 });
    const called = await client.request('tools/call', { name: 'echo', arguments: { a: 1 } });
    expect(called.result).toMatchObject({ 'x-own': 1, structuredContent: { called: { name: 'echo' } } });
  });
});

describe('a gateway before a server that dies', () => {
  it('[GATE-119] starts it again, and asks it anew for what clients wanted', async () => {
    const dir = await mkdtemp(join(tmpdir(), 'holdfast-restore-'));
    onTestFinished(() => rm(dir, { recursive: true, maxRetries: 20, retryDelay: 100 }));
    const notes = () => readLines(join(dir, 'runs.txt'));
    const count = (line: string) => notes().filter((one) => one === line).length;
    const mirror = await openMirror({ upstream: { ...foreign('deaf-server')(dir) } });
    const client = await mirror.client('legacy');
    await client.listen();
    await client.request('logging/setLevel', { level: 'debug' });
    await client.request('resources/subscribe', { uri: 'made://one' });
    await until(() => count('logging/setLevel debug') === 1, PATIENCE);
    const [pid = 0] = notes().flatMap((line) => (line.startsWith('runs ') ? [Number(line.slice(5))] : []));
    process.kill(pid, 'SIGKILL');
    await until(() => count('resources/subscribe made://one') === 2, { what: 'the subscription', ...PATIENCE });
    expect(count('logging/setLevel debug')).toBe(2);
  });
});
