import { once } from 'node:events';
import { until } from 'holdfast/testing';
import { describe, expect, it } from 'vitest';
import { StdioTransport } from '../../../src/server/stdio/stdio-transport.ts';
import { openWire, settle } from '../open-wire.ts';

const PING = { jsonrpc: '2.0', id: 1, method: 'ping' };
const ping = (id: number | string) => ({ ...PING, id });
const line = (value: unknown) => `${JSON.stringify(value)}\n`;

const refusal = (id: string | number | null, code: number, text: string) => ({
  jsonrpc: '2.0',
  id,
  error: { code, message: expect.stringContaining(text) },
});

describe('lines', () => {
  it('are cut at newlines, in whatever chunks they come', async () => {
    const wire = await openWire();
    const message = { jsonrpc: '2.0', id: 'ß€😀', method: 'ping', params: { text: 'größer 漢字 😀' } };
    for (const byte of Buffer.from(line(message) + line(ping(2)))) wire.input.write(Buffer.of(byte));
    wire.input.write(line(ping(3)) + line(ping(4)));
    await settle(wire);
    expect(wire.messages).toEqual([message, ping(2), ping(3), ping(4)]);
    expect(wire.sent()).toEqual([]);
  });

  it.each([
    ['a carriage return before the newline', `${JSON.stringify(PING)}\r\n`],
    ['a byte order mark', `\uFEFF${line(PING)}`],
    ['white space around the message', ` \t${JSON.stringify(PING)} \n`],
    ['empty lines around it', `\n\r\n  \n${line(PING)}\n\n`],
    ['members JSON-RPC does not know', line({ ...PING, traceId: 7 })],
  ])('may have %s', async (_what, text) => {
    const wire = await openWire();
    wire.input.write(text);
    await settle(wire);
    expect(wire.messages).toEqual([PING]);
    expect(wire.sent()).toEqual([]);
  });

  it('that end with the stream instead of a newline are read too', async () => {
    const wire = await openWire();
    wire.input.end(JSON.stringify(PING));
    await until(() => wire.closes.length === 2);
    expect(wire.messages).toEqual([PING]);
  });

  it('are read as well when somebody else has set an encoding on stdin', async () => {
    const wire = await openWire();
    wire.input.setEncoding('utf8');
    wire.input.write(line({ ...PING, id: '漢' }));
    await settle(wire);
    expect(wire.messages).toEqual([{ ...PING, id: '漢' }]);
  });

  it('may hold any number of brackets inside of texts', async () => {
    const wire = await openWire();
    const text = JSON.stringify(`${'['.repeat(5000)}\\"${'{'.repeat(5000)}`);
    wire.input.write(`{"jsonrpc":"2.0","id":1,"method":"x","params":{"text":${text}}}\n`);
    await settle(wire);
    expect(wire.sent()).toEqual([]);
    expect(wire.messages).toEqual([expect.objectContaining({ id: 1 })]);
  });
});

describe('a bad line is refused and the next one is read:', () => {
  it.each<[what: string, bytes: string | Buffer, ...expected: Parameters<typeof refusal>]>([
    ['no JSON', '{"jsonrpc":"2.0","id":1,', null, -32700, 'Parse error'],
    ['bare words', 'hello', null, -32700, 'Parse error'],
    ['invalid UTF-8', Buffer.from([0x22, 0xc3, 0x28, 0x22]), null, -32700, 'UTF-8'],
    ['UTF-8 cut short', Buffer.from([0x22, 0xe2, 0x82]), null, -32700, 'UTF-8'],
    ['a zero byte', '\0', null, -32700, 'Parse error'],
    ['a batch', JSON.stringify([PING]), null, -32600, 'batches'],
    ['an empty batch', '[]', null, -32600, 'batches'],
    ['null', 'null', null, -32600, 'JSON object'],
    ['a number', '7', null, -32600, 'JSON object'],
    ['a text', '"ping"', null, -32600, 'JSON object'],
    ['an empty object', '{}', null, -32600, 'exactly one of'],
    ['no method', '{"jsonrpc":"2.0","id":5}', 5, -32600, 'exactly one of'],
    ['a method and a result', '{"jsonrpc":"2.0","id":5,"method":"x","result":{}}', 5, -32600, 'exactly one of'],
    ['no version', '{"id":"a","method":"ping"}', 'a', -32600, 'jsonrpc'],
    ['another version', '{"jsonrpc":"1.0","id":5,"method":"ping"}', 5, -32600, 'jsonrpc'],
    ['a method that is no text', '{"jsonrpc":"2.0","id":5,"method":1}', 5, -32600, 'method'],
    ['an id that is null', '{"jsonrpc":"2.0","id":null,"method":"ping"}', null, -32600, 'id must be'],
    ['an id that is an object', '{"jsonrpc":"2.0","id":{},"method":"ping"}', null, -32600, 'id must be'],
    ['an id that is a fraction', '{"jsonrpc":"2.0","id":1.5,"method":"ping"}', 1.5, -32600, 'id must be'],
    ['an id too big to be kept', '{"jsonrpc":"2.0","id":9007199254740993,"method":"ping"}', null, -32600, 'id must be'],
    ['params that are a text', '{"jsonrpc":"2.0","id":5,"method":"ping","params":"x"}', 5, -32600, 'params'],
    ['params that are null', '{"jsonrpc":"2.0","id":5,"method":"ping","params":null}', 5, -32600, 'params'],
    ['params that are a list', '{"jsonrpc":"2.0","id":5,"method":"ping","params":[1]}', 5, -32602, 'params'],
    ['a bad _meta', '{"jsonrpc":"2.0","id":5,"method":"ping","params":{"_meta":7}}', 5, -32602, '_meta'],
    [
      'a bad progress token',
      '{"jsonrpc":"2.0","id":5,"method":"ping","params":{"_meta":{"progressToken":{}}}}',
      5,
      -32602,
      'progressToken',
    ],
    ['a notification without a version', '{"method":"notifications/x"}', null, -32600, 'jsonrpc'],
    ['a result that is no object', '{"jsonrpc":"2.0","id":5,"result":7}', null, -32600, 'response'],
    ['an error that is a text', '{"jsonrpc":"2.0","id":5,"error":"no"}', null, -32600, 'response'],
    ['a response to nothing', '{"jsonrpc":"2.0","result":{}}', null, -32600, 'response'],
  ])('%s', async (_what, bytes, ...expected) => {
    const wire = await openWire();
    wire.input.write(bytes);
    wire.input.write(`\n${line(ping('next'))}`);
    await settle(wire);
    expect(await wire.untilSent(1)).toEqual([refusal(...expected)]);
    expect(wire.messages).toEqual([ping('next')]);
    expect(wire.closes).toEqual([]);
  });

  it('a notification with bad params is reported, not answered', async () => {
    const wire = await openWire();
    wire.input.write(line({ jsonrpc: '2.0', method: 'notifications/cancelled', params: [1] }));
    await settle(wire);
    expect(wire.errors.map(String)).toEqual([expect.stringContaining('notifications/cancelled')]);
    expect(wire.messages).toEqual([]);
    expect(wire.sent()).toEqual([]);
  });

  it('an error that answers nothing is not answered either, so that no two peers talk for ever', async () => {
    const wire = await openWire();
    const error = { code: -32700, message: 'Parse error' };
    wire.input.write(line({ jsonrpc: '2.0', id: null, error }));
    await settle(wire);
    expect(wire.messages).toEqual([{ jsonrpc: '2.0', error }]);
    expect(wire.sent()).toEqual([]);
  });

  it('a hundred thousand nested lists', async () => {
    const wire = await openWire();
    const params = `{"deep":${'['.repeat(100_000)}${']'.repeat(100_000)}}`;
    wire.input.write(`{"jsonrpc":"2.0","id":1,"method":"x","params":${params}}\n`);
    wire.input.write(`${'['.repeat(100_000)}\n${line(ping('next'))}`);
    await settle(wire);
    expect(wire.sent()).toEqual([refusal(1, -32600, '100 levels'), refusal(null, -32600, '100 levels')]);
    expect(wire.messages).toEqual([ping('next')]);
  });
});

