/** Clients that ask and do not read, and clients that leave while their answers wait. */
import type { HoldfastServer } from 'holdfast';
import { until } from 'holdfast/testing';
import { describe, expect, it } from 'vitest';
import { openLine, toHead } from '../../security/http/raw-http.ts';
import {
  openHttp,
  openSession,
  post,
  postModern,
  type RawRequest,
  readFrames,
  readJson,
} from '../../server/open-http.ts';

const as = (name: string) => ({ authorization: `Bearer ${name}` });
const BUSY_MS = 60_000;
const LARGE = 9_000_000;
const META = 'io.modelcontextprotocol/';
const ENVELOPE = {
  [`${META}protocolVersion`]: '2026-07-28',
  [`${META}clientInfo`]: { name: 'raw', version: '1' },
  [`${META}clientCapabilities`]: {},
};

function verify(request: Request) {
  const subject = /^Bearer (\w+)$/.exec(request.headers.get('authorization') ?? '')?.[1];
  return subject ? { issuer: 'https://id.example', subject } : undefined;
}

function addTools(server: HoldfastServer): void {
  server.tool('large', { task: 'never', run: () => 'x'.repeat(LARGE) });
  server.tool('bulk', { run: () => 'x'.repeat(LARGE) });
  const whenGone = (signal: AbortSignal) => new Promise((resolve) => signal.addEventListener('abort', resolve));
  server.tool('stay', { task: 'never', run: async (_, { signal }) => void (await whenGone(signal)) });
}

type Era = 'modern' | 'legacy';

/** A call of a tool as it stands on the wire. */
async function toCall(url: string, { era, tool, name }: { era: Era; tool: string; name: string }): Promise<string> {
  const isModern = era === 'modern';
  const params = { name: tool, arguments: {}, ...(isModern && { _meta: ENVELOPE }) };
  const body = JSON.stringify({ jsonrpc: '2.0', id: 7, method: 'tools/call', params });
  const modern = { 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'tools/call', 'mcp-name': tool };
  const headers = isModern ? { ...as(name), ...modern } : await openSession(url, { headers: as(name) });
  return toHead({ url, headers: { ...headers, 'content-length': String(body.length) } }) + body;
}

async function callLarge(url: string, name: string): Promise<number | undefined> {
  const request: RawRequest = {
    method: 'tools/call',
    params: { name: 'large', arguments: {} },
    headers: as(name),
  };
  return (await readJson(await postModern(url, request))).error?.code;
}

describe.each(['modern', 'legacy'] as const)('answers that nobody reads (%s)', (era) => {
  it('[SEC-500] have a limit in bytes for each principal; they are counted until they have left', async () => {
    const rig = await openHttp();
    const url = await rig.serve({ verify }, addTools);
    const lines = await Promise.all(Array.from({ length: 20 }, () => openLine(url)));
    for (const { socket, send } of lines) {
      socket.pause();
      send(await toCall(url, { era, tool: 'large', name: 'mallory' }));
    }
    await until(async () => (await callLarge(url, 'mallory')) === -32029, { what: 'a refusal', timeoutMs: BUSY_MS });
    expect(await callLarge(url, 'ada')).toBeUndefined();
    for (const { socket } of lines) socket.destroy();
    const isServed = async () => (await callLarge(url, 'mallory')) === undefined;
    await until(isServed, { what: 'the answer when the others are gone', timeoutMs: BUSY_MS });
  }, 120_000);
});

describe('a standing stream that nobody reads', () => {
  it('[SEC-504] is closed when too much waits on it, and what was not told is told on the next', async () => {
    const rig = await openHttp();
    const url = await rig.serve({ verify }, addTools);
    const headers = await openSession(url, { headers: as('mallory') });
    const line = await openLine(url);
    line.send(toHead({ url, method: 'GET', headers: { ...headers, accept: 'text/event-stream' } }));
    await line.head();
    line.socket.pause();
    const begin = async (id: number) => {
      const params = { name: 'bulk', arguments: { id }, _meta: { 'holdfast/job': true } };
      return (await post(url, { body: { jsonrpc: '2.0', id, method: 'tools/call', params }, headers })).text();
    };
    for (let id = 0; id < 20; id++) expect(await begin(id)).toContain('job_id');
    // A call whose end was told is not held any more; fifteen such ends are too much for one stream.
    await until(async () => (await rig.holds()).length <= 6, { what: 'ends to be told', timeoutMs: BUSY_MS });
    expect(await callLarge(url, 'ada')).toBeUndefined();
    const frames = readFrames(await fetch(url, { headers: { ...headers, accept: 'text/event-stream' } }));
    expect((await frames.message()).method).toBe('notifications/tool_result');
    await until(async () => (await rig.holds()).length === 0 || (await frames.frame()) === '', {
      what: 'all to be told',
      timeoutMs: BUSY_MS,
    });
    expect(line.isClosed()).toBe(false);
  }, 120_000);
});

describe('a subscription to many tasks', () => {
  it('[SEC-503] tells how each of them ended, in turn and whatever waits', async () => {
    const rig = await openHttp();
    const url = await rig.serve({ verify, concurrency: 64 });
    const headers = as('ada');
    const begin = async (index: number) => {
      const params = { name: 'wait', arguments: {}, _meta: { 'holdfast/idempotencyKey': `k${index}` } };
      const response = await postModern(url, { method: 'tools/call', params, tasks: true, headers });
      return (await readJson(response)).result?.taskId as string;
    };
    const taskIds = await Promise.all(Array.from({ length: 40 }, (_, index) => begin(index)));
    const params = { notifications: { taskIds } };
    const frames = readFrames(await postModern(url, { method: 'subscriptions/listen', params, tasks: true, headers }));
    const open = new Set(taskIds);
    // All of them are told at first; only then do they end.
    const known = new Set<unknown>();
    while (known.size < taskIds.length) {
      const { method, params: told } = await frames.message();
      if (method === 'notifications/tasks') known.add(told?.taskId);
    }
    rig.open();
    while (open.size > 0) {
      const { params: told } = await frames.message();
      if (told?.status === 'completed') open.delete(told.taskId as string);
    }
  }, 120_000);
});

describe('requests behind another on one connection', () => {
  it.each(['modern', 'legacy'] as const)(
    '[SEC-501] give up their places when it closes (%s)',
    async (era) => {
      const rig = await openHttp();
      const http = { firstCommentMs: 1, keepAliveMs: 50, perPrincipal: { requests: 2 } };
      const url = await rig.serve({ verify, http }, addTools);
      const call = await toCall(url, { era, tool: 'stay', name: 'mallory' });
      const hasStatus = (status: number) => async () => {
        const response = await postModern(url, { method: 'tools/list', headers: as('mallory') });
        await response.text();
        return response.status === status;
      };
      const line = await openLine(url);
      // Node tells of the first alone that its connection is gone.
      line.send((await toCall(url, { era, tool: 'stay', name: 'ada' })) + call.repeat(2));
      await until(hasStatus(429), { what: 'two open requests', timeoutMs: BUSY_MS });
      line.socket.destroy();
      await until(hasStatus(200), { what: 'a place', timeoutMs: BUSY_MS });
      rig.open();
    },
    120_000,
  );
});
