import { createMemoryStore, createServer } from 'holdfast';
import { until } from 'holdfast/testing';
import { describe, expect, it } from 'vitest';
import { parseHttpOptions } from '../../../src/server/http-options.ts';
import { createSeal } from '../../../src/server/secrets/seal.ts';
import { openHttp, openSession, post, readFrames } from '../../server/open-http.ts';
import { openSessions, useSession } from './open-sessions.ts';

const IDLE_MS = 60_000;
const AGE_MS = 7 * IDLE_MS;
const http = { sessionMaxIdleMs: IDLE_MS, sessionMaxAgeMs: AGE_MS };
const as = (name: string) => ({ authorization: `Bearer ${name}` });

function verify(request: Request) {
  const subject = /^Bearer (\w+)$/.exec(request.headers.get('authorization') ?? '')?.[1];
  return subject ? { issuer: 'https://id.example', subject } : undefined;
}

describe('a session that nobody uses', () => {
  it('[SEC-230] is over after a while, on every server of the store', async () => {
    const { clock, serve } = await openSessions();
    const [first, second] = [await serve({ http }), await serve({ http })];
    const headers = await openSession(first.url);
    await clock.advance(IDLE_MS);
    expect(await useSession(first.url, headers)).toBe(404);
    expect(await useSession(second.url, headers)).toBe(404);
  });

  it('[SEC-230] is not over as long as somebody uses it now and then, here or through another server', async () => {
    const { clock, serve } = await openSessions();
    const [first, second] = [await serve({ http }), await serve({ http })];
    const headers = await openSession(first.url);
    for (const { url } of [first, second, first, second]) {
      await clock.advance(0.8 * IDLE_MS);
      expect(await useSession(url, headers)).toBe(200);
    }
    await first.stop();
    await second.stop();
    const third = await serve({ http });
    expect(await useSession(third.url, headers)).toBe(200);
    await clock.advance(IDLE_MS);
    expect(await useSession(third.url, headers)).toBe(404);
  });

  it('[SEC-230] is used as long as its client listens', async () => {
    const { clock, serve } = await openSessions();
    const { url } = await serve({ http });
    const headers = await openSession(url);
    const standing = readFrames(await fetch(url, { headers: { ...headers, accept: 'text/event-stream' } }));
    await clock.advance(3 * IDLE_MS);
    expect(await useSession(url, headers)).toBe(200);
    await standing.cancel();
  });
});

describe('a session that is old', () => {
  it('[SEC-230] [SEC-231] is so after a week by default, and unused after a day', () => {
    const dayMs = 86_400_000;
    expect(parseHttpOptions()).toMatchObject({ sessionMaxIdleMs: dayMs, sessionMaxAgeMs: 7 * dayMs });
  });

  it('[SEC-231] is over at last, however much it is used', async () => {
    const { clock, serve } = await openSessions();
    const { url } = await serve({ http });
    const headers = await openSession(url);
    for (let used = 1; used < 14; used++) {
      await clock.advance(IDLE_MS / 2);
      expect(await useSession(url, headers), `use ${used}`).toBe(200);
    }
    await clock.advance(IDLE_MS / 2);
    expect(await useSession(url, headers)).toBe(404);
  });

  it('[SEC-231] loses its open stream too', async () => {
    const { clock, serve } = await openSessions();
    const { url } = await serve({ http });
    const headers = await openSession(url);
    const standing = readFrames(await fetch(url, { headers: { ...headers, accept: 'text/event-stream' } }));
    let isDone = false;
    const ending = standing.isDone().then(() => {
      isDone = true;
    });
    await until(
      async () => {
        await clock.advance(60_000);
        return isDone;
      },
      { what: 'the end of the stream', timeoutMs: 60_000 },
    );
    await ending;
  });
});

