import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import type { HoldfastServer } from 'holdfast';
import { until } from 'holdfast/testing';
import { describe, expect, it, onTestFinished } from 'vitest';
import { z } from 'zod';
import {
  type HttpRig,
  openHttp,
  postModern,
  type RawRequest,
  readFrames,
  readJson,
  SUBSCRIPTION_ID,
} from '../open-http.ts';

const EXTENSION = { 'io.modelcontextprotocol/tasks': {} };

function toListen(taskIds: unknown, more: Partial<RawRequest> & { filters?: object } = {}): RawRequest {
  const { filters, ...request } = more;
  const params = { notifications: { taskIds, ...filters } };
  return { id: 9, tasks: true, ...request, method: 'subscriptions/listen', params };
}

async function startTask(url: string, name: string, args = {}): Promise<string> {
  const response = await postModern(url, { method: 'tools/call', params: { name, arguments: args }, tasks: true });
  return String((await readJson(response)).result?.taskId);
}

/** Messages of a stream until one shows this status. */
async function readUntil(frames: ReturnType<typeof readFrames>, status: string) {
  for (;;) {
    const { method, params } = await frames.message();
    expect(method).toBe('notifications/tasks');
    expect(params?._meta).toMatchObject({ [SUBSCRIPTION_ID]: 9 });
    if (params?.status === status) return params;
  }
}

async function openBoth(): Promise<HttpRig & { url: string }> {
  const rig = await openHttp();
  return { ...rig, url: await rig.serve() };
}

