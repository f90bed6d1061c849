/** The handler of the dashboard: who is let in, what is told, and how a page that was away catches up. */
import { createEngine, createMemoryStore, type Engine, OPERATOR } from 'holdfast';
import { createDashboard } from 'holdfast/dashboard';
import { until } from 'holdfast/testing';
import { describe, expect, it, onTestFinished } from 'vitest';
import { z } from 'zod';

const TOKEN = 'a-token-of-this-test';
const BEARER = { authorization: `Bearer ${TOKEN}` };
const HERE = 'http://127.0.0.1:4399';

async function openRig() {
  const engine: Engine = await createEngine({
    name: 'dash',
    store: createMemoryStore(),
    workers: 'inline',
    tools: {
      greet: { input: z.object({ name: z.string(), password: z.string() }), redact: ['password'], run: () => 'hello' },
      ask: {
        run: async (_args: unknown, task: { ask: (question: object) => Promise<unknown> }) =>
          task.ask({ key: 'sure', message: 'Sure?', schema: z.object({ ok: z.boolean() }) }),
      },
    } as never,
  });
  await engine.start();
  const dashboard = createDashboard(engine, { token: TOKEN });
  onTestFinished(async () => {
    dashboard.close();
    await engine.close();
  });
  const ask = (path: string, init: RequestInit & { headers?: Record<string, string> } = {}) =>
    dashboard.fetch(new Request(`${HERE}${path}`, init));
  const get = async (path: string) => (await (await ask(path, { headers: BEARER })).json()) as never;
  const post = (path: string, body: object, headers: Record<string, string> = BEARER) =>
    ask(path, {
      method: 'POST',
      body: JSON.stringify(body),
      headers: { 'content-type': 'application/json', ...headers },
    });
  return { engine, dashboard, ask, get, post };
}

describe('who is let in', () => {
  it('[SAND-120] the token in the address becomes a cookie, which is not the token, and nothing is open without', async () => {
    const { ask } = await openRig();
    expect((await ask('/')).status).toBe(401);
    expect((await ask('/api/tasks')).status).toBe(401);
    expect((await ask('/?token=another-token-of-this')).status).toBe(401);
    const letIn = await ask(`/?token=${TOKEN}`);
    expect(letIn.status).toBe(303);
    expect(letIn.headers.get('location')).toBe('/');
    const cookie = letIn.headers.get('set-cookie') ?? '';
    expect(cookie).toMatch(/HttpOnly; SameSite=Strict/);
    expect(cookie).not.toContain(TOKEN);
    const [pair = ''] = cookie.split(';');
    expect((await ask('/api/tasks', { headers: { cookie: pair } })).status).toBe(200);
    expect((await ask('/api/tasks', { headers: { cookie: `other=1; ${pair}` } })).status).toBe(200);
    expect((await ask('/api/tasks', { headers: { cookie: 'holdfast_dashboard=x' } })).status).toBe(401);
  });

  it('[SAND-121] other names of the machine, and pages of other sites, are refused', async () => {
    const { dashboard, ask, post } = await openRig();
    const rebound = new Request('http://evil.example:4399/api/tasks', { headers: BEARER });
    expect((await dashboard.fetch(rebound)).status).toBe(403);
    const cookie = ((await ask(`/?token=${TOKEN}`)).headers.get('set-cookie') ?? '').split(';')[0] ?? '';
    const cancel = (headers: Record<string, string>) => post('/api/tasks/x/cancel', {}, { cookie, ...headers });
    expect((await cancel({ origin: 'http://evil.example' })).status).toBe(403);
    expect((await cancel({ origin: 'http://127.0.0.1:9999' })).status).toBe(403);
    expect((await cancel({ origin: HERE, 'sec-fetch-site': 'cross-site' })).status).toBe(403);
    expect((await cancel({})).status).toBe(403);
    expect((await cancel({ origin: HERE, 'sec-fetch-site': 'same-origin' })).status).toBe(404);
    const read = { cookie, 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'no-cors', 'sec-fetch-dest': 'script' };
    expect((await ask('/api/tasks', { headers: read })).status).toBe(403);
  });

  it('[SAND-122] every answer forbids scripts that are not ours, frames and sniffing', async () => {
    const { ask } = await openRig();
    for (const path of ['/', '/api/state', '/nothing']) {
      const { headers } = await ask(path, { headers: BEARER });
      const policy = headers.get('content-security-policy') ?? '';
      expect(policy).toContain("default-src 'none'");
      expect(policy).toContain("script-src 'self'");
      expect(policy).not.toContain('unsafe');
      expect(policy).toContain("frame-ancestors 'none'");
      expect(headers.get('x-content-type-options')).toBe('nosniff');
    }
    expect((await ask('/../package.json', { headers: BEARER })).status).toBe(404);
    expect((await ask('/assets/%2e%2e%2f%2e%2e%2findex.js', { headers: BEARER })).status).toBe(404);
  });

  it('[SAND-123] is closed unless the owner says how it is opened, and once only', async () => {
    const { engine } = await openRig();
    expect(() => createDashboard(engine, {})).toThrow(/none of token, verify and unprotected/);
    expect(() => createDashboard(engine, { token: TOKEN, unprotected: true })).toThrow(/several/);
    expect(() => createDashboard(engine, { token: 'short' })).toThrow(/16 or more/);
    expect(() => createDashboard(engine, { token: 'short' })).not.toThrow(/"short"/);
  });

  it('[SAND-124] a verified person sees their own tasks and no workers; the operator sees all', async () => {
    const { engine } = await openRig();
    const who = { ada: 'ada', root: OPERATOR } as const;
    const verify = ({ headers }: Request) => who[headers.get('x-user') as keyof typeof who];
    const dashboard = createDashboard(engine, { verify });
    const args = { name: 'a', password: 'b' };
    await engine.submit('greet', args, { principal: 'ada' });
    await engine.submit('greet', args, { principal: 'bob' });
    const get = (user: string, path: string) =>
      dashboard.fetch(new Request(`${HERE}${path}`, { headers: { 'x-user': user } }));
    const count = async (user: string) =>
      ((await (await get(user, '/api/tasks')).json()) as { tasks: unknown[] }).tasks.length;
    expect(await count('ada')).toBe(1);
    expect(await count('root')).toBe(2);
    expect((await get('ada', '/api/workers')).status).toBe(404);
    expect((await get('root', '/api/workers')).status).toBe(200);
    expect((await get('eve', '/api/tasks')).status).toBe(401);
    dashboard.close();
  });
});

