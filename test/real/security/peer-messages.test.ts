import { describe, expect, it } from 'vitest';
import { openPeer, toMembers } from '../../security/host/open-peer.ts';

const WAYS = [
  ['legacy', 'stdio'],
  ['modern', 'stdio'],
  ['legacy', 'http'],
  ['modern', 'http'],
] as const;
const GREET = { name: 'greet', arguments: { name: 'x' } };
const toCall = (params: object, id: unknown = 7) =>
  JSON.stringify({ jsonrpc: '2.0', id, method: 'tools/call', params: { ...GREET, ...params } });
const long = (length: number) => 'x'.repeat(length);

describe.each(WAYS)('a message of a hostile client, %s over %s:', (era, transport) => {
  it('[SEC-252] is refused before it is parsed when it has too many members, and the next is served', async () => {
    const peer = await openPeer({ era, transport });
    for (const params of [
      { _meta: toMembers(120_000) },
      { arguments: toMembers(120_000) },
      { arguments: { rows: Array(2100).fill(toMembers(10)) } },
    ]) {
      const { error } = await peer.sendText(toCall(params), 7);
      expect(error).toMatchObject({ code: -32600, message: expect.stringContaining('20000 members at most') });
    }
    expect(await peer.isServed()).toBe(true);
  });

  it('[SEC-253] is refused when it has too many values, or goes too deep', async () => {
    const peer = await openPeer({ era, transport });
    const lists = toCall({ arguments: { list: Array(60_000).fill([]) } });
    expect((await peer.sendText(lists, 7)).error).toMatchObject({
      code: -32600,
      message: expect.stringMatching(/100000 values/),
    });
    const deep = toCall({}).replace('"x"', `${'['.repeat(101)}${']'.repeat(101)}`);
    expect((await peer.sendText(deep, 7)).error).toMatchObject({
      code: -32600,
      message: expect.stringMatching(/100 levels/),
    });
    // What is inside of texts does not count, nor does how they are escaped.
    const text = '[{":,\\"'.repeat(100_000);
    expect(await peer.send('tools/call', { ...GREET, arguments: { name: text } })).toHaveProperty('result');
  });

  it('[SEC-254] is refused when what is read for every request has too many members', async () => {
    const peer = await openPeer({ era, transport });
    for (const [params, where] of [
      [{ ...GREET, ...toMembers(200) }, 'params may have 100'],
      [{ ...GREET, _meta: toMembers(1001) }, 'params._meta'],
      [{ ...GREET, _meta: { deep: { deeper: toMembers(1001) } } }, 'params._meta'],
      [{ ...GREET, _meta: { list: Array(1001).fill(0) } }, 'params._meta'],
      [{ ...GREET, inputResponses: toMembers(1001, {}) }, 'params.inputResponses'],
    ] as const) {
      const { error } = await peer.send('tools/call', params);
      expect(error).toMatchObject({ code: -32602, message: expect.stringContaining(where) });
    }
    expect(await peer.isServed()).toBe(true);
  });

  it('[SEC-255] is refused when a text that names something is too long; no answer repeats it', async () => {
    const peer = await openPeer({ era, transport });
    const text = long(100_000);
    for (const [method, params, where] of [
      ['tools/call', { ...GREET, name: text }, 'params.name may be 512'],
      ['tools/call', { ...GREET, _meta: { progressToken: text } }, 'progressToken may be 1024'],
      ['tasks/get', { taskId: text }, 'params.taskId may be 512'],
      ['tasks/cancel', { taskId: text }, 'params.taskId may be 512'],
      ['tasks/list', { cursor: text }, 'params.cursor may be 8192'],
      ['resources/read', { uri: `wire://${text}` }, 'params.uri may be 8192'],
      ['prompts/get', { name: text }, 'params.name may be 512'],
      ['logging/setLevel', { level: text }, 'params.level may be 512'],
    ] as const) {
      const { error, length } = await peer.send(method, params);
      expect(error).toMatchObject({ code: -32602, message: expect.stringContaining(where) });
      expect(length).toBeLessThan(2000);
    }
    expect((await peer.send(text)).error).toMatchObject({
      code: -32600,
      message: expect.stringMatching(/method may be 256/),
    });
    expect((await peer.sendText(toCall({}, text), null)).error).toMatchObject({
      code: -32600,
      message: expect.stringMatching(/id may be 1024/),
    });
    expect(await peer.isServed()).toBe(true);
  });

  it('[SEC-258] is told what is wrong with it in a few words, however much that is', async () => {
    const peer = await openPeer({ era, transport });
    const crowd = toMembers(900, long(1000));
    for (const params of [
      { ...GREET, _meta: { 'holdfast/idempotencyKey': crowd } },
      { ...GREET, _meta: { 'holdfast/job': crowd } },
      { name: 'task_wait', arguments: { task_id: 'x', ...crowd, ...toMembers(15_000) } },
      { name: 'task_wait', arguments: { task_id: long(1_000_000) } },
      { name: toMembers(1000), arguments: {} },
      { name: 'add', arguments: { a: long(500_000), b: crowd } },
    ]) {
      expect((await peer.send('tools/call', params)).length).toBeLessThan(10_000);
    }
  });

  it('[SEC-257] may be as large as people need: a text of 3 MB, a table of 1,500 rows, a list of 90,000 numbers', async () => {
    const peer = await openPeer({ era, transport });
    const text = long(3_000_000);
    expect((await peer.send('tools/call', { ...GREET, arguments: { name: text } })).length).toBeGreaterThan(3_000_000);
    for (const extra of [{ rows: Array(1500).fill(toMembers(10)) }, { vector: Array(90_000).fill(0.5) }]) {
      const { result } = await peer.send('tools/call', { name: 'add', arguments: { a: 1, b: 2, ...extra } });
      expect(result).toMatchObject({ content: [{ text: '3' }] });
    }
  });
});

describe('a client that shakes hands with too much', () => {
  it.each(['stdio', 'http'] as const)('[SEC-254] is refused by name over %s', async (transport) => {
    const peer = await openPeer({ era: 'modern', transport, capabilities: { experimental: toMembers(1200, {}) } });
    expect((await peer.send('tools/list')).error).toMatchObject({
      code: -32602,
      message: expect.stringMatching(/params._meta may have 1000/),
    });
    const clientInfo = { name: 'raw', version: '1' };
    const params = { protocolVersion: '2025-11-25', capabilities: { experimental: toMembers(1200, {}) }, clientInfo };
    const hello = JSON.stringify({ jsonrpc: '2.0', id: 'hi', method: 'initialize', params });
    expect((await peer.sendText(hello, 'hi')).error).toMatchObject({
      code: -32602,
      message: expect.stringMatching(/params.capabilities/),
    });
  });

  it('[SEC-256] gets no batch answered that is longer than one needs', async () => {
    const peer = await openPeer({ transport: 'http' });
    const lists = Array.from({ length: 51 }, (_, id) => ({ jsonrpc: '2.0', id, method: 'tools/list' }));
    const { error, status } = await peer.sendText(JSON.stringify(lists), null);
    expect({ error, status }).toMatchObject({
      status: 400,
      error: { code: -32600, message: expect.stringMatching(/50 messages at most/) },
    });
    const hidden = [{ jsonrpc: '2.0', id: 1, method: 'tools/list', params: { _meta: toMembers(2000) } }];
    expect((await peer.sendText(JSON.stringify(hidden), null)).error).toMatchObject({ code: -32602 });
    expect(await peer.isServed()).toBe(true);
  });
});
