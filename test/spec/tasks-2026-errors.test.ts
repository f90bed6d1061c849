import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openSqliteStore } from 'holdfast';
import { describe, expect, it, onTestFinished } from 'vitest';
import { postModern, readFrames } from '../server/open-http.ts';
import { named, openModern, REQUIRED } from './open-2026.ts';
import { openPipe } from './open-stdio-2026.ts';

const METHODS = ['tasks/get', 'tasks/update', 'tasks/cancel'];

describe('errors of task requests', () => {
  it.each(METHODS)('[T26-55] %s without the extension is -32021, for a task that is there too', async (method) => {
    const { start, send, get, open } = await openModern();
    const taskId = await start('wait');
    for (const id of [taskId, 'nothing']) {
      const { status, answer } = await send(method, { taskId: id, inputResponses: {} }, { tasks: false });
      expect(status).toBe(400);
      expect(answer.error).toMatchObject({ code: -32021, data: REQUIRED });
    }
    expect((await get(taskId)).status).toBe('working');
    open();
  });

  it.each(['tasks/result', 'tasks/list'])('[T26-56] %s is no method any more', async (method) => {
    const { start, send, open } = await openModern();
    const { status, answer } = await send(method, { taskId: await start('wait') });
    expect({ status, code: answer.error?.code }).toEqual({ status: 404, code: -32601 });
    open();
    const pipe = await openPipe();
    expect((await pipe.ask(method, { taskId: 'x' })).error).toMatchObject({ code: -32601 });
  });

  it.each(METHODS)('[T26-57] %s for the task of another caller answers as if there were none', async (method) => {
    const { start, send, get, open } = await openModern({
      verify: (request) => ({ issuer: 'https://id.example', subject: request.headers.get('authorization') ?? '' }),
    });
    const as = (name: string) => ({ headers: { authorization: `Bearer ${name}` } });
    const taskId = await start('wait', {}, as('ada'));
    const request = (id: string) => send(method, { taskId: id, inputResponses: { q1: named('Eve') } }, as('bob'));
    const foreign = await request(taskId);
    expect(foreign.answer.error?.code).toBe(-32602);
    expect(foreign).toEqual(await request('nothing'));
    expect((await get(taskId, as('ada'))).status).toBe('working');
    open();
  });

  it('[T26-57] a subscription to the task of another caller hears nothing of it', async () => {
    const modern = await openModern({
      verify: (request) => ({ issuer: 'https://id.example', subject: request.headers.get('authorization') ?? '' }),
    });
    const taskId = await modern.start('wait', {}, { headers: { authorization: 'Bearer ada' } });
    const listen = { method: 'subscriptions/listen', params: { notifications: { taskIds: [taskId] } }, tasks: true };
    const headers = { authorization: 'Bearer bob' };
    const frames = readFrames(await postModern(modern.url, { ...listen, headers }));
    expect((await frames.message()).params?.notifications).toEqual({});
    expect(await frames.message()).toMatchObject({ id: 1, result: { resultType: 'complete' } });
    modern.open();
  });

  it('[T26-58] a fault of the server is -32603', async () => {
    const dir = await mkdtemp(join(tmpdir(), 'holdfast-spec-'));
    onTestFinished(() => rm(dir, { recursive: true }));
    const store = await openSqliteStore({ path: join(dir, 'tasks.db') });
    const { start, send, untilStatus } = await openModern({ store, onError: () => {} });
    const taskId = await start('always');
    await untilStatus(taskId, 'completed');
    await store.close();
    for (const method of METHODS) {
      const { answer } = await send(method, { taskId, inputResponses: {} });
      expect(answer.error).toMatchObject({ code: -32603, message: expect.stringContaining('closed') });
    }
  });
});

describe('routing headers', () => {
  it.each(METHODS)('[T26-59] %s with the name of another task in its header is refused', async (method) => {
    const { start, send, get, open } = await openModern();
    const taskId = await start('wait');
    const params = { taskId, inputResponses: {} };
    const { status, answer } = await send(method, params, { headers: { 'mcp-name': 'other' } });
    expect({ status, code: answer.error?.code }).toEqual({ status: 400, code: -32020 });
    expect((await get(taskId)).status).toBe('working');
    open();
  });

  it.each(METHODS)('[T26-60] %s with another method in its header is refused', async (method) => {
    const { start, send, get, open } = await openModern();
    const taskId = await start('wait');
    const params = { taskId, inputResponses: {} };
    const { status, answer } = await send(method, params, { headers: { 'mcp-method': 'tools/call' } });
    expect({ status, code: answer.error?.code }).toEqual({ status: 400, code: -32020 });
    expect((await get(taskId)).status).toBe('working');
    open();
  });
});
