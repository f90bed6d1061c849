import { untilStatus } from 'holdfast/testing';
import { describe, expect, it } from 'vitest';
import { openHttp, openSession, post, postModern } from '../open-http.ts';

const WAIT = { method: 'tools/call', params: { name: 'wait', arguments: {} } };

type Send = (url: string, signal: AbortSignal) => Promise<unknown>;

const sendModern: Send = (url, signal) => postModern(url, { ...WAIT, signal });

const sendLegacy: Send = async (url, signal) => {
  const headers = await openSession(url);
  return (await post(url, { body: { jsonrpc: '2.0', id: 1, ...WAIT }, headers, signal })).text();
};

describe.each([
  ['modern, before its stream is open', sendModern, 5000],
  ['modern, on its stream', sendModern, 5],
  ['legacy, while silent', sendLegacy, 5000],
  ['legacy, between comments', sendLegacy, 5],
] as const)('a client that goes away from a held call (%s)', (_, send, firstCommentMs) => {
  const http = { firstCommentMs, keepAliveMs: 5000 };

  it('leaves it unattended, and it is cancelled after the grace time', async () => {
    const rig = await openHttp();
    const url = await rig.serve({ http, unattendedMs: 1 });
    const leaving = new AbortController();
    const sending = send(url, leaving.signal).then((response) => (response instanceof Response ? response.text() : ''));
    const taskId = await rig.onlyTask();
    await untilStatus(rig.tasks, taskId, 'working');
    leaving.abort();
    await expect(sending).rejects.toThrow();
    expect(await untilStatus(rig.tasks, taskId, 'cancelled')).toMatchObject({
      outcome: { kind: 'cancelled', reason: 'its client went away and did not come back' },
    });
  });

  it('does not stop the work within the grace time', async () => {
    const rig = await openHttp();
    const url = await rig.serve({ http });
    const leaving = new AbortController();
    const sending = send(url, leaving.signal).then((response) => (response instanceof Response ? response.text() : ''));
    const taskId = await rig.onlyTask();
    await untilStatus(rig.tasks, taskId, 'working');
    leaving.abort();
    await expect(sending).rejects.toThrow();
    rig.open();
    await untilStatus(rig.tasks, taskId, 'completed');
  });
});

describe('a legacy client that cancels a held call', () => {
  it('ends the task at once, with its reason, and the stream of the call', async () => {
    const rig = await openHttp();
    const url = await rig.serve();
    const headers = await openSession(url);
    const calling = post(url, { body: { jsonrpc: '2.0', id: 7, ...WAIT }, headers });
    const taskId = await rig.onlyTask();
    const params = { requestId: 7, reason: 'not needed' };
    const body = { jsonrpc: '2.0', method: 'notifications/cancelled', params };
    expect((await post(url, { body, headers })).status).toBe(202);
    expect(await untilStatus(rig.tasks, taskId, 'cancelled')).toMatchObject({ outcome: { reason: 'not needed' } });
    expect(await (await calling).text()).not.toContain('"result"');
  });

  it('may cancel what has been answered, and twice', async () => {
    const rig = await openHttp();
    const url = await rig.serve();
    const headers = await openSession(url);
    const call = { method: 'tools/call', params: { name: 'add', arguments: { a: 1, b: 1 } } };
    expect(await (await post(url, { body: { jsonrpc: '2.0', id: 7, ...call }, headers })).text()).toContain('"2"');
    const body = { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 7 } };
    for (const _ of [1, 2]) expect((await post(url, { body, headers })).status).toBe(202);
    await untilStatus(rig.tasks, await rig.onlyTask(), 'completed');
  });
});
