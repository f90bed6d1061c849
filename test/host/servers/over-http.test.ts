import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { InMemoryTransport } from '@modelcontextprotocol/client';
import { McpServer } from '@modelcontextprotocol/server';
import { until } from 'holdfast/testing';
import { describe, expect, it, onTestFinished } from 'vitest';
import { z } from 'zod';
import { patientFetch } from '../../../src/host/transports/patient-fetch.ts';
import { openHttp } from '../../server/open-http.ts';
import { openDesk, textOf } from '../open-host.ts';

/** Counts what is sent, by method. */
function countRequests() {
  const seen: { method: string; headers: Headers }[] = [];
  const counting: typeof fetch = (input, init) => {
    const { method } = JSON.parse(String(init?.body ?? '{}')) as { method?: string };
    if (method !== undefined) seen.push({ method, headers: new Headers(init?.headers) });
    return patientFetch(input as URL, init);
  };
  return { seen, counting, methods: () => seen.map(({ method }) => method) };
}

describe('over HTTP', () => {
  it('[HOST-21] a long task costs at most three requests when the server tells', async () => {
    const desk = await openDesk();
    const rig = await openHttp();
    const host = await desk.host();
    const { counting, methods } = countRequests();
    await host.connect('test', { url: await rig.serve(), fetch: counting });
    await host.tools('test');
    const before = methods().length;
    const call = await host.call('test', 'wait');
    for await (const { type } of call.updates()) if (type === 'status') break;
    rig.open();
    expect(textOf(await call.outcome())).toBe('waited');
    expect(methods().slice(before, before + 2)).toEqual(['tools/call', 'subscriptions/listen']);
    expect(methods().slice(before).length).toBeLessThanOrEqual(3);
  });

  it('[HOST-22] calls beyond the number of streams a server allows are asked for instead', async () => {
    const desk = await openDesk();
    const rig = await openHttp();
    const host = await desk.host();
    const { counting, methods } = countRequests();
    await host.connect('test', { url: await rig.serve({ http: { maxSubscriptions: 1 } }), fetch: counting });
    const calls = await Promise.all([1, 2, 3].map(() => host.call('test', 'wait')));
    await until(async () => (await host.calls()).every(({ handle }) => handle !== undefined));
    await until(() => methods().filter((method) => method === 'tasks/get').length > 3);
    rig.open();
    for (const call of calls) expect(textOf(await call.outcome())).toBe('waited');
  });

  it('[HOST-32] arguments go along as headers where the tool asks for it', async () => {
    const desk = await openDesk();
    const rig = await openHttp();
    const host = await desk.host();
    const { counting, seen } = countRequests();
    const input = z.object({
      region: z.string().meta({ 'x-mcp-header': 'Region' }),
      count: z.number().int().meta({ 'x-mcp-header': 'Count' }).optional(),
      at: z.object({ place: z.string().meta({ 'x-mcp-header': 'Place' }) }).optional(),
      secret: z.string().optional(),
    });
    const url = await rig.serve({}, (server) => server.tool('route', { input, run: ({ region }) => `to ${region}` }));
    await host.connect('test', { url, fetch: counting });
    const call = await host.call('test', 'route', { region: 'eu', at: { place: 'Zürich' }, secret: 'x' });
    expect(textOf(await call.outcome())).toBe('to eu');
    const headers = seen.find(({ method }) => method === 'tools/call')?.headers;
    expect(headers?.get('mcp-param-region')).toBe('eu');
    expect(headers?.get('mcp-param-place')).toBe(`=?base64?${Buffer.from('Zürich').toString('base64')}?=`);
    expect([...(headers?.keys() ?? [])].filter((name) => name.startsWith('mcp-param-'))).toHaveLength(2);
  });

  it('[HOST-02] a refusal is told as it is: with its status, or the error in its body', async () => {
    const desk = await openDesk();
    const rig = await openHttp();
    const host = await desk.host();
    let answer: (() => Response) | undefined;
    const url = await rig.serve();
    const refusing: typeof fetch = async (input, init) =>
      answer && String(init?.body).includes('tools/call') ? answer() : patientFetch(input as URL, init);
    await host.connect('test', { url, fetch: refusing });
    answer = () => new Response('slow down', { status: 429 });
    expect(await (await host.call('test', 'greet', { name: 'A' })).outcome()).toMatchObject({
      kind: 'error',
      error: { code: -32000, message: expect.stringContaining('429') },
    });
    const error = { code: -32603, message: 'queue full' };
    answer = () => Response.json({ jsonrpc: '2.0', id: 'x', error }, { status: 503 });
    expect(await (await host.call('test', 'greet', { name: 'A' })).outcome()).toEqual({ kind: 'error', error });
    for (const status of [499, 502]) {
      answer = () => new Response('', { status });
      expect(await (await host.call('test', 'greet', { name: 'A' })).outcome()).toMatchObject({ kind: 'interrupted' });
    }
  });

  it('[HOST-33] our own fetch carries methods, headers, bodies and streams, and stops when it is told to', async () => {
    const server = createServer((request, response) => {
      const status = request.url === '/none' ? 204 : 201;
      response.writeHead(status, { 'x-method': request.method, 'x-sent': request.headers['x-a'] ?? '' });
      if (request.url === '/open') response.write('begin');
      else request.pipe(response);
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void server.closeAllConnections());
    onTestFinished(() => void server.close());
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const response = await patientFetch(`${url}/`, { method: 'POST', headers: { 'X-A': 'b' }, body: 'grüße' });
    expect([response.status, response.headers.get('x-method'), response.headers.get('x-sent')]).toEqual([
      201,
      'POST',
      'b',
    ]);
    expect(await response.text()).toBe('grüße');
    expect((await patientFetch(`${url}/none`)).body).toBeNull();
    const stop = new AbortController();
    const open = await patientFetch(`${url}/open`, { signal: stop.signal });
    const reader = (open.body as ReadableStream<Uint8Array>).getReader();
    expect(Buffer.from((await reader.read()).value ?? []).toString()).toBe('begin');
    stop.abort();
    await expect(reader.read()).rejects.toThrow();
    await expect(patientFetch('http://127.0.0.1:1/')).rejects.toMatchObject({ code: 'ECONNREFUSED' });
  });
});

describe('in this process', () => {
  it('[HOST-01] a server is called over a transport of the caller’s own, and again after it was closed', async () => {
    const desk = await openDesk();
    const host = await desk.host();
    const transport = async () => {
      const [near, far] = InMemoryTransport.createLinkedPair();
      const server = new McpServer({ name: 'memory', version: '1' });
      server.registerTool('hello', {}, () => ({ content: [{ type: 'text', text: 'Hello!' }] }));
      server.registerTool('leave', {}, async () => {
        await far.close();
        return { content: [] };
      });
      await server.connect(far);
      return near;
    };
    await host.connect('memory', { transport });
    expect(textOf(await (await host.call('memory', 'hello')).outcome())).toBe('Hello!');
    expect(await (await host.call('memory', 'leave')).outcome()).toMatchObject({ kind: 'interrupted' });
    expect(textOf(await (await host.call('memory', 'hello')).outcome())).toBe('Hello!');
  });
});
