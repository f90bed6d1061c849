/** Links to one question: what they open, for how long, and what they do not open. */
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createEngine, createMemoryStore } from 'holdfast';
import { createDashboard, type DashboardOptions } from 'holdfast/dashboard';
import { until } from 'holdfast/testing';
import { describe, expect, it, onTestFinished } from 'vitest';
import { z } from 'zod';

const HERE = 'http://127.0.0.1:4399';
const DASHBOARD = 'a-token-of-this-test';
const BEARER = { authorization: `Bearer ${DASHBOARD}` };
const ORIGIN = { origin: HERE };

type Asks = { ask: (question: object) => Promise<unknown> };

async function openRig(options: DashboardOptions = { token: DASHBOARD }) {
  const engine = await createEngine({
    name: 'links',
    store: createMemoryStore(),
    workers: 'inline',
    // Questions that still wait when a test ends are not waited for.
    shutdownGraceMs: 100,
    tools: {
      ask: {
        run: async (args: unknown, task: Asks) => {
          const first = task.ask({ key: 'sure', message: 'Sure?', schema: z.object({ ok: z.boolean() }) });
          const second = task.ask({ key: 'why', message: 'Why?', schema: z.object({ why: z.string() }) });
          return { args, answers: await Promise.all([first, second]) };
        },
      },
      sample: { run: (_: unknown, task: Asks) => task.ask({ key: 'model', sampling: { messages: [], maxTokens: 1 } }) },
    } as never,
  });
  await engine.start();
  const open = (more: DashboardOptions = options) => {
    const dashboard = createDashboard(engine, more);
    onTestFinished(() => dashboard.close());
    return dashboard;
  };
  onTestFinished(() => engine.close());
  const dashboard = open();
  const send = (path: string, init: RequestInit = {}, to = dashboard) => to.fetch(new Request(`${HERE}${path}`, init));
  const post = (path: string, body: object, { headers = ORIGIN as Record<string, string>, to = dashboard } = {}) => {
    const init = { method: 'POST', headers: { 'content-type': 'application/json', ...headers } };
    return send(path, { ...init, body: JSON.stringify(body) }, to);
  };
  const waitFor = async (taskId: string, count: number) =>
    until(async () => (await engine.get(taskId)).questions.length === count, { what: 'its questions' });
  const submit = async (tool = 'ask', count = 2) => {
    const { taskId } = (await engine.submit(tool, { secret: 'of the task' } as never)).task;
    await waitFor(taskId, count);
    return taskId;
  };
  const link = async (taskId: string, key = 'sure') => {
    const { path } = (await (await post(`/api/tasks/${taskId}/link`, { key }, { headers: BEARER })).json()) as {
      path: string;
    };
    return path.slice('answer/#'.length);
  };
  const look = async (token: unknown, to = dashboard) =>
    (await post('/answer/api/look', { token: token as string }, { to })).json();
  const answer = (token: string, body: object) => post('/answer/api/answer', { token, ...body });
  return { engine, dashboard, open, send, post, submit, link, look, answer };
}

