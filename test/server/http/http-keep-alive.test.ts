import { describe, expect, it } from 'vitest';
import { openHttp, openSession, post, postModern, readFrames } from '../open-http.ts';

const WAIT = { method: 'tools/call', params: { name: 'wait', arguments: {} } };
const FAST = { http: { firstCommentMs: 20, keepAliveMs: 20 } };
const COMMENT = ': keepalive';

describe('an answer that takes its time', () => {
  it('is sent as plain JSON when it comes early enough (modern)', async () => {
    const url = await (await openHttp()).serve();
    const response = await postModern(url, {
      method: 'tools/call',
      params: { name: 'add', arguments: { a: 1, b: 2 } },
    });
    expect(response.headers.get('content-type')).toBe('application/json');
    expect(await response.json()).toMatchObject({ id: 1, result: { content: [{ text: '3' }] } });
  });

  it('follows comments on an event stream when it comes later (modern)', async () => {
    const rig = await openHttp();
    const frames = readFrames(await postModern(await rig.serve(FAST), WAIT));
    expect(await frames.frame()).toBe(COMMENT);
    expect(await frames.frame()).toBe(COMMENT);
    rig.open();
    expect(await frames.message()).toMatchObject({ id: 1, result: { content: [{ text: 'waited' }] } });
    expect(await frames.isDone()).toBe(true);
  });

  it('comes after progress and comments when the client asked for progress (modern)', async () => {
    const rig = await openHttp();
    const params = { ...WAIT.params, _meta: { progressToken: 'p' } };
    const url = await rig.serve(FAST);
    const response = await postModern(url, { method: 'tools/call', params });
    const frames = readFrames(response);
    expect(await frames.message()).toMatchObject({ method: 'notifications/progress', params: { progress: 0.5 } });
    expect(await frames.frame()).toBe(COMMENT);
    rig.open();
    expect(await frames.message()).toMatchObject({ result: { content: [{ text: 'waited' }] } });
  });

  it('follows comments on its stream (legacy)', async () => {
    const rig = await openHttp();
    const url = await rig.serve(FAST);
    const headers = await openSession(url);
    const frames = readFrames(await post(url, { body: { jsonrpc: '2.0', id: 1, ...WAIT }, headers }));
    const first = [await frames.frame(), await frames.frame(), await frames.frame()];
    // One of them may say where the stream can be resumed.
    expect(first.filter((frame) => frame === COMMENT).length).toBeGreaterThanOrEqual(2);
    rig.open();
    expect(await frames.message()).toMatchObject({ id: 1, result: { content: [{ text: 'waited' }] } });
    expect(await frames.isDone()).toBe(true);
  });

  it('does not leave the standing stream of a session silent', async () => {
    const url = await (await openHttp()).serve(FAST);
    const headers = { ...(await openSession(url)), accept: 'text/event-stream' };
    const frames = readFrames(await fetch(url, { headers }));
    expect(await frames.frame()).toBe(COMMENT);
    expect(await frames.frame()).toBe(COMMENT);
  });
});
