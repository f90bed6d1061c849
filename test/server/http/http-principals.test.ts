import { describe, expect, it } from 'vitest';
import { openHttp, openSession, post, postModern, readFrames, readJson } from '../open-http.ts';

const WAIT = { method: 'tools/call', params: { name: 'wait', arguments: {} }, tasks: true };
const as = (name: string) => ({ authorization: `Bearer ${name}` });

function verify(request: Request) {
  const subject = /^Bearer (\w+)$/.exec(request.headers.get('authorization') ?? '')?.[1];
  return subject ? { issuer: 'https://id.example', subject } : undefined;
}

describe('with a verifier', () => {
  it('refuses those it does not know', async () => {
    const url = await (await openHttp()).serve({ verify });
    for (const response of [await postModern(url, WAIT), await fetch(url), await post(url, { body: '{' })]) {
      expect(response.status).toBe(401);
      expect(response.headers.get('www-authenticate')).toBe('Bearer');
    }
  });

  it('gives tasks to issuer and subject', async () => {
    const rig = await openHttp();
    const url = await rig.serve({ verify });
    const created = await readJson(await postModern(url, { ...WAIT, headers: as('ada') }));
    const taskId = await rig.onlyTask('["https://id.example","ada"]');
    expect(created.result?.taskId).toBe(taskId);
    rig.open();
  });

  it('answers for the task of another as for one that is not there', async () => {
    const rig = await openHttp();
    const url = await rig.serve({ verify });
    const { result } = await readJson(await postModern(url, { ...WAIT, headers: as('ada') }));
    const taskId = String(result?.taskId);
    const ask = async (method: string, id: string) => {
      const response = await postModern(url, { method, params: { taskId: id }, tasks: true, headers: as('bob') });
      return { status: response.status, body: await response.json() };
    };
    for (const method of ['tasks/get', 'tasks/update', 'tasks/cancel']) {
      const foreign = await ask(method, taskId);
      expect(foreign.body).toMatchObject({ error: { code: -32602 } });
      expect(foreign).toEqual(await ask(method, 'nothing'));
    }
    rig.open();
  });

  it('does not acknowledge the task of another on a subscription', async () => {
    const rig = await openHttp();
    const url = await rig.serve({ verify });
    const { result } = await readJson(await postModern(url, { ...WAIT, headers: as('ada') }));
    const taskId = String(result?.taskId);
    const listen = {
      method: 'subscriptions/listen',
      params: { notifications: { taskIds: [taskId] } },
      tasks: true,
    };
    const frames = readFrames(await postModern(url, { ...listen, headers: as('bob') }));
    expect((await frames.message()).params?.notifications).toEqual({});
    expect(await frames.message()).toMatchObject({ id: 1, result: { resultType: 'complete' } });
    rig.open();
  });

  it('keeps sessions apart, here and on other servers', async () => {
    const rig = await openHttp();
    const [first, second] = [await rig.serve({ verify }), await rig.serve({ verify })];
    const mine = await openSession(first, { headers: as('ada') });
    const body = { jsonrpc: '2.0', id: 1, method: 'tools/list' };
    for (const url of [first, second]) {
      expect((await post(url, { body, headers: { ...mine, ...as('bob') } })).status).toBe(404);
      expect((await post(url, { body, headers: mine })).status).toBe(200);
    }
  });

  it('does not let one answer the question of another', async () => {
    const rig = await openHttp();
    const url = await rig.serve({ verify });
    const ada = await openSession(url, { capabilities: { elicitation: {} }, headers: as('ada') });
    const bob = await openSession(url, { headers: as('bob') });
    const body = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'confirm', arguments: {} } };
    const frames = readFrames(await post(url, { body, headers: ada }));
    const { id } = await frames.message();
    const answer = (sure: boolean, headers: Record<string, string>) =>
      post(url, { body: { jsonrpc: '2.0', id, result: { action: 'accept', content: { sure } } }, headers });
    expect((await answer(false, bob)).status).toBe(202);
    expect((await answer(true, ada)).status).toBe(202);
    expect(await frames.message()).toMatchObject({ result: { content: [{ text: 'sure: true' }] } });
  });

  it('tells nothing of a verifier that fails, but to its own side', async () => {
    const rig = await openHttp();
    const url = await rig.serve({ verify: () => Promise.reject(new Error('secret: no connection to 10.0.0.7')) });
    const response = await postModern(url, WAIT);
    expect(response.status).toBe(500);
    expect(await response.text()).not.toContain('secret');
    expect(rig.takeErrors()).toMatchObject([{ message: 'secret: no connection to 10.0.0.7' }]);
  });
});