describe('a link to one question', () => {
  it('[SAND-270] shows the question and nothing else of its task, and takes one answer', async () => {
    const { engine, submit, link, look, answer } = await openRig();
    const taskId = await submit();
    const token = await link(taskId);
    expect(token).toMatch(/^[\w-]{43}$/);
    const shown = await look(token);
    expect(shown).toEqual({
      state: 'open',
      question: { key: 'sure', request: { kind: 'form', message: 'Sure?', schema: expect.anything() } },
    });
    const text = JSON.stringify(shown);
    for (const other of [taskId, 'secret', 'of the task', 'Why?']) expect(text).not.toContain(other);
    // What is not of the schema uses nothing up.
    expect((await answer(token, { action: 'accept', content: { ok: 'perhaps' } })).status).toBe(400);
    expect((await answer(token, { action: 'whatever' })).status).toBe(400);
    expect(await look(token)).toMatchObject({ state: 'open' });
    const given = await answer(token, { action: 'accept', content: { ok: true } });
    expect(await given.json()).toEqual({ state: 'answered' });
    expect(await look(token)).toEqual({ state: 'answered' });
    expect(await (await answer(token, { action: 'decline' })).json()).toEqual({ state: 'answered' });
    const { questions } = await engine.get(taskId);
    expect(questions.map(({ key, answer: one }) => [key, one])).toEqual([
      ['sure', { action: 'accept', content: { ok: true } }],
      ['why', undefined],
    ]);
    const events = [];
    for await (const event of engine.watch(taskId)) {
      events.push(event);
      if (event.type === 'answered') break;
    }
    expect(events.at(-1)).toMatchObject({ by: { client: { name: 'answer link' } } });
  });

  it('[SAND-271] answers its own question, whatever it is told to answer', async () => {
    const { engine, submit, link, answer, post } = await openRig();
    const [first, second] = [await submit(), await submit()];
    const token = await link(first);
    await answer(token, { key: 'why', taskId: second, action: 'accept', content: { ok: false } });
    expect((await engine.get(first)).questions.map(({ answer: one }) => one?.action)).toEqual(['accept', undefined]);
    expect((await engine.get(second)).questions.map(({ answer: one }) => one)).toEqual([undefined, undefined]);
    expect((await post(`/api/tasks/${first}/answer`, { key: 'why', action: 'decline', token })).status).toBe(401);
  });

  it('[SAND-272] opens no route of the dashboard, as a bearer, a cookie or a parameter', async () => {
    const { submit, link, send, post } = await openRig();
    const taskId = await submit();
    const token = await link(taskId);
    const task = `/api/tasks/${taskId}`;
    const reads = [
      '/',
      '/api/state',
      '/api/tasks',
      task,
      `${task}/events`,
      '/api/events',
      '/api/workers',
      '/answer.html',
    ];
    const changes = [`${task}/answer`, `${task}/cancel`, `${task}/link`];
    const ways = (path: string): Promise<Response>[] => [
      send(path, { headers: { authorization: `Bearer ${token}` } }),
      send(path, { headers: { cookie: `holdfast_dashboard=${token}` } }),
      send(`${path}?token=${token}`),
    ];
    const answers = await Promise.all([
      ...reads.flatMap(ways),
      ...changes.map((path) => post(path, { token, key: 'why', action: 'decline' })),
    ]);
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([401]));
  });

  it('[SAND-272] has a page beside which nothing lies, not even for the operator', async () => {
    const { submit, link, send, post } = await openRig();
    const task = `/api/tasks/${await submit()}`;
    const token = await link(task.slice('/api/tasks/'.length));
    const paths = ['/api/state', '/api/tasks', task, '/index.html', '/answer.html', '/assets/%2e%2e/index.html'];
    const missing = await Promise.all([
      ...paths.map((path) => send(`/answer${path}`, { headers: BEARER })),
      ...['answer', 'cancel', 'link'].map((verb) =>
        post(`/answer${task}/${verb}`, { token, key: 'why' }, { headers: BEARER }),
      ),
    ]);
    expect(missing.map(({ status }) => status)).toEqual(missing.map(() => 404));
    expect((await send('/answer/../api/tasks')).status).toBe(401);
    expect((await send('/answer')).headers.get('location')).toBe('/answer/');
    const page = await send('/answer/');
    expect(page.headers.get('content-security-policy')).toContain("script-src 'self'");
    const [, script] = /src="\.\/(assets\/[^"]+)"/.exec(await page.text()) ?? [];
    expect((await send(`/answer/${script}`)).status).toBe(200);
    expect((await send('/answer/', { method: 'DELETE', headers: ORIGIN })).status).toBe(405);
  });

  it('[SAND-273] is made only by those who may answer, for a question that a person can answer', async () => {
    const { submit, link, post, engine, open } = await openRig();
    const taskId = await submit();
    const make = (key: unknown, id = taskId) =>
      post(`/api/tasks/${id}/link`, { key: key as string }, { headers: BEARER });
    expect((await make('nothing')).status).toBe(409);
    expect((await make(7)).status).toBe(400);
    expect((await make('sure', 'no-task')).status).toBe(404);
    expect((await make('model', await submit('sample', 1))).status).toBe(400);
    expect((await post(`/api/tasks/${taskId}/link`, { key: 'sure' })).status).toBe(401);
    const verified = open({ verify: ({ headers }) => headers.get('x-user') ?? undefined });
    const as = { headers: { 'x-user': 'bob', ...ORIGIN }, to: verified };
    expect((await post(`/api/tasks/${taskId}/link`, { key: 'sure' }, as)).status).toBe(404);
    const tokens = await Promise.all([link(taskId), link(taskId)]);
    expect(new Set(tokens).size).toBe(2);
    await engine.cancel(taskId);
    expect((await make('sure')).status).toBe(409);
  });

  it('[SAND-274] is over with its question, and says so', async () => {
    const { engine, submit, link, look, answer } = await openRig();
    const taskId = await submit();
    const [token, other] = [await link(taskId), await link(taskId, 'why')];
    await engine.answer(taskId, { sure: { action: 'decline' } });
    expect(await look(token)).toEqual({ state: 'answered' });
    await engine.cancel(taskId);
    expect(await look(other)).toEqual({ state: 'over' });
    expect(await (await answer(other, { action: 'accept', content: { why: 'late' } })).json()).toEqual({
      state: 'over',
    });
    for (const none of ['', 'short', `${token.slice(1)}x`, '../../etc/passwd', 7, null, undefined, {}])
      expect(await look(none)).toEqual({ state: 'unknown' });
  });

  it('[SAND-275] pages of other sites, other names and bodies that are too long are refused', async () => {
    const { dashboard, submit, link, post, send } = await openRig();
    const token = await link(await submit());
    expect((await post('/answer/api/look', { token }, { headers: {} })).status).toBe(403);
    expect((await post('/answer/api/look', { token }, { headers: { origin: 'http://evil.example' } })).status).toBe(
      403,
    );
    const named = new Request('http://evil.example/answer/', {});
    expect((await dashboard.fetch(named)).status).toBe(403);
    expect((await post('/answer/api/look', { token, more: 'x'.repeat(300_000) })).status).toBe(400);
    const sent = { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document' };
    // From a mail or a chat in the browser.
    expect((await send('/answer/', { headers: sent })).status).toBe(200);
  });

  it('[SAND-276] is kept by its hash, and outlives the process where there is a directory for it', async () => {
    const directory = await mkdtemp(join(tmpdir(), 'holdfast-links-'));
    onTestFinished(() => rm(directory, { recursive: true }));
    const links = join(directory, 'links');
    const { submit, link, look, open } = await openRig({ token: DASHBOARD, links });
    const taskId = await submit();
    const token = await link(taskId);
    const [name = ''] = await readdir(links);
    expect(name).toMatch(/^[0-9a-f]{64}$/);
    expect(`${name}${await readFile(join(links, name), 'utf8')}`).not.toContain(token);
    expect(await look(token, open())).toMatchObject({ state: 'open' });
    expect(await look(token, open({ token: DASHBOARD }))).toEqual({ state: 'unknown' });
    expect(await look(name)).toEqual({ state: 'unknown' });
  });
});
