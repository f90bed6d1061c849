import { McpServer } from '@modelcontextprotocol/server';
import { createFakeClock } from 'holdfast/testing';
import { describe, expect, it } from 'vitest';
import { parseHttpOptions } from '../../../src/server/http-options.ts';
import { createSeal } from '../../../src/server/secrets/seal.ts';
import type { ServerParts } from '../../../src/server/server-parts.ts';
import { LegacySessions } from '../../../src/server/sessions/legacy-requests.ts';

const URL_ = 'http://localhost/mcp';
const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'test', version: '1' } };
const INITIALIZE = { jsonrpc: '2.0', id: 0, method: 'initialize', params };
const PING = { jsonrpc: '2.0', id: 1, method: 'ping' };

/** Sessions on a clock that stands still, and the servers made for them. */
function openSessions() {
  const clock = createFakeClock();
  const seal = createSeal('secret');
  const settings = { http: parseHttpOptions({ sessionIdleMs: 1000 }), secret: 'secret' };
  const report = (error: unknown) => expect.fail(String(error));
  const parts = { settings, clock, tools: new Map(), openSeal: async () => seal, report };
  const made: { closed: boolean }[] = [];
  const create = () => {
    const mcp = new McpServer({ name: 'test', version: '1' });
    const state = { closed: false };
    mcp.server.onclose = () => {
      state.closed = true;
    };
    made.push(state);
    return mcp;
  };
  const pace = { clock, firstMs: 5000, everyMs: 10_000 };
  const sessions = new LegacySessions(parts as unknown as ServerParts, create, pace);
  const send = (body: unknown, sessionId?: string, method = 'POST') => {
    const headers = {
      accept: method === 'GET' ? 'text/event-stream' : 'application/json, text/event-stream',
      'content-type': 'application/json',
      ...(sessionId !== undefined && { 'mcp-session-id': sessionId }),
    };
    const slot = { hold: () => true, release() {}, free() {} };
    return sessions.fetch({ request: new Request(URL_, { method, headers }), body, principal: 'local', slot });
  };
  const begin = async () => {
    const response = await send(INITIALIZE);
    await response.text();
    return response.headers.get('mcp-session-id') ?? '';
  };
  return { clock, made, send, begin };
}

describe('a session that nobody uses', () => {
  it('leaves the memory, and is taken up again when its client comes back', async () => {
    const { clock, made, send, begin } = openSessions();
    const sessionId = await begin();
    await clock.advance(60_000);
    expect(made).toEqual([{ closed: true }]);
    const response = await send(PING, sessionId);
    expect(await response.text()).toContain('"id":1');
    expect(made).toEqual([{ closed: true }, { closed: false }]);
    await clock.advance(120_000);
    expect(made).toEqual([{ closed: true }, { closed: true }]);
  });

  it('stays as long as its client listens', async () => {
    const { clock, made, send, begin } = openSessions();
    const sessionId = await begin();
    const standing = await send(undefined, sessionId, 'GET');
    await clock.advance(300_000);
    expect(made).toEqual([{ closed: false }]);
    await standing.body?.cancel();
    await clock.advance(60_000);
    expect(made).toEqual([{ closed: true }]);
  });
});

describe('the pace of comments', () => {
  it('is by default what the most impatient clients need', () => {
    expect(parseHttpOptions()).toMatchObject({ firstCommentMs: 5000, keepAliveMs: 10_000, maxSubscriptions: 1024 });
  });
});