describe('what is told', () => {
  it('[SAND-125] tasks with their events, and never what is secret in them', async () => {
    const { engine, get } = await openRig();
    const { task } = await engine.submit('greet', { name: 'Ada', password: 'xyzzy' });
    await engine.outcome(task.taskId);
    const whole = JSON.stringify([
      await get('/api/tasks'),
      await get(`/api/tasks/${task.taskId}`),
      await get(`/api/tasks/${task.taskId}/events`),
    ]);
    expect(whole).toContain('Ada');
    expect(whole).toContain('"ended"');
    expect(whole).not.toContain('xyzzy');
  });

  it('[SAND-126] a question is answered and a task cancelled, with the name of the page; wrong ones are named', async () => {
    const { engine, get, post } = await openRig();
    const { task } = await engine.submit('ask', {});
    const path = `/api/tasks/${task.taskId}`;
    await until(async () => (await engine.get(task.taskId)).questions.length > 0);
    const answer = (body: object) => post(`${path}/answer`, body);
    expect((await answer({ key: 'sure', action: 'maybe' })).status).toBe(400);
    expect((await answer({ key: 'sure', action: 'accept', content: { ok: 'yes' } })).status).toBe(400);
    expect((await answer({ key: 'sure', action: 'accept', content: { ok: true } })).status).toBe(200);
    await engine.outcome(task.taskId);
    expect((await answer({ key: 'sure', action: 'accept', content: { ok: true } })).status).toBe(409);
    expect(JSON.stringify(await get(`${path}/events`))).toContain('"name":"dashboard"');
    const other = (await engine.submit('ask', { again: true })).task.taskId;
    expect((await post(`/api/tasks/${other}/cancel`, { reason: 'enough' })).status).toBe(200);
    expect(await engine.outcome(other)).toEqual({ kind: 'cancelled', reason: 'enough' });
    expect((await post('/api/tasks/none/cancel', {})).status).toBe(404);
  });

  it('[SAND-127] filters by status, tool, principal and text, and refuses a status there is not', async () => {
    const { engine, get, ask } = await openRig();
    for (const name of ['Ada', 'Bob']) await engine.submit('greet', { name, password: 'p' }, { labels: { of: name } });
    const find = async (query: string) => (await get(`/api/tasks?${query}`)) as { tasks: { argsText: string }[] };
    expect((await find('text=bob')).tasks).toHaveLength(1);
    expect((await find('text=of%3Dada')).tasks.map(({ argsText }) => argsText)).toEqual([
      expect.stringContaining('Ada'),
    ]);
    expect((await find('tool=greet')).tasks).toHaveLength(2);
    expect((await find('tool=ask')).tasks).toHaveLength(0);
    expect((await find('principal=nobody')).tasks).toHaveLength(0);
    expect((await ask('/api/tasks?status=odd', { headers: BEARER })).status).toBe(400);
  });

  it('[SAND-129] all tasks that a filter finds are cancelled at once, and no others', async () => {
    const { engine, post } = await openRig();
    const ids: string[] = [];
    for (const of of ['a', 'a', 'b']) ids.push((await engine.submit('ask', { of, at: ids.length })).task.taskId);
    const ended = await post('/api/cancel-matching', { text: '"of":"a"' });
    expect(await ended.json()).toEqual({ cancelled: 2, hasMore: false });
    const states = await Promise.all(ids.map(async (id) => (await engine.get(id)).status));
    expect(states.slice(0, 2)).toEqual(['cancelled', 'cancelled']);
    expect(states[2]).not.toBe('cancelled');
    expect((await post('/api/cancel-matching', { status: 'odd' })).status).toBe(400);
  });

  it('[SAND-128] a page whose stream was cut goes on after the last event it saw; a stranger to it reads anew', async () => {
    const { engine, ask } = await openRig();
    const first = await openStream(ask, undefined);
    expect(await first.next()).toMatchObject({ event: 'reset' });
    const { task } = await engine.submit('greet', { name: 'Ada', password: 'p' });
    const seen = await first.nextOf('task');
    await first.cut();
    await engine.outcome(task.taskId);
    const { task: later } = await engine.submit('greet', { name: 'Bob', password: 'p' });
    const second = await openStream(ask, seen.id);
    const missed = await second.until(({ data }) => data.includes(later.taskId));
    expect(missed.map(({ event }) => event)).not.toContain('reset');
    await second.cut();
    const stranger = await openStream(ask, 'cafe-7');
    expect(await stranger.next()).toMatchObject({ event: 'reset' });
    await stranger.cut();
  });
});

