import { until } from 'holdfast/testing';
import { describe, expect, it } from 'vitest';
import {
  openHttp,
  openSession,
  post,
  postModern,
  type RawRequest,
  readFrames,
  readJson,
} from '../../server/open-http.ts';
import { openLine, type RawLine, toHead } from './raw-http.ts';

const as = (name: string) => ({ authorization: `Bearer ${name}` });
const LIST = { method: 'tools/list' };
const LEGACY_LIST = { jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} };
const BUSY_MS = 30_000;

function verify(request: Request) {
  const subject = /^Bearer (\w+)$/.exec(request.headers.get('authorization') ?? '')?.[1];
  return subject ? { issuer: 'https://id.example', subject } : undefined;
}

const INITIALIZE = {
  jsonrpc: '2.0',
  id: 0,
  method: 'initialize',
  params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'raw', version: '1' } },
};

/** A refusal of somebody who has used up its share. */
async function expectGreedy(response: Response, limit: number): Promise<void> {
  expect(response.status).toBe(429);
  const { error } = await readJson(response);
  expect(error).toMatchObject({ code: -32029, data: { code: 'QUOTA_EXCEEDED', limit } });
  const { retryAfterMs } = (error?.data ?? {}) as { retryAfterMs: number };
  expect(response.headers.get('retry-after')).toBe(String(Math.ceil(retryAfterMs / 1000)));
}

/** Waits for one thing to be served again. */
function untilServed(url: string, request: RawRequest): Promise<unknown> {
  const isServed = async () => {
    const response = await postModern(url, request);
    await response.body?.cancel();
    return response.status === 200;
  };
  return until(isServed, { what: 'a request to be served', timeoutMs: BUSY_MS });
}

describe('open requests', () => {
  const waits = async (url: string, name: string) => {
    const params = { name: 'wait', arguments: {} };
    return readFrames(await postModern(url, { method: 'tools/call', params, headers: as(name) }));
  };
  const pace = { firstCommentMs: 1, keepAliveMs: 50 };

  it('[SEC-220] of one principal have a limit; others are served, and so is it when one has ended', async () => {
    const rig = await openHttp();
    const url = await rig.serve({ verify, http: { ...pace, perPrincipal: { requests: 2 } } });
    const [first] = [await waits(url, 'ada'), await waits(url, 'ada')];
    await expectGreedy(await postModern(url, { ...LIST, headers: as('ada') }), 2);
    expect((await postModern(url, { ...LIST, headers: as('bob') })).status).toBe(200);
    await first?.cancel();
    await untilServed(url, { ...LIST, headers: as('ada') });
    rig.open();
  });

  it('[SEC-220] that were refused, failed or answered are not counted', async () => {
    const rig = await openHttp();
    const url = await rig.serve({ verify, http: { maxRequests: 1, perPrincipal: { requests: 1 } } });
    const session = await openSession(url, { headers: as('ada') });
    for (let count = 0; count < 3; count++) {
      expect((await postModern(url, LIST)).status).toBe(401);
      expect((await post(url, { body: '{', headers: as('ada') })).status).toBe(400);
      expect((await post(url, { body: LEGACY_LIST, headers: as('ada') })).status).toBe(400);
      expect((await postModern(url, { method: 'no/such', headers: as('ada') })).status).toBe(404);
      const listed = await post(url, { body: LEGACY_LIST, headers: session });
      expect(await listed.text()).toContain('greet');
    }
  });

  it('[SEC-221] have a limit in all, which counts before anybody is known', async () => {
    const rig = await openHttp();
    let isHeld = true;
    const url = await rig.serve({
      http: { maxRequests: 1 },
      verify: async (request) => {
        if (request.headers.has('x-slow')) await until(() => !isHeld, { what: 'the test', timeoutMs: BUSY_MS });
        return verify(request);
      },
    });
    const slow = postModern(url, { ...LIST, headers: { ...as('ada'), 'x-slow': '1' } });
    const refused = await until(
      async () => {
        const response = await postModern(url, { ...LIST, headers: as('bob') });
        return response.status === 503 && response;
      },
      { what: 'a refusal', timeoutMs: BUSY_MS },
    );
    expect(refused.headers.get('retry-after')).toBe('1');
    expect(await readJson(refused)).toMatchObject({ error: { code: -32000, data: { retryAfterMs: 1000 } } });
    isHeld = false;
    expect((await slow).status).toBe(200);
    await untilServed(url, { ...LIST, headers: as('bob') });
  });
});

