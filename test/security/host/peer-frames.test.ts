import { createServer } from 'holdfast';
import { until } from 'holdfast/testing';
import { describe, expect, it } from 'vitest';
import { FrameOutline } from '../../../src/dialects/shared/bytes/frame-outline.ts';
import { LineReader } from '../../../src/dialects/shared/bytes/line-reader.ts';
import { openHttp, openSession, post, postModern, readJson } from '../../server/open-http.ts';
import { openWire, settle } from '../../server/open-wire.ts';
import { openPeer, toMembers } from './open-peer.ts';

const PING = { jsonrpc: '2.0', id: 1, method: 'ping' } as const;
const line = (value: unknown) => `${JSON.stringify(value)}\n`;

describe('a line', () => {
  it('[SEC-259] that comes byte by byte takes no more memory than one that comes at once', () => {
    const lines: Buffer[] = [];
    const reader = new LineReader({
      maxLineBytes: 10_000_000,
      onLine: (one) => lines.push(one),
      onOversized() {},
      createOutline: () => new FrameOutline(),
    });
    const byte = Buffer.from('x');
    const before = process.memoryUsage().heapUsed;
    for (let count = 0; count < 2_000_000; count++) reader.push(byte);
    // One object per byte would be 200 MB.
    expect(process.memoryUsage().heapUsed - before).toBeLessThan(80_000_000);
    reader.push(Buffer.from('y\nz\n'));
    expect(lines.map((one) => [one.length, one.subarray(-1).toString()])).toEqual([
      [2_000_001, 'y'],
      [1, 'z'],
    ]);
  });

  it('[SEC-263] without end is let go as it comes; its sender is told, and the next one is read', async () => {
    const wire = await openWire({ maxLineBytes: 100_000 });
    const before = process.memoryUsage().arrayBuffers;
    wire.input.write('{"jsonrpc":"2.0","id":"endless","method":"ping","params":{"text":"');
    const chunk = Buffer.alloc(1_000_000, 'x');
    for (let count = 0; count < 100; count++) {
      wire.input.write(chunk);
      await until(() => wire.input.readableLength === 0, { what: 'the chunk to be read' });
    }
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(50_000_000);
    wire.input.write(`"}}\n${line(PING)}`);
    await settle(wire);
    expect(wire.messages).toEqual([PING]);
    expect(wire.sent()).toEqual([
      expect.objectContaining({ id: 'endless', error: expect.objectContaining({ code: -32600 }) }),
    ]);
  });

  it('[SEC-262] with a crowded notification is dropped with a word of why, and not answered', async () => {
    const wire = await openWire();
    wire.input.write(line({ jsonrpc: '2.0', method: 'notifications/x', params: toMembers(101) }));
    wire.input.write(line(PING));
    await settle(wire);
    expect(wire.messages).toEqual([PING]);
    expect(wire.sent()).toEqual([]);
    expect(wire.errors.map(String)).toEqual([expect.stringContaining('params may have 100 members')]);
  });
});

describe('over HTTP', () => {
  it('[SEC-262] a crowded notification is 400', async () => {
    const url = await (await openHttp()).serve();
    const headers = await openSession(url);
    const body = { jsonrpc: '2.0', method: 'notifications/x', params: { _meta: toMembers(1001) } };
    const response = await post(url, { body, headers });
    expect([response.status, (await readJson(response)).error?.code]).toEqual([400, -32602]);
  });

  it('[SEC-261] the reason of a cancel is cut before it is kept', async () => {
    const rig = await openHttp();
    const url = await rig.serve();
    const headers = await openSession(url);
    const call = { name: 'wait', arguments: {} };
    const calling = post(url, { body: { jsonrpc: '2.0', id: 5, method: 'tools/call', params: call }, headers });
    const taskId = await rig.onlyTask();
    const params = { requestId: 5, reason: 'no longer '.repeat(100_000) };
    await post(url, { body: { jsonrpc: '2.0', method: 'notifications/cancelled', params }, headers });
    await (await calling).text();
    const { outcome } = await until(
      async () => {
        const task = await rig.tasks.get(taskId);
        return task.outcome && task;
      },
      { what: 'the end of the task' },
    );
    expect(outcome).toEqual({ kind: 'cancelled', reason: 'no longer '.repeat(100) });
  });

  it('[SEC-257] the owner can allow more, or less', async () => {
    const rig = await openHttp();
    const params = { name: 'add', arguments: { a: 1, b: 2, more: toMembers(200) } };
    const narrow = await rig.serve({ messageLimits: { members: 100 } });
    const refused = await postModern(narrow, { method: 'tools/call', params });
    expect(refused.status).toBe(400);
    const message = expect.stringContaining('100 members at most; the owner of the server sets messageLimits.members');
    expect((await readJson(refused)).error).toMatchObject({ code: -32600, message });
    const wide = await rig.serve({ messageLimits: { members: 200_000, values: 400_000 } });
    const large = { name: 'add', arguments: { a: 1, b: 2, more: toMembers(25_000) } };
    expect((await postModern(wide, { method: 'tools/call', params: large })).status).toBe(200);
  });

  it.each([{ members: 0 }, { values: 1.5 }, { members: 'many' as never }])(
    '[SEC-257] limits that are none are refused by name: %j',
    (messageLimits) => {
      const [field = ''] = Object.keys(messageLimits);
      expect(() => createServer({ name: 'x', version: '1', messageLimits })).toThrow(
        new RegExp(`messageLimits.${field} is .*; expected a whole number from 1 up`),
      );
    },
  );
});

describe.each([
  ['legacy', 'stdio'],
  ['modern', 'stdio'],
  ['legacy', 'http'],
  ['modern', 'http'],
] as const)('what is too large to be sent, %s over %s,', (era, transport) => {
  it('[SEC-260] ends as an error with its size, and the connection goes on', async () => {
    const peer = await openPeer({ era, transport });
    const tool = await peer.send('tools/call', { name: 'shout', arguments: { bytes: 11_000_000 } });
    expect(tool.result).toMatchObject({ isError: true });
    expect(JSON.stringify(tool.result)).toMatch(/at least 110000\d\d bytes of JSON; expected at most 10485760/);
    const resource = await peer.send('resources/read', { uri: 'wire://flood/70000000' });
    expect(resource.error).toMatchObject({ code: -32603, data: { code: 'RESULT_TOO_LARGE', maxBytes: 67_108_864 } });
    expect(resource.error?.message).toMatch(/at least 7000\d{4} bytes/);
    expect(await peer.isServed()).toBe(true);
  });
});
