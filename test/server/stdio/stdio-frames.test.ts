import { until } from 'holdfast/testing';
import { describe, expect, it } from 'vitest';
import { MAX_HEADER_BYTES, MAX_SKIPPED_BYTES } from '../../../src/limits.ts';
import type { StdioTransportOptions } from '../../../src/server/stdio/stdio-transport.ts';
import { openWire, type Seen } from '../open-wire.ts';

const ping = (id: number | string) => ({ jsonrpc: '2.0' as const, id, method: 'ping' });
const framed = (value: unknown) => {
  const text = JSON.stringify(value);
  return `Content-Length: ${Buffer.byteLength(text)}\r\n\r\n${text}`;
};

/** A transport whose frames can be read. */
async function openFrames(options: StdioTransportOptions = {}) {
  const wire = await openWire(options);
  let text = '';
  wire.output.on('data', (chunk: Buffer) => {
    text += chunk.toString('latin1');
  });
  const last = async () => {
    wire.input.write(framed(ping('last')));
    await until(() => wire.messages.some((message) => 'id' in message && message.id === 'last'));
    return wire.messages.slice(0, -1);
  };
  return { ...wire, last, answers: () => readFrames(text) };
}

function readFrames(text: string): Seen[] {
  if (text === '') return [];
  const [, digits = '', rest = ''] = /^Content-Length: (\d+)\r\n\r\n([\s\S]*)$/.exec(text) ?? [];
  const body = rest.slice(0, Number(digits));
  const message = JSON.parse(Buffer.from(body, 'latin1').toString()) as Seen;
  return [message, ...readFrames(rest.slice(body.length))];
}

describe('a client that begins with a Content-Length header', () => {
  it('[HOSTS-200] is read at whatever byte its frames are split, and answered in frames', async () => {
    const { input, transport, last, answers } = await openFrames();
    const message = { ...ping('ß€😀'), params: { text: 'größer\n漢字 😀' } };
    for (const byte of Buffer.from(framed(message) + framed(ping(2)))) input.write(Buffer.of(byte));
    input.write(framed(ping(3)) + framed(ping(4)));
    expect(await last()).toEqual([message, ping(2), ping(3), ping(4)]);
    await transport.send({ jsonrpc: '2.0', id: 2, result: { text: 'größer 😀' } });
    expect(answers()).toEqual([{ jsonrpc: '2.0', id: 2, result: { text: 'größer 😀' } }]);
  });

  it.each([
    ['other headers', 'Content-Type: application/vscode-jsonrpc; charset=utf-8\r\n', ''],
    ['other headers behind it', '', 'X-Other: 1\r\n'],
    ['bare newlines', '', '\n'],
    ['blanks before it', ' \r\n\t\r\n', ''],
  ])('[HOSTS-200] may send %s', async (_what, before, behind) => {
    const { input, last } = await openFrames();
    const text = JSON.stringify(ping(1));
    const end = behind === '\n' ? '\n\n' : `\r\n${behind}\r\n`;
    input.write(`${before}content-LENGTH:${text.length}${end}${text}`);
    expect(await last()).toEqual([ping(1)]);
  });

  it.each([
    ['no length', 'X-Other: 1\r\n\r\n', 'no Content-Length'],
    ['a negative one', 'Content-Length: -5\r\n\r\n', 'whole number'],
    ['a text', 'Content-Length: nope\r\n\r\n', 'whole number'],
    ['none', 'Content-Length:\r\n\r\n', 'whole number'],
    ['a fraction', 'Content-Length: 1.5\r\n\r\n', 'whole number'],
    ['a huge one', `Content-Length: ${MAX_SKIPPED_BYTES + 1}\r\n\r\n`, `${MAX_SKIPPED_BYTES} at most`],
    ['more digits than a number has', `Content-Length: ${'9'.repeat(400)}\r\n\r\n`, 'whole number'],
    ['two', 'Content-Length: 2\r\nContent-Length: 2\r\n\r\n{}', 'more than one'],
    ['no end', `X-Long: ${'x'.repeat(MAX_HEADER_BYTES)}`, `${MAX_HEADER_BYTES} bytes long at most`],
    ['too many lines', 'X-Other: 1\r\n'.repeat(MAX_HEADER_BYTES / 8), `${MAX_HEADER_BYTES} bytes long at most`],
  ])('[HOSTS-201] with %s is refused once, and its next message is read', async (_what, hostile, why) => {
    const { input, last, answers } = await openFrames();
    input.write(framed(ping(1)) + hostile);
    expect(await last()).toEqual([ping(1)]);
    const error = { code: -32700, message: expect.stringContaining(why) };
    expect(answers()).toEqual([{ jsonrpc: '2.0', id: null, error }]);
  });

  it('[HOSTS-201] is refused a message beyond the limit by its id, and none of it is kept', async () => {
    const { input, last, answers } = await openFrames({ maxLineBytes: 200 });
    input.write(framed({ ...ping(7), params: { text: 'x'.repeat(300) } }) + framed(ping(8)));
    expect(await last()).toEqual([ping(8)]);
    expect(answers()).toMatchObject([{ id: 7, error: { code: -32600 } }]);
  });

  it('[HOSTS-201] and ends within a message is told nothing but that', async () => {
    const { input, closes, messages, answers } = await openFrames();
    input.end(framed(ping(1)).slice(0, -3));
    await until(() => closes.length === 2);
    expect(messages).toEqual([]);
    expect(answers()).toMatchObject([{ id: null, error: { message: expect.stringContaining('ended within') } }]);
  });

  it('[HOSTS-200] decides for good: one that begins with a line is read and answered in lines', async () => {
    const wire = await openWire();
    wire.input.write(`${JSON.stringify(ping(1))}\n${framed(ping(2))}\n${JSON.stringify(ping(3))}\n`);
    await until(() => wire.messages.length === 3);
    await wire.transport.send({ jsonrpc: '2.0', id: 3, result: {} });
    expect(wire.sent()).toMatchObject([
      { id: null, error: { code: -32700 } },
      { id: 3, result: {} },
    ]);
  });
});
