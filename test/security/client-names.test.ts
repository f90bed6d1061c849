import { describe, expect, it } from 'vitest';
import { createClientFinder } from '../../src/dialects/shared/client-name.ts';
import { openHttp, post, postModern } from '../server/open-http.ts';
import { openPeer } from './host/open-peer.ts';

/** Every letter is the end of a word, so that nothing of it can be skipped. */
const LONG_NAME = 'aB'.repeat(100_000);
const CLIENT_INFO = 'io.modelcontextprotocol/clientInfo';

describe('a client that calls itself by 200,000 characters', () => {
  // Each request took seconds once, so that many of them would run into the time-out of the test.
  it.each([
    ['legacy', 'stdio'],
    ['modern', 'stdio'],
    ['legacy', 'http'],
    ['modern', 'http'],
  ] as const)('[SEC-250] costs no more than another: %s, %s', { timeout: 60_000 }, async (era, transport) => {
    const peer = await openPeer({ era, transport, client: { name: LONG_NAME, version: '1' } });
    for (let round = 0; round < 40; round++) expect(await peer.send('tools/list')).toHaveProperty('result');
    expect(await peer.isServed()).toBe(true);
  });

  it('[SEC-250] is remembered by the first 200 of them, in both eras', async () => {
    const rig = await openHttp();
    const url = await rig.serve();
    const _meta = { [CLIENT_INFO]: { name: LONG_NAME, version: '1' } };
    const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: LONG_NAME, version: '1' } };
    const opened = await post(url, { body: { jsonrpc: '2.0', id: 0, method: 'initialize', params } });
    const sessionId = opened.headers.get('mcp-session-id') ?? '';
    expect(sessionId.length).toBeLessThan(1500);
    const call = { name: 'add', arguments: { a: 1, b: 2 } };
    const body = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: call };
    await (await post(url, { body, headers: { 'mcp-session-id': sessionId } })).text();
    await (await postModern(url, { method: 'tools/call', params: { ...call, _meta } })).text();
    const { tasks } = await rig.tasks.list();
    const names = tasks.map(({ labels }) => labels?.client);
    expect(names).toContain(LONG_NAME.slice(0, 200));
    expect(names.every((name) => (name?.length ?? 0) <= 200)).toBe(true);
  });
});

describe('a finder of clients', () => {
  it('[SEC-251] works a name out once, however often it is asked', () => {
    const find = createClientFinder(['claude code', 'cursor']);
    const reported = `Claude Code ${LONG_NAME}`;
    // Worked out each time, this would take minutes.
    const found = new Set(Array.from({ length: 100_000 }, () => find(reported)));
    expect([...found]).toEqual(['claude code']);
    expect(find(`${LONG_NAME} cursor`)).toBeUndefined();
  });

  it('[SEC-251] knows as many names as it may remember, and forgets none that comes again', () => {
    const find = createClientFinder(['cursor']);
    for (let index = 0; index < 3000; index++) expect(find(`cursor ${index}`)).toBe('cursor');
    expect(find('precursor')).toBeUndefined();
    expect(find('Cursor')).toBe('cursor');
  });

  it('[SEC-251] finds the first of several, by the names that they really report', () => {
    const find = createClientFinder(['claude desktop', 'claude', '']);
    expect(find('claude-ai')).toBe('claude desktop');
    expect(find('Claude')).toBe('claude');
    expect(find('')).toBeUndefined();
  });
});
