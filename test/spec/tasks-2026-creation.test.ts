import { describe, expect, it } from 'vitest';
import { openHttp, openSession, post, readFrames } from '../server/open-http.ts';
import { ACK, addSpecTools, EXTENSION, named, openModern, REQUIRED, speakModern } from './open-2026.ts';
import { openPipe } from './open-stdio-2026.ts';

const WAIT = { name: 'wait', arguments: {} };

describe('who gets a task', () => {
  it('[T26-01] discovery names the extension, without settings', async () => {
    const { ask } = await openModern();
    expect((await ask('server/discover')).capabilities).toMatchObject({ extensions: EXTENSION });
  });

  it('[T26-02] nothing of the older tasks is advertised: no capability, no execution on tools', async () => {
    const { ask } = await openModern();
    expect((await ask('server/discover')).capabilities).not.toHaveProperty('tasks');
    const { tools } = await ask('tools/list');
    for (const tool of tools as object[]) expect(tool).not.toHaveProperty('execution');
  });

  it('[T26-03] a request without the extension gets the final result, whatever was declared before', async () => {
    const { start, open, send } = await openModern();
    await start('wait');
    open();
    const { answer } = await send('tools/call', WAIT, { tasks: false });
    expect(answer.result).toMatchObject({ resultType: 'complete', content: [{ text: 'waited' }] });
  });

  it('[T26-03] on one stdio connection too, each request speaks for itself', async () => {
    const { ask } = await openPipe();
    const call = { name: 'render', arguments: { ms: 1500 } };
    expect((await ask('tools/call', call)).result).toMatchObject({ resultType: 'task' });
    const { result } = await ask('tools/call', { ...call, capabilities: {} });
    expect(result).toMatchObject({ resultType: 'complete', content: [{ text: 'report rendered' }] });
  });

  it('[T26-04] the capability of the older tasks declares nothing here', async () => {
    const { open, send } = await openModern();
    const capabilities = { tasks: { requests: { tools: { call: {} } } } };
    expect((await send('tools/call', { name: 'always' }, { tasks: false, capabilities })).answer).toMatchObject({
      error: { code: -32021 },
    });
    open();
    expect((await send('tools/call', WAIT, { tasks: false, capabilities })).answer.result).toMatchObject({
      resultType: 'complete',
    });
  });

  it('[T26-05] the extension declared in a session of 2025-11-25 is ignored', async () => {
    const rig = await openHttp();
    const url = await rig.serve();
    const headers = await openSession(url, { capabilities: { extensions: EXTENSION } });
    rig.open();
    const body = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: WAIT };
    const frames = readFrames(await post(url, { body, headers }));
    const { result } = await frames.message();
    expect(result).toMatchObject({ content: [{ text: 'waited' }] });
    expect(result).not.toHaveProperty('taskId');
    expect(result).not.toHaveProperty('resultType');
  });

  it('[T26-06] a tool that is always a task says which capability is missing, and does no work', async () => {
    const { send, tasks } = await openModern();
    const { status, answer } = await send('tools/call', { name: 'always' }, { tasks: false });
    expect(status).toBe(400);
    expect(answer.error).toMatchObject({ code: -32021, data: REQUIRED });
    expect((await tasks.list()).tasks).toEqual([]);
  });

  it('[T26-13] params.task asks for nothing, whatever it holds', async () => {
    const { ask, tasks } = await openModern();
    for (const task of [{}, { ttl: 60_000 }, 7, 'yes', null]) {
      const result = await ask('tools/call', { name: 'add', arguments: { a: 1, b: 2 }, task });
      expect(result).toMatchObject({ resultType: 'complete', content: [{ text: '3' }] });
    }
    const created = await ask('tools/call', { name: 'always', task: { ttl: 1 } });
    expect((await tasks.get(String(created.taskId))).ttlMs).toBe(3_600_000);
  });
});

