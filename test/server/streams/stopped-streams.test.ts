import { describe, expect, it } from 'vitest';
import { openSession, post, postModern } from '../open-http.ts';
import { callOnLine, openLines, resumeStream, toSteps } from '../open-line.ts';
import { callModern, textOf } from '../plain-client.ts';

const STEPS = { name: 'steps' };
const LIST = { jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} };
const call = { method: 'tools/call', params: { name: 'steps', arguments: {} } };

describe('a server that is closed', () => {
  it('[HOSTS-265] ends the stream of a held call with an id and a time to come back, and the next server goes on', async () => {
    const { rig, serve, step, runs } = await openLines();
    const [first, second] = [await serve(), await serve()];
    const headers = await openSession(first);
    const line = await callOnLine(first, headers, STEPS);
    await line.next();
    const stopping = rig.stop(first);
    const last = (await line.rest()).at(-1);
    expect(last).toEqual({ id: expect.any(String), retry: 4000, data: '' });
    step(4);
    await stopping;
    const rest = await (await resumeStream(second, headers, last?.id)).rest();
    expect(toSteps(rest)).toEqual(['step 1', 'step 2', 'step 3']);
    expect(rest.at(-1)?.message).toMatchObject({ id: 7, result: { content: [{ text: 'a stepped' }] } });
    expect(runs).toEqual(['a']);
  });

  it('[HOSTS-265] ends the standing stream of a session with a time to come back', async () => {
    const { rig, serve } = await openLines();
    const url = await serve({ http: { retryMs: 700 } });
    const headers = { ...(await openSession(url)), accept: 'text/event-stream' };
    const standing = await fetch(url, { headers });
    await rig.stop(url);
    expect((await standing.text()).trimEnd().split('\n\n').at(-1)).toBe('retry: 1400');
  });

  it('[HOSTS-266] refuses what comes after with 503, and asks for another connection', async () => {
    const { rig, serve } = await openLines();
    const url = await serve();
    const headers = await openSession(url);
    await rig.stop(url);
    for (const refused of [await post(url, { body: LIST, headers }), await postModern(url, call)]) {
      expect(refused.status).toBe(503);
      expect(refused.headers.get('retry-after')).toBe('2');
      expect(refused.headers.get('connection')).toBe('close');
      await refused.text();
    }
  });

  it('[HOSTS-267] hands held calls of 2026-07-28 over, whose streams cannot be resumed', async () => {
    const { rig, serve, step, runs } = await openLines();
    const [first, second] = [await serve(), await serve()];
    const answering = callModern(first, 'steps');
    const task_id = await rig.onlyTask();
    const stopping = rig.stop(first);
    expect(textOf(await answering)).toContain(`task_wait with {"task_id":"${task_id}"`);
    step(4);
    await stopping;
    expect(textOf(await callModern(second, 'task_wait', { args: { task_id } }))).toBe('a stepped');
    expect(runs).toEqual(['a']);
  });
});

describe('streams of 2026-07-28', () => {
  it('[HOSTS-268] carry no ids, because that revision has no way to resume them', async () => {
    const { serve, step } = await openLines();
    const url = await serve({ http: { firstCommentMs: 1, keepAliveMs: 20 } });
    const answering = postModern(url, { ...call, params: { ...call.params, _meta: { progressToken: 'p' } } });
    step(4);
    const text = await (await answering).text();
    expect(text).toContain('a stepped');
    expect(text).not.toMatch(/^(id|retry):/m);
  });
});

describe('the time after which a stream is resumed', () => {
  it.each([0, -1, 1.5, '1000'])('[HOSTS-269] cannot be %j', async (retryMs) => {
    const { serve } = await openLines();
    await expect(serve({ http: { retryMs: retryMs as number } })).rejects.toThrow(
      `http.retryMs is ${JSON.stringify(retryMs)}; expected a whole number from 1 up`,
    );
  });
});
