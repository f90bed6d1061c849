/** What is no long call reaches the server as it is, and comes back as it is. */
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { until } from 'holdfast/testing';
import { describe, expect, it } from 'vitest';
import {
  APP_TOOL,
  CAPABILITIES,
  createMirrored,
  INFO,
  PROMPT,
  RESOURCE,
  RpcError,
  TOOL,
  VIEW,
} from './mirrored-upstream.ts';
import { openMirror } from './open-mirror.ts';

const ERAS = ['legacy', 'modern'] as const;

describe('a gateway before one server', () => {
  it.each(ERAS)('[GATE-100] lists its tools as it does, in the %s era', async (era) => {
    const mirror = await openMirror({ upstream: createMirrored() });
    const client = await mirror.client(era);
    const { tools } = (await client.request('tools/list')).result as { tools: { name: string }[] };
    // What the gateway says of its own: how a call can be waited for.
    const added = era === 'legacy' ? { execution: { taskSupport: 'optional' } } : {};
    expect(tools.find(({ name }) => name === 'echo')).toEqual({ ...TOOL, ...added, async: true });
  });

  it('[GATE-101] calls itself what the server does, and can do what it can', async () => {
    const mirror = await openMirror({ upstream: createMirrored() });
    const client = new Client({ name: 'a', version: '1' });
    await client.connect(new StreamableHTTPClientTransport(new URL(mirror.url)) as never);
    expect({
      serverInfo: client.getServerVersion(),
      instructions: client.getInstructions(),
      capabilities: client.getServerCapabilities(),
    }).toMatchObject({ serverInfo: INFO, instructions: 'Echo first.', capabilities: CAPABILITIES });
    await client.close();
    const modern = await mirror.client('modern');
    const discovered = (await modern.request('server/discover')).result as { capabilities: object; _meta: object };
    expect(discovered).toMatchObject({ capabilities: CAPABILITIES, instructions: 'Echo first.' });
    expect(Object.values(discovered._meta)).toContainEqual(INFO);
  });

  it.each(ERAS)('[GATE-102] passes on everything else, in the %s era', async (era) => {
    const mirror = await openMirror({ upstream: createMirrored() });
    const client = await mirror.client(era);
    const ask = async (method: string, params: object = {}) => (await client.request(method, params)).result;
    expect(await ask('prompts/get', { name: 'greet' })).toMatchObject({ description: 'greet', _meta: { 'x-own': 1 } });
    expect((await ask('resources/list'))?.resources).toEqual([RESOURCE, VIEW]);
    expect(await ask('resources/templates/list')).toMatchObject({ resourceTemplates: [{ name: 'any' }] });
    expect(await ask('resources/read', { uri: RESOURCE.uri })).toMatchObject({ contents: [{ text: 'one' }] });
    const ref = { type: 'ref/prompt', name: 'greet' };
    const completion = await ask('completion/complete', { ref, argument: { name: 'a', value: 'b' } });
    expect(completion).toMatchObject({ completion: { values: [JSON.stringify([ref, { name: 'a', value: 'b' }])] } });
    expect(await ask('x/echo', { deep: { a: [1] } })).toMatchObject({ params: { deep: { a: [1] } } });
  });

  it('[GATE-102] passes on errors with their codes and data, each in the words of its era', async () => {
    const fail = () => {
      throw new RpcError(-32050, 'not today', { why: 'rain' });
    };
    const mirror = await openMirror({ upstream: createMirrored({ 'x/fail': fail, 'tools/call': fail }) });
    const [legacy, modern] = [await mirror.client('legacy'), await mirror.client('modern')];
    const error = { code: -32050, message: 'not today', data: { why: 'rain' } };
    expect((await legacy.request('x/fail')).error).toEqual(error);
    expect((await legacy.request('tools/call', { name: 'echo', arguments: {} })).error).toEqual(error);
    expect((await modern.request('x/fail')).error).toEqual(error);
    expect((await legacy.request('resources/read', { uri: 'made://no' })).error).toMatchObject({ code: -32002 });
    expect((await modern.request('resources/read', { uri: 'made://no' })).error).toMatchObject({ code: -32602 });
    expect((await legacy.request('x/unknown')).error).toMatchObject({ code: -32601 });
  });

  it('[GATE-102] answers a method that nobody knows with the status that 2026-07-28 wants over HTTP', async () => {
    const mirror = await openMirror({ upstream: createMirrored() });
    const meta = 'io.modelcontextprotocol/';
    const _meta = {
      [`${meta}protocolVersion`]: '2026-07-28',
      [`${meta}clientInfo`]: { name: 'a', version: '1' },
      [`${meta}clientCapabilities`]: {},
    };
    const send = async (method: string) => {
      const { status } = await fetch(mirror.url, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          accept: 'application/json, text/event-stream',
          'mcp-protocol-version': '2026-07-28',
          'mcp-method': method,
        },
        body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: { _meta } }),
      });
      return status;
    };
    expect(await send('x/unknown')).toBe(404);
    expect(await send('x/echo')).toBe(200);
  });

  it.each(ERAS)('[GATE-103] passes on pages and progress, in the %s era', async (era) => {
    const upstream = createMirrored();
    const mirror = await openMirror({ upstream });
    const client = await mirror.client(era);
    const { nextCursor, prompts } = (await client.request('prompts/list')).result ?? {};
    expect({ nextCursor, prompts }).toEqual({ nextCursor: 'p2', prompts: [] });
    expect((await client.request('prompts/list', { cursor: 'p2' })).result?.prompts).toEqual([PROMPT]);
    await client.request('resources/read', { uri: RESOURCE.uri, _meta: { progressToken: 'mine' } });
    const params = { progressToken: 'mine', progress: 1, total: 2 };
    expect(client.others).toContainEqual({ jsonrpc: '2.0', method: 'notifications/progress', params });
  });

  it('[GATE-104] subscribes once for all, and tells those who did', async () => {
    const upstream = createMirrored();
    const mirror = await openMirror({ upstream });
    const [reader, other] = [await mirror.client('legacy'), await mirror.client('legacy')];
    await Promise.all([reader.listen(), other.listen()]);
    await reader.request('resources/subscribe', { uri: RESOURCE.uri });
    const modern = await mirror.client('modern');
    const listened = { notifications: { resourceSubscriptions: [RESOURCE.uri], promptsListChanged: true } };
    modern.request('subscriptions/listen', listened).catch(() => {});
    await until(() => modern.others.length > 0, { what: 'the acknowledgement' });
    await upstream.tell('notifications/resources/updated', { uri: RESOURCE.uri });
    await upstream.tell('notifications/prompts/list_changed');
    const heard = (client: typeof reader) => client.others.map(({ method }) => method);
    await until(() => heard(reader).includes('notifications/prompts/list_changed'));
    await until(() => heard(modern).includes('notifications/prompts/list_changed'));
    await until(() => heard(other).includes('notifications/prompts/list_changed'));
    expect(heard(reader)).toContain('notifications/resources/updated');
    expect(heard(modern)).toContain('notifications/resources/updated');
    expect(heard(other)).not.toContain('notifications/resources/updated');
    expect(upstream.heard.filter(({ method }) => method === 'resources/subscribe')).toHaveLength(1);
    await reader.request('resources/unsubscribe', { uri: RESOURCE.uri });
  });

  it('[GATE-105] passes on lines of log, to each client from the level on that it wants', async () => {
    const upstream = createMirrored();
    const mirror = await openMirror({ upstream });
    const [curious, calm] = [await mirror.client('legacy'), await mirror.client('legacy')];
    await Promise.all([curious.listen(), calm.listen()]);
    await curious.request('logging/setLevel', { level: 'debug' });
    await calm.request('logging/setLevel', { level: 'error' });
    await until(() =>
      upstream.heard.some(({ method, params }) => method === 'logging/setLevel' && params.level === 'debug'),
    );
    await upstream.tell('notifications/message', { level: 'info', logger: 'l', data: { a: 1 } });
    await upstream.tell('notifications/message', { level: 'error', data: 'b' });
    const heard = (client: typeof calm) =>
      client.others.filter(({ method }) => method === 'notifications/message').map(({ params }) => params);
    await until(() => heard(calm).length > 0 && heard(curious).length > 1);
    expect(heard(curious)).toEqual([
      { level: 'info', logger: 'l', data: { a: 1 } },
      { level: 'error', data: 'b' },
    ]);
    expect(heard(calm)).toEqual([{ level: 'error', data: 'b' }]);
  });

  it('[GATE-106] puts what the server asks outside of calls to a client that can answer', async () => {
    const upstream = createMirrored();
    const mirror = await openMirror({ upstream });
    const client = await mirror.client('legacy');
    await client.listen();
    const answer = upstream.ask('elicitation/create', {
      message: 'Who?',
      requestedSchema: { type: 'object', properties: {} },
    });
    const request = await until(() => client.others.find(({ method }) => method === 'elicitation/create'));
    expect(request.params).toMatchObject({ message: 'Who?' });
    await client.send({ jsonrpc: '2.0', id: request.id, result: { action: 'accept', content: { a: 1 } } });
    expect(await answer).toEqual({ action: 'accept', content: { a: 1 } });
    // No client of this gateway has said that it has roots.
    expect(await upstream.ask('roots/list')).toEqual({ roots: [] });
  });

  it('[GATE-107] changes its tools with the server, and tells its clients', async () => {
    const tools = [{ ...TOOL }];
    const upstream = createMirrored({ 'tools/list': () => ({ tools }) });
    const mirror = await openMirror({ upstream });
    const client = await mirror.client('legacy');
    await client.listen();
    tools.splice(0, 1, { ...TOOL, name: 'newer' });
    await upstream.tell('notifications/tools/list_changed');
    await until(() => client.others.some(({ method }) => method === 'notifications/tools/list_changed'));
    const listed = (await client.request('tools/list')).result as { tools: { name: string }[] };
    const names = listed.tools.map(({ name }) => name);
    expect(names).toContain('newer');
    expect(names).not.toContain('echo');
    const called = await client.request('tools/call', { name: 'newer', arguments: {} });
    expect(called.result).toMatchObject({ structuredContent: { called: { name: 'newer' } } });
    expect((await client.request('tools/call', { name: 'echo', arguments: {} })).error?.code).toBe(-32602);
  });

  it('[GATE-108] makes no task of a tool that only apps see', async () => {
    const upstream = createMirrored();
    const mirror = await openMirror({ upstream });
    const client = await mirror.client('modern');
    const { result } = await client.request('tools/call', { name: APP_TOOL.name, arguments: { a: 1 } });
    expect(result).toMatchObject({ structuredContent: { called: { name: 'refresh', args: { a: 1 } } } });
    const legacy = await mirror.client('legacy');
    const { tools } = (await legacy.request('tools/list')).result as { tools: { name: string }[] };
    const execution = { taskSupport: 'forbidden' };
    expect(tools.find(({ name }) => name === 'refresh')).toEqual({ ...APP_TOOL, execution });
  });

  it('[GATE-109] passes on _meta and trace context, of calls and of requests', async () => {
    const upstream = createMirrored();
    const mirror = await openMirror({ upstream });
    const client = await mirror.client('legacy');
    const trace = { traceparent: '00-1-2-01', tracestate: 'a=b', baggage: 'c=d' };
    const _meta = { ...trace, 'x-own/key': { deep: 1 } };
    await client.request('tools/call', { name: 'echo', arguments: {}, _meta: { ..._meta, progressToken: 7 } });
    await client.request('x/echo', { _meta });
    const metas = upstream.heard.filter(({ params }) => params._meta !== undefined).map(({ params }) => params._meta);
    expect(metas).toHaveLength(2);
    expect(metas[0]).toMatchObject(_meta);
    expect(metas[1]).toEqual(_meta);
  });
});