describe('the answer that hands out a task', () => {
  it('[T26-07] is marked as one, flat, and carries no outcome', async () => {
    const { ask, open } = await openModern();
    // What the work has said by then may be told too.
    const { statusMessage = 'waiting', ...created } = await ask('tools/call', WAIT);
    expect(statusMessage).toBe('waiting');
    expect(created).toEqual({
      resultType: 'task',
      taskId: expect.any(String),
      status: 'working',
      createdAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
      lastUpdatedAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
      ttlMs: null,
      pollIntervalMs: expect.any(Number),
      _meta: ACK._meta,
    });
    expect(Number.isInteger(created.pollIntervalMs)).toBe(true);
    open();
  });

  it('[T26-08] no other result is marked as a task', async () => {
    const { ask, start, open } = await openModern();
    const taskId = await start('wait');
    open();
    const others = [
      await ask('server/discover'),
      await ask('tools/list'),
      await ask('tools/call', { name: 'add', arguments: { a: 1, b: 2 } }),
      await ask('tasks/get', { taskId }),
      await ask('tasks/update', { taskId, inputResponses: {} }),
      await ask('tasks/cancel', { taskId }),
    ];
    expect(others.map(({ resultType }) => resultType)).toEqual(others.map(() => 'complete'));
  });

  it('[T26-09] only tools/call ever makes a task', async () => {
    const { ask, tasks } = await openModern();
    await ask('prompts/list');
    const prompt = await ask('prompts/get', { name: 'hello' });
    const page = await ask('resources/read', { uri: 'test://page' }, { headers: { 'mcp-name': 'test://page' } });
    expect([prompt.resultType, page.resultType]).toEqual(['complete', 'complete']);
    expect((await tasks.list()).tasks).toEqual([]);
  });

  it('[T26-10] leaves only when the task is on disk: a kill right after it loses nothing', async () => {
    const first = await openPipe();
    first.send(1, 'tools/call', { name: 'render', arguments: { ms: 1500 } });
    const { result } = await first.answer(1);
    await first.kill();
    const next = await openPipe({ site: first.site });
    const { result: found } = await next.ask('tasks/get', { taskId: result?.taskId });
    expect(found).toMatchObject({ taskId: result?.taskId, createdAt: result?.createdAt });
  });

  it('[T26-11] can be used at once, with any server on the store', async () => {
    const first = await openModern();
    const second = speakModern(first, await first.serve({}, addSpecTools));
    const ids = await Promise.all(Array.from({ length: 8 }, () => first.start('always')));
    const found = await Promise.all(ids.map((taskId) => second.get(taskId)));
    expect(found.map(({ taskId }) => taskId)).toEqual(ids);
  });

  it('[T26-14] has an id that nobody can guess from others', async () => {
    const { start } = await openModern();
    const ids = await Promise.all(Array.from({ length: 32 }, () => start('always')));
    const random = ids.map((id) => id.slice(-26));
    expect(new Set(random).size).toBe(32);
    // 26 places of 32 values are 130 bits; 32 ids leave no place with few values unless it is not random.
    for (let place = 0; place < 26; place++) {
      const values = new Set(random.map((text) => text[place]));
      expect(values.size).toBeGreaterThan(8);
      for (const value of values) expect(value).toMatch(/[0-9a-v]/);
    }
  });

  it('[T26-15] has no time to live while the work goes on, and a whole number of ms afterwards', async () => {
    const { start, get, open, untilStatus } = await openModern();
    const taskId = await start('wait');
    expect((await get(taskId)).ttlMs).toBeNull();
    open();
    const { ttlMs } = await untilStatus(taskId, 'completed');
    expect(Number.isInteger(ttlMs)).toBe(true);
    expect(ttlMs).toBeGreaterThanOrEqual(3_600_000);
  });
});

describe('questions before a task is made', () => {
  it('[T26-12] are all answered on the call itself, and only then is there a task', async () => {
    const { ask, tasks, untilStatus } = await openModern();
    const first = await ask('tools/call', { name: 'upfront' });
    expect(first).toMatchObject({
      resultType: 'input_required',
      inputRequests: { who: { params: { message: 'Who?' } } },
    });
    expect((await tasks.list()).tasks).toEqual([]);
    const { requestState } = first;
    const again = await ask('tools/call', { name: 'upfront', requestState, inputResponses: {} });
    expect(again.resultType).toBe('input_required');
    const inputResponses = { who: named('Ada') };
    const created = await ask('tools/call', { name: 'upfront', requestState, inputResponses });
    expect(created.resultType).toBe('task');
    expect(created).not.toHaveProperty('requestState');
    expect(await untilStatus(String(created.taskId), 'completed')).toMatchObject({
      result: { content: [{ text: 'Hello, Ada' }] },
    });
  });

  it('[T26-16] are not asked of a client that cannot answer them', async () => {
    const { send, tasks } = await openModern();
    const { status, answer } = await send('tools/call', { name: 'upfront' }, { capabilities: { sampling: {} } });
    expect(status).toBe(400);
    expect(answer.error).toMatchObject({ code: -32021, data: { requiredCapabilities: { elicitation: {} } } });
    expect((await tasks.list()).tasks).toEqual([]);
  });
});

describe('the state that a client carries between two tries', () => {
  const as = (name: string) => ({ headers: { authorization: `Bearer ${name}` } });
  const verify = (request: Request) => ({
    issuer: 'https://id.example',
    subject: request.headers.get('authorization') ?? '',
  });

  it('[T26-17] is refused when it was changed, made up, or belongs to another call or caller', async () => {
    const { ask, send } = await openModern({ verify });
    const { requestState } = await ask('tools/call', { name: 'upfront' }, as('ada'));
    const retry = async (changes: object, who = 'ada') => {
      const params = { name: 'upfront', requestState, inputResponses: { who: named('Ada') }, ...changes };
      return (await send('tools/call', params, as(who))).answer;
    };
    for (const wrong of [`${requestState}x`, `x${requestState}`, 'made.up', '']) {
      expect(await retry({ requestState: wrong })).toMatchObject({ error: { code: -32602 } });
    }
    expect(await retry({ arguments: { other: true } })).toMatchObject({ error: { code: -32602 } });
    expect(await retry({}, 'bob')).toMatchObject({ error: { code: -32602 } });
    expect(await retry({})).toMatchObject({ result: { resultType: 'task' } });
  });

  it('[T26-18] is refused when it has become old', async () => {
    const { ask, send } = await openModern({ unansweredMs: 0 });
    const { requestState } = await ask('tools/call', { name: 'upfront' });
    const params = { name: 'upfront', requestState, inputResponses: { who: named('Ada') } };
    expect((await send('tools/call', params)).answer).toMatchObject({
      error: { code: -32602, message: expect.stringContaining('expired') },
    });
  });
});
