/** Whose the tasks of a gateway are, and who finds them again. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createMemoryStore } from 'holdfast';
import { createGateway, type Gateway } from 'holdfast/gateway';
import { describe, expect, it, onTestFinished } from 'vitest';
import { type Message, openRawStdio, PLAIN_META } from '../e2e/raw-client.ts';
import { finish, readTask } from '../e2e/raw-task.ts';
import { foreign, type GatewaySite, openGateway } from './open-gateway.ts';

const handmade = foreign('handmade-server');
const PATIENCE = { timeoutMs: 60_000 };

const count = (site: GatewaySite, line: string) => site.runs().filter((one) => one === line).length;

/** The only task of a site. */
async function findTask(site: GatewaySite) {
  const { tasks } = await site.tasks.list();
  expect(tasks).toHaveLength(1);
  return tasks[0]?.taskId ?? '';
}

/** Waits until another client waits for a task. */
async function untilTakenOver(site: GatewaySite, taskId: string): Promise<void> {
  const signal = AbortSignal.timeout(PATIENCE.timeoutMs);
  for await (const { type } of site.tasks.watch(taskId, { signal })) if (type === 'taken-over') return;
}

describe('a task of a server that has tasks itself', () => {
  it('[GATE-214] is nobody else’s to see, to answer or to cancel', async () => {
    const dir = await mkdtemp(join(tmpdir(), 'holdfast-handles-'));
    const verify = ({ headers }: Request) => ({ issuer: 'test', subject: headers.get('authorization') ?? 'nobody' });
    const gateway = createGateway({
      upstream: foreign('host-sdk1-server')(dir),
      name: 'handles',
      store: createMemoryStore(),
      workers: 'inline',
      inlineMs: 0,
      verify,
    });
    onTestFinished(async () => {
      await gateway.close();
      await rm(dir, { recursive: true });
    });
    const ask = (who: string, method: string, params: object) => send(gateway, { who, method, params });
    const called = await ask('ada', 'tools/call', { name: 'long', arguments: { gate: 'a' } });
    const taskId = readTask(called);
    for (const method of ['tasks/get', 'tasks/cancel', 'tasks/update']) {
      const { error } = await ask('eve', method, { taskId, inputResponses: {} });
      expect(error).toMatchObject({ code: -32602, message: expect.stringMatching(/not found/i) });
    }
    expect((await ask('ada', 'tasks/get', { taskId })).result).toMatchObject({ status: 'working' });
    // The upstream's own name for it is nobody's business.
    expect(JSON.stringify(called)).not.toMatch(/upstream|host-sdk1/);
    await ask('ada', 'tasks/cancel', { taskId });
  });
});

const META = 'io.modelcontextprotocol/';
const ENVELOPE = {
  [`${META}protocolVersion`]: '2026-07-28',
  [`${META}clientInfo`]: { name: 'raw', version: '1' },
  [`${META}clientCapabilities`]: { extensions: { [`${META}tasks`]: {} } },
};

/** One request of 2026-07-28, by a principal of its own. */
async function send(gateway: Gateway, sent: { who: string; method: string; params: object }): Promise<Message> {
  const { who, method, params } = sent;
  const { name, taskId } = params as { name?: string; taskId?: string };
  const response = await gateway.fetch(
    new Request('http://localhost/mcp', {
      method: 'POST',
      headers: {
        authorization: who,
        host: 'localhost',
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        'mcp-protocol-version': '2026-07-28',
        'mcp-method': method,
        ...((name ?? taskId) && { 'mcp-name': name ?? taskId }),
      } as Record<string, string>,
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: { ...params, _meta: ENVELOPE } }),
    }),
  );
  const text = await response.text();
  const data = text.startsWith('{') ? text : (text.match(/^data: (\{.*"id":1.*)$/m)?.[1] ?? '{}');
  return JSON.parse(data) as Message;
}

describe('a call whose client is gone', () => {
  it('[GATE-215] is joined by the same call of the next client while it is under way', async () => {
    const site = await openGateway(handmade);
    const first = await openRawStdio(site, 'legacy');
    const params = { name: 'hold', arguments: { gate: 'a' } };
    first.request('tools/call', params).catch(() => {});
    await site.untilNoted('hold a');
    await first.kill();
    const second = await openRawStdio(site, 'legacy');
    const again = second.request('tools/call', params);
    await untilTakenOver(site, await findTask(site));
    await site.open('a');
    expect((await again).result?.content).toContainEqual({ type: 'text', text: 'a is open' });
    expect(count(site, 'hold a')).toBe(1);
    await findTask(site);
  });

  it('[GATE-216] gives its result to the next one when it ended while nobody was connected', async () => {
    const site = await openGateway(handmade);
    const first = await openRawStdio(site, 'legacy');
    const params = { name: 'hold', arguments: { gate: 'b' } };
    first.request('tools/call', params).catch(() => {});
    await site.untilNoted('hold b');
    const taskId = await findTask(site);
    await first.kill();
    await site.open('b');
    await site.tasks.outcome(taskId);
    await site.untilIdle();
    const second = await openRawStdio(site, 'legacy');
    const { content } = (await second.request('tools/call', params)).result ?? {};
    expect(content).toContainEqual({ type: 'text', text: 'b is open' });
    const third = await openRawStdio(site, 'modern');
    expect(await finish(third, taskId)).toEqual({ text: 'b is open' });
    expect(
      (await third.request('tools/call', { name: 'count', arguments: {}, _meta: PLAIN_META })).error,
    ).toBeUndefined();
    expect(count(site, 'hold b')).toBe(1);
  });
});