describe('subscriptions/listen with task ids over HTTP', () => {
  it('acknowledges first, tells the state at once and every change until the end', async () => {
    const { url, open } = await openBoth();
    const taskId = await startTask(url, 'wait');
    const frames = readFrames(await postModern(url, toListen([taskId, taskId, 'nothing'])));
    expect(await frames.message()).toEqual({
      jsonrpc: '2.0',
      method: 'notifications/subscriptions/acknowledged',
      params: { notifications: { taskIds: [taskId] }, _meta: { [SUBSCRIPTION_ID]: 9 } },
    });
    expect(await readUntil(frames, 'working')).toMatchObject({ taskId, ttlMs: null });
    open();
    expect(await readUntil(frames, 'completed')).toMatchObject({
      result: { resultType: 'complete', content: [{ text: 'waited' }] },
    });
    expect(await frames.message()).toMatchObject({ id: 9, result: { resultType: 'complete' } });
    expect(await frames.isDone()).toBe(true);
  });

  it('tells questions as they are asked and answered, through another server too', async () => {
    const { url, serve } = await openBoth();
    const other = await serve();
    const taskId = await startTask(url, 'confirm');
    const capabilities = { elicitation: {} };
    const frames = readFrames(await postModern(other, toListen([taskId], { capabilities })));
    await frames.message();
    expect(await readUntil(frames, 'input_required')).toMatchObject({
      inputRequests: { q1: { method: 'elicitation/create', params: { message: 'Sure?' } } },
    });
    const inputResponses = { q1: { action: 'accept', content: { sure: true } } };
    const update = { method: 'tasks/update', params: { taskId, inputResponses }, tasks: true };
    expect((await postModern(url, update)).status).toBe(200);
    expect(await readUntil(frames, 'completed')).toMatchObject({ result: { content: [{ text: 'sure: true' }] } });
  });

  it('follows several tasks on one stream, each to its end', async () => {
    const { url, open } = await openBoth();
    const ids = [await startTask(url, 'wait', { gate: 'a' }), await startTask(url, 'wait', { gate: 'b' })];
    const frames = readFrames(await postModern(url, toListen(ids)));
    await frames.message();
    open('b');
    expect(await readUntil(frames, 'completed')).toMatchObject({ taskId: ids[1] });
    open('a');
    expect(await readUntil(frames, 'completed')).toMatchObject({ taskId: ids[0] });
  });

  it('tells of a task that has ended before, and is done', async () => {
    const { url, open, tasks } = await openBoth();
    const taskId = await startTask(url, 'wait');
    open();
    await tasks.outcome(taskId);
    const frames = readFrames(await postModern(url, toListen([taskId])));
    await frames.message();
    await readUntil(frames, 'completed');
    expect(await frames.message()).toMatchObject({ id: 9, result: { resultType: 'complete' } });
  });

  it('says nothing twice', async () => {
    const { url, open } = await openBoth();
    const taskId = await startTask(url, 'wait');
    const frames = readFrames(await postModern(url, toListen([taskId])));
    await frames.message();
    open();
    const seen: string[] = [];
    for (let done = false; !done; ) {
      const { params } = await frames.message();
      const { lastUpdatedAt: _, ...shown } = params ?? {};
      seen.push(JSON.stringify(shown));
      done = params?.status === 'completed';
    }
    expect(new Set(seen).size).toBe(seen.length);
  });

  it('is refused without the extension, with the capability that is missing', async () => {
    const { url } = await openBoth();
    const response = await postModern(url, toListen(['x'], { tasks: false }));
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({
      id: 9,
      error: { code: -32021, data: { requiredCapabilities: { extensions: EXTENSION } } },
    });
  });

  it.each([['text'], [[7]], [null], [{}]])('is refused when taskIds is %j', async (taskIds) => {
    const { url } = await openBoth();
    const response = await postModern(url, toListen(taskIds));
    expect(await response.json()).toMatchObject({ id: 9, error: { code: -32602 } });
  });

  it('is refused beyond the limit, and served again when a stream is closed', async () => {
    const rig = await openHttp();
    const url = await rig.serve({ http: { maxSubscriptions: 1 } });
    const taskId = await startTask(url, 'wait');
    const first = readFrames(await postModern(url, toListen([taskId])));
    await first.message();
    const refused = await postModern(url, toListen([taskId]));
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '10']);
    expect(await refused.json()).toMatchObject({ id: 9, error: { code: -32000, data: { retryAfterMs: 10_000 } } });
    await first.cancel();
    await until(async () => {
      const response = await postModern(url, toListen([taskId]));
      const isServed = response.headers.get('content-type') === 'text/event-stream';
      await response.body?.cancel();
      return isServed;
    });
    rig.open();
  });

  it('goes together with what else the client wants to hear of', async () => {
    const rig = await openHttp();
    const register: Parameters<HoldfastServer['mcp']>[0] = (mcp) =>
      mcp.registerPrompt('hello', {}, () => ({ messages: [] }));
    const url = await rig.serve({}, (server) => server.mcp(register));
    const taskId = await startTask(url, 'wait');
    const filters = { promptsListChanged: true };
    const frames = readFrames(await postModern(url, toListen([taskId], { filters })));
    const notifications = { promptsListChanged: true, taskIds: [taskId] };
    expect((await frames.message()).params).toMatchObject({ notifications });
    rig.open();
    await readUntil(frames, 'completed');
    await rig.stop(url);
    expect(await frames.message()).toMatchObject({ id: 9, result: { resultType: 'complete' } });
  });

  it('ends in the words of the protocol when the server closes', async () => {
    const rig = await openHttp();
    const url = await rig.serve();
    const frames = readFrames(await postModern(url, toListen([await startTask(url, 'wait')])));
    await frames.message();
    await readUntil(frames, 'working');
    rig.open();
    await rig.stop(url);
    for (;;) {
      const { id, result } = await frames.message();
      if (id === undefined) continue;
      expect({ id, result }).toMatchObject({ id: 9, result: { resultType: 'complete' } });
      break;
    }
  });

  it('carries comments while nothing happens', async () => {
    const rig = await openHttp();
    const taskId = await startTask(await rig.serve(), 'wait');
    const url = await rig.serve({ http: { firstCommentMs: 10, keepAliveMs: 10 } });
    const frames = readFrames(await postModern(url, toListen([taskId])));
    for (const isComment of [true, true]) {
      while ((await frames.frame()).startsWith(':') !== isComment);
    }
    rig.open();
  });

  it('works with client 2.4', async () => {
    const { url, open } = await openBoth();
    const client = new Client(
      { name: 'test', version: '1' },
      {
        capabilities: { extensions: EXTENSION },
        versionNegotiation: { mode: 'auto' },
      },
    );
    const seen: string[] = [];
    const params = z.looseObject({ taskId: z.string(), status: z.string() });
    client.setNotificationHandler('notifications/tasks', { params }, ({ status }) => void seen.push(status));
    await client.connect(new StreamableHTTPClientTransport(new URL(url)));
    onTestFinished(() => client.close());
    const taskId = await startTask(url, 'wait');
    await client.listen({ taskIds: [taskId] } as never);
    await until(() => seen.includes('working'));
    open();
    await until(() => seen.at(-1) === 'completed');
  });
});