describe('a session that its client has ended', () => {
  it('[SEC-232] is over on every server of the store, those that come later too', async () => {
    const { serve } = await openSessions();
    const [first, second] = [await serve(), await serve()];
    const headers = await openSession(first.url);
    expect(await useSession(second.url, headers)).toBe(200);
    expect((await fetch(first.url, { method: 'DELETE', headers })).status).toBe(200);
    expect(await useSession(second.url, headers)).toBe(404);
    await first.stop();
    await second.stop();
    expect(await useSession((await serve()).url, headers)).toBe(404);
  });

  it('[SEC-232] leaves the others of its client alone', async () => {
    const { serve } = await openSessions();
    const { url } = await serve();
    const [mine, other] = [await openSession(url), await openSession(url)];
    await fetch(url, { method: 'DELETE', headers: mine });
    expect(await useSession(url, other)).toBe(200);
  });

  it('[SEC-232] can be ended by its own principal only', async () => {
    const { serve } = await openSessions();
    const { url } = await serve({ verify });
    const ada = await openSession(url, { headers: as('ada') });
    expect((await fetch(url, { method: 'DELETE', headers: { ...ada, ...as('bob') } })).status).toBe(404);
    expect(
      (await fetch(url, { method: 'DELETE', headers: { 'mcp-session-id': ada['mcp-session-id'] ?? '' } })).status,
    ).toBe(401);
    expect(await useSession(url, ada)).toBe(200);
  });

  it('[SEC-232] is remembered by a server without a store too', async () => {
    const secret = 'sessions without a store';
    const server = createServer({ name: 'test', version: '1', secret, store: createMemoryStore(), unprotected: true });
    server.tool('greet', { task: 'never', run: () => 'Hello!' });
    const { url, close } = await server.listen({ port: 0 });
    const headers = await openSession(url);
    await fetch(url, { method: 'DELETE', headers });
    expect(await useSession(url, headers)).toBe(404);
    await close();
    await server.close();
  });
});

describe('the id of a session', () => {
  it('[SEC-233] holds no more of what its client says of itself than is used', async () => {
    const rig = await openHttp();
    const [first, second] = [await rig.serve(), await rig.serve()];
    const long = 'x'.repeat(200_000);
    const params = {
      protocolVersion: `2025-11-25${long.slice(0, 200)}`,
      capabilities: {
        elicitation: { form: { long }, url: {}, [long]: {} },
        sampling: { tools: { long } },
        roots: { listChanged: true },
        experimental: { [long]: {} },
        extensions: { 'x.example/y': { long } },
      },
      clientInfo: { name: long, version: long, title: long, icons: [{ src: long }] },
    };
    const opened = await post(first, { body: { jsonrpc: '2.0', id: 0, method: 'initialize', params } });
    expect(await opened.text()).toContain('"protocolVersion"');
    const sessionId = opened.headers.get('mcp-session-id') ?? '';
    const sealed = JSON.parse(Buffer.from(sessionId.split('.')[0] ?? '', 'base64url').toString());
    expect(sealed.capabilities).toEqual({ elicitation: { form: {}, url: {} }, sampling: { tools: {} }, roots: {} });
    expect(sessionId.length).toBeLessThan(2048);
    for (const url of [first, second]) expect(await useSession(url, { 'mcp-session-id': sessionId })).toBe(200);
  });

  it('[SEC-231] that says no time, as older builds made them, is not taken', async () => {
    const secret = 'a secret that both builds share';
    const url = await (await openHttp()).serve({ secret });
    const client = { name: 'raw', version: '1' };
    const record = { nonce: 'n', principal: 'local', protocolVersion: '2025-11-25', capabilities: {}, client };
    const old = createSeal(secret).seal('session', record);
    const timed = createSeal(secret).seal('session', { ...record, openedAt: Date.now() });
    expect(await useSession(url, { 'mcp-session-id': old })).toBe(404);
    expect(await useSession(url, { 'mcp-session-id': timed })).toBe(200);
  });
});
