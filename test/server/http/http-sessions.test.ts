import { untilStatus } from 'holdfast/testing';
import { describe, expect, it } from 'vitest';
import { openHttp, openSession, post, readFrames } from '../open-http.ts';

const LIST = { jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} };
const CAPABILITIES = { elicitation: { form: {} } };
const call = (name: string, args = {}) => ({
  jsonrpc: '2.0',
  id: 2,
  method: 'tools/call',
  params: { name, arguments: args },
});

describe('a session', () => {
  it('is taken up by another server on the same store, without a handshake', async () => {
    const rig = await openHttp();
    const [first, second] = [await rig.serve(), await rig.serve()];
    const headers = await openSession(first);
    const response = await post(second, { body: LIST, headers });
    expect(response.status).toBe(200);
    expect(await response.text()).toContain('"greet"');
    expect(await (await post(first, { body: LIST, headers })).text()).toContain('"greet"');
  });

  it('is taken up by many requests at once', async () => {
    const rig = await openHttp();
    const [first, second] = [await rig.serve(), await rig.serve()];
    const headers = await openSession(first);
    const answers = await Promise.all(
      [1, 2, 3, 4].map(async (b) => {
        const body = { ...call('add', { a: 1, b }), id: b };
        return readFrames(await post(second, { body, headers })).message();
      }),
    );
    expect(answers.map(({ id }) => id)).toEqual([1, 2, 3, 4]);
  });

  it('lets another server record the answer to a question, which the first hears of', async () => {
    const rig = await openHttp();
    const [first, second] = [await rig.serve(), await rig.serve()];
    const headers = await openSession(first, { capabilities: CAPABILITIES });
    const frames = readFrames(await post(first, { body: call('confirm'), headers }));
    const question = await frames.message();
    expect(question).toMatchObject({ method: 'elicitation/create', params: { message: 'Sure?' } });
    expect(question.id).toBe(`holdfast:${await rig.onlyTask()}:q1`);
    const result = { action: 'accept', content: { sure: true } };
    const answered = await post(second, { body: { jsonrpc: '2.0', id: question.id, result }, headers });
    expect(answered.status).toBe(202);
    expect(await frames.message()).toMatchObject({ id: 2, result: { content: [{ text: 'sure: true' }] } });
  });

  it('is remembered with what its client can do: a held call through another server asks too', async () => {
    const rig = await openHttp();
    const [first, second] = [await rig.serve(), await rig.serve()];
    const headers = await openSession(first, { capabilities: CAPABILITIES });
    const frames = readFrames(await post(second, { body: call('confirm'), headers }));
    expect(await frames.message()).toMatchObject({ method: 'elicitation/create' });
  });

  it('is asked again when its answer is none, and the next is taken', async () => {
    const rig = await openHttp();
    const url = await rig.serve();
    const headers = await openSession(url, { capabilities: CAPABILITIES });
    const frames = readFrames(await post(url, { body: call('confirm'), headers }));
    const { id } = await frames.message();
    const answer = (result: object) => post(url, { body: { jsonrpc: '2.0', id, result }, headers });
    expect((await answer({ action: 'perhaps' })).status).toBe(400);
    expect((await answer({ action: 'accept', content: { sure: 'very' } })).status).toBe(400);
    expect((await answer({ action: 'accept', content: { sure: false } })).status).toBe(202);
    expect((await answer({ action: 'accept', content: { sure: true } })).status).toBe(202);
    const again = { id: String(id).replace('holdfast', 'holdfast/2'), method: 'elicitation/create' };
    expect(await frames.message()).toMatchObject(again);
    expect(await frames.message()).toMatchObject({ result: { content: [{ text: 'sure: false' }] } });
  });

  it('is handed over with its question when its client answers with an error', async () => {
    const rig = await openHttp();
    const url = await rig.serve();
    const headers = await openSession(url, { capabilities: CAPABILITIES });
    const frames = readFrames(await post(url, { body: call('confirm'), headers }));
    const { id } = await frames.message();
    const error = { code: -32603, message: 'no user here' };
    expect((await post(url, { body: { jsonrpc: '2.0', id, error }, headers })).status).toBe(202);
    const handed = { content: [{ text: expect.stringContaining('It asks: Sure?') }] };
    expect(await frames.message()).toMatchObject({ id: 2, result: handed });
    await untilStatus(rig.tasks, await rig.onlyTask(), 'input_required');
  });

  it('is unknown when its id was made up or changed', async () => {
    const url = await (await openHttp()).serve();
    const { 'mcp-session-id': sessionId = '' } = await openSession(url);
    const [record = '', seal = ''] = sessionId.split('.');
    const forged = Buffer.from(Buffer.from(record, 'base64url').toString().replace('local', 'admin'));
    for (const id of ['nonsense', `${record}.`, `${forged.toString('base64url')}.${seal}`, `${sessionId}.x`]) {
      const response = await post(url, { body: LIST, headers: { 'mcp-session-id': id } });
      expect(response.status, id).toBe(404);
      expect(await response.json()).toMatchObject({ error: { code: -32001 } });
    }
  });

  it('is over when its client ends it', async () => {
    const url = await (await openHttp()).serve();
    const headers = await openSession(url);
    expect((await fetch(url, { method: 'DELETE', headers })).status).toBe(200);
    expect((await post(url, { body: LIST, headers })).status).toBe(404);
  });

  it('is needed for everything but the handshake', async () => {
    const url = await (await openHttp()).serve();
    expect((await post(url, { body: LIST })).status).toBe(400);
    expect((await fetch(url, { headers: { accept: 'text/event-stream' } })).status).toBe(400);
    const bad = await post(url, { body: { jsonrpc: '2.0', id: 5, method: 'initialize', params: { capabilities: 1 } } });
    expect(bad.status).toBe(400);
    expect(await bad.json()).toMatchObject({ id: 5, error: { code: -32602 } });
  });

  it('gives its standing stream to the client that comes back for it', async () => {
    const url = await (await openHttp()).serve();
    const headers = { ...(await openSession(url)), accept: 'text/event-stream' };
    const lost = readFrames(await fetch(url, { headers }));
    const again = await fetch(url, { headers });
    expect(again.status).toBe(200);
    expect(await lost.isDone()).toBe(true);
    await again.body?.cancel();
  });

  it('has an id that fits a header, however much its client says of itself', async () => {
    const rig = await openHttp();
    const [first, second] = [await rig.serve(), await rig.serve()];
    const capabilities = { ...CAPABILITIES, experimental: { long: { text: 'x'.repeat(20_000) } } };
    const headers = await openSession(first, { capabilities });
    expect(headers['mcp-session-id']?.length).toBeLessThan(4096);
    const frames = readFrames(await post(second, { body: call('confirm'), headers }));
    expect(await frames.message()).toMatchObject({ method: 'elicitation/create' });
  });

  it('is asked on its standing stream, even when that is opened after the question', async () => {
    const rig = await openHttp();
    const url = await rig.serve();
    const headers = await openSession(url, { capabilities: CAPABILITIES });
    const body = { ...call('confirm'), params: { name: 'confirm', arguments: {}, task: {} } };
    await post(url, { body, headers }).then((response) => response.text());
    const taskId = await rig.onlyTask();
    await untilStatus(rig.tasks, taskId, 'input_required');
    const frames = readFrames(await fetch(url, { headers: { ...headers, accept: 'text/event-stream' } }));
    let question = await frames.message();
    while (question.method !== 'elicitation/create') question = await frames.message();
    expect(question.id).toBe(`holdfast:${taskId}:q1`);
    const result = { action: 'accept', content: { sure: true } };
    await post(url, { body: { jsonrpc: '2.0', id: question.id, result }, headers });
    await untilStatus(rig.tasks, taskId, 'completed');
  });
});