describe('bytes in flight', () => {
  /** Begins an upload of which the last byte is kept back. */
  const begin = async (url: string, name: string, bytes: number): Promise<RawLine> => {
    const line = await openLine(url);
    line.send(toHead({ url, headers: { ...as(name), 'content-length': String(bytes + 1) } }) + ' '.repeat(bytes));
    return line;
  };
  const padded = (name: string, bytes: number) => ({
    ...LIST,
    params: { padding: 'x'.repeat(bytes) },
    headers: as(name),
  });

  it.each([
    ['of one principal', { perPrincipal: { bytesInFlight: 1000 } }, [429, 200]],
    ['in all', { maxBytesInFlight: 1000 }, [503, 503]],
  ])('[SEC-222] %s have a limit, and are given back', async (_, http, [own, others]) => {
    const url = await (await openHttp()).serve({ verify, http });
    const line = await begin(url, 'ada', 600);
    const status = async (name: string) => (await postModern(url, padded(name, 500))).status;
    await until(async () => (await status('ada')) === own, { what: 'a refusal', timeoutMs: BUSY_MS });
    expect(await status('bob')).toBe(others);
    line.socket.destroy();
    await until(async () => (await status('ada')) === 200, { what: 'room', timeoutMs: BUSY_MS });
  });

  it('[SEC-222] of uploads that say no length are counted as they come', async () => {
    const url = await (await openHttp()).serve({ verify, http: { perPrincipal: { bytesInFlight: 1000 } } });
    const line = await openLine(url);
    line.send(
      `${toHead({ url, headers: { ...as('ada'), 'transfer-encoding': 'chunked' } })}7d0\r\n${'x'.repeat(2000)}`,
    );
    expect(await line.head()).toMatch(/^HTTP\/1.1 429 /);
  });
});

describe('sessions', () => {
  const standing = async (url: string, headers: Record<string, string>) =>
    readFrames(await fetch(url, { headers: { ...headers, accept: 'text/event-stream' } }));

  it('[SEC-223] of one principal that nobody uses make room for new ones, and come back when asked for', async () => {
    const rig = await openHttp();
    const url = await rig.serve({ verify, limits: { perPrincipal: { sessions: 2 } } });
    const bob = await openSession(url, { headers: as('bob') });
    const all = [];
    for (let count = 0; count < 5; count++) all.push(await openSession(url, { headers: as('ada') }));
    for (const headers of [...all, bob]) expect((await post(url, { body: LEGACY_LIST, headers })).status).toBe(200);
  });

  it('[SEC-223] of one principal that are all in use leave no room; others have theirs', async () => {
    const rig = await openHttp();
    const url = await rig.serve({ verify, limits: { perPrincipal: { sessions: 2 } } });
    const kept = await openSession(url, { headers: as('ada') });
    const spare = await openSession(url, { headers: as('ada') });
    const streams = [await standing(url, kept), await standing(url, spare)];
    await expectGreedy(await post(url, { body: INITIALIZE, headers: as('ada') }), 2);
    expect((await post(url, { body: LEGACY_LIST, headers: kept })).status).toBe(200);
    await openSession(url, { headers: as('bob') });
    await streams[0]?.cancel();
    const isOpen = async () => (await post(url, { body: INITIALIZE, headers: as('ada') })).status === 200;
    await until(isOpen, { what: 'room for a session', timeoutMs: BUSY_MS });
  });

  it('[SEC-224] have a limit in all', async () => {
    const rig = await openHttp();
    const url = await rig.serve({ verify, http: { maxSessions: 1 } });
    const ada = await openSession(url, { headers: as('ada') });
    await standing(url, ada);
    const refused = await post(url, { body: INITIALIZE, headers: as('bob') });
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '60']);
  });
});

describe('subscriptions', () => {
  it('[SEC-225] of one principal have a limit; others subscribe, and so does it when one has ended', async () => {
    const rig = await openHttp();
    const url = await rig.serve({ verify, limits: { perPrincipal: { subscriptions: 1 } } });
    const listen = async (name: string) => {
      const call = { method: 'tools/call', params: { name: 'wait', arguments: {} }, tasks: true, headers: as(name) };
      const { result } = await readJson(await postModern(url, call));
      const params = { notifications: { taskIds: [result?.taskId] } };
      return { method: 'subscriptions/listen', params, tasks: true, headers: as(name) };
    };
    const ada = await listen('ada');
    const frames = readFrames(await postModern(url, ada));
    await frames.message();
    await expectGreedy(await postModern(url, ada), 1);
    const others = readFrames(await postModern(url, await listen('bob')));
    await others.message();
    await frames.cancel();
    await untilServed(url, ada);
    rig.open();
  });
});

describe('connections', () => {
  it('[SEC-226] have a limit: those beyond are closed at once, and there is room again when others close', async () => {
    const url = await (await openHttp()).serve({ verify, http: { maxConnections: 2 } });
    const lines = [await openLine(url), await openLine(url)];
    for (const line of lines) {
      line.send(toHead({ url, method: 'GET' }));
      await line.head();
    }
    const beyond = await openLine(url);
    await until(() => beyond.isClosed(), { what: 'the end of a connection', timeoutMs: BUSY_MS });
    for (const { socket } of lines) socket.destroy();
    const isServed = () => postModern(url, { ...LIST, headers: as('ada') }).then(({ status }) => status === 200);
    await until(isServed, { what: 'room', timeoutMs: BUSY_MS });
  });
});