describe('a line beyond the limit', () => {
  const call = (id: unknown, text: string) => ({
    method: 'tools/call',
    params: { id: 99, list: [{ id: 98 }], text },
    jsonrpc: '2.0',
    id,
  });

  it('is refused with its id, and the next line is read', async () => {
    const wire = await openWire({ maxLineBytes: 1000 });
    wire.input.write(line(call('late', '\\"}]{['.repeat(1000))) + line(ping('next')));
    await settle(wire);
    expect(wire.sent()).toEqual([refusal('late', -32600, '1000 bytes')]);
    expect(wire.messages).toEqual([ping('next')]);
  });

  it('starts one byte above it', async () => {
    const exact = line(call(7, 'x'.repeat(500)));
    const wire = await openWire({ maxLineBytes: exact.length - 1 });
    wire.input.write(exact);
    wire.input.write(` ${exact}`);
    await settle(wire);
    expect(wire.messages).toEqual([call(7, 'x'.repeat(500))]);
    expect(wire.sent()).toEqual([refusal(7, -32600, 'bytes long at most')]);
  });

  it.each([
    ['is no JSON', `{"id":7,"method":"x"${'}'.repeat(2000)}`],
    ['is a batch', line([call(7, 'x'.repeat(2000))]).trim()],
    ['is a response: its id is ours', line({ jsonrpc: '2.0', id: 7, result: { text: 'x'.repeat(2000) } }).trim()],
    ['has too much on its top level', `{"id":7,"method":"${'x'.repeat(5000)}"}`],
    ['has an id of many bytes', `{"method":"x","id":"${'x'.repeat(5000)}"}`],
  ])('is refused without an id when it %s', async (_what, text) => {
    const wire = await openWire({ maxLineBytes: 1000 });
    wire.input.write(`${text}\n`);
    await settle(wire);
    expect(wire.sent()).toEqual([refusal(null, -32600, '1000 bytes')]);
  });

  it('is not kept in memory', async () => {
    const wire = await openWire({ maxLineBytes: 100_000 });
    const chunk = Buffer.alloc(1024 * 1024, 'x');
    wire.input.write('{"jsonrpc":"2.0","id":1,"method":"x","params":{"text":"');
    const before = process.memoryUsage().arrayBuffers;
    for (let i = 0; i < 150; i += 1) {
      // A buffer of its own each time: what is kept would show.
      if (!wire.input.write(Buffer.from(chunk))) await once(wire.input, 'drain');
    }
    const grown = process.memoryUsage().arrayBuffers - before;
    wire.input.write('"}}\n');
    await settle(wire);
    expect(wire.sent()).toEqual([refusal(1, -32600, '100000 bytes')]);
    expect(grown).toBeLessThan(140 * 1024 * 1024);
  });

  it.each([0, -1, 1.5, Number.NaN, '10'])('%o is no limit', (maxLineBytes) => {
    expect(() => new StdioTransport({ maxLineBytes: maxLineBytes as number })).toThrow(
      expect.objectContaining({ code: 'INVALID_ARGUMENT', message: expect.stringContaining('maxLineBytes') }),
    );
  });
});