interface StreamEvent {
  readonly id: string;
  readonly event: string;
  readonly data: string;
}

type Ask = (path: string, init: { headers: Record<string, string>; signal: AbortSignal }) => Promise<Response>;

async function openStream(ask: Ask, after: string | undefined) {
  const cutting = new AbortController();
  const headers = { ...BEARER, ...(after !== undefined && { 'last-event-id': after }) };
  const { body } = await ask('/api/events', { headers, signal: cutting.signal });
  const events: StreamEvent[] = [];
  let at = 0;
  const read = async () => {
    let text = '';
    const decoder = new TextDecoder();
    for await (const part of body ?? []) {
      text += decoder.decode(part as Uint8Array, { stream: true });
      const whole = text.split('\n\n');
      text = whole.pop() ?? '';
      events.push(...whole.flatMap(toEvent));
    }
  };
  const reading = read().catch(() => undefined);
  const next = async (): Promise<StreamEvent> => {
    const event = await until(() => events[at], { what: 'an event' });
    at += 1;
    return event;
  };
  return {
    next,
    async nextOf(type: string) {
      for (;;) {
        const event = await next();
        if (event.event === type) return event;
      }
    },
    async until(isLast: (event: StreamEvent) => boolean) {
      const all: StreamEvent[] = [];
      do all.push(await next());
      while (!isLast(all.at(-1) as StreamEvent));
      return all;
    },
    async cut() {
      cutting.abort();
      await reading;
    },
  };
}

function toEvent(frame: string): StreamEvent[] {
  const fields = Object.fromEntries(frame.split('\n').map((line) => line.split(/: (.*)/s).slice(0, 2)));
  return fields.event === undefined ? [] : [fields as unknown as StreamEvent];
}
