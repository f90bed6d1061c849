import { once } from 'node:events';
import { Writable } from 'node:stream';
import type { JSONRPCMessage } from '@modelcontextprotocol/server';
import { until } from 'holdfast/testing';
import { describe, expect, it } from 'vitest';
import { StdioTransport } from '../../../src/server/stdio/stdio-transport.ts';
import { openWire, settle } from '../open-wire.ts';

const PING: JSONRPCMessage = { jsonrpc: '2.0', id: 1, method: 'ping' };
const ping = (id: number | string) => ({ ...PING, id });
const line = (value: unknown) => `${JSON.stringify(value)}\n`;

describe('handlers', () => {
  it('get what the interceptor leaves', async () => {
    const seen: JSONRPCMessage[] = [];
    const answer = { jsonrpc: '2.0' as const, id: 'holdfast:task:q1', result: {} };
    const wire = await openWire({
      intercept(message) {
        seen.push(message);
        return 'id' in message && message.id === answer.id;
      },
    });
    const cancelled = { jsonrpc: '2.0' as const, method: 'notifications/cancelled', params: { requestId: 1 } };
    wire.input.write(line(cancelled) + line(answer) + line(PING));
    await settle(wire);
    expect(seen.slice(0, 3)).toEqual([cancelled, answer, PING]);
    expect(wire.messages).toEqual([cancelled, PING]);
  });

  it('that throw are reported, and the request is answered', async () => {
    const wire = await openWire({
      intercept(message) {
        if ('id' in message && message.id === 1) throw new Error('secret');
        return false;
      },
    });
    wire.input.write(line(PING) + line(ping(2)));
    await settle(wire);
    expect(await wire.untilSent(1)).toEqual([
      { jsonrpc: '2.0', id: 1, error: { code: -32603, message: 'Internal error' } },
    ]);
    expect(wire.errors).toEqual([new Error('secret')]);
    expect(wire.messages).toEqual([ping(2)]);
  });

  it('that close the connection get no further message of the same chunk', async () => {
    const wire = await openWire();
    const { transport, messages } = wire;
    transport.onmessage = (message) => {
      messages.push(message);
      void transport.close();
    };
    wire.input.write(`${line(PING)}${line(ping(2))}no JSON\n`);
    await until(() => wire.closes.length === 2);
    expect(messages).toEqual([PING]);
    expect(wire.sent()).toEqual([]);
  });
});

describe('send', () => {
  it('writes each message as one frame, and never two at once', async () => {
    const writes: string[] = [];
    let underWay = 0;
    const output = new Writable({
      highWaterMark: 1,
      write(chunk: Buffer, _encoding, callback) {
        underWay += 1;
        expect(underWay).toBe(1);
        writes.push(chunk.toString());
        setImmediate(() => {
          underWay -= 1;
          callback();
        });
      },
    });
    const { transport } = await openWire({ output });
    const messages = Array.from({ length: 50 }, (_, id) => ({ ...PING, id, params: { text: 'é\n'.repeat(id * 100) } }));
    await Promise.all(messages.map((message) => transport.send(message)));
    expect(writes).toEqual(messages.map(line));
  });

  it('resolves when the client has taken the frame', async () => {
    let take: (() => void) | undefined;
    const output = new Writable({
      write(_chunk, _encoding, callback) {
        take = callback;
      },
    });
    const { transport } = await openWire({ output });
    let isSent = false;
    const sent = transport.send(PING).then(() => {
      isSent = true;
    });
    await new Promise((resolve) => setImmediate(resolve));
    expect(isSent).toBe(false);
    take?.();
    await sent;
  });

  it('stops reading requests while a client leaves very much unread', async () => {
    const taken: (() => void)[] = [];
    const output = new Writable({
      write(_chunk, _encoding, callback) {
        taken.push(callback);
      },
    });
    const wire = await openWire({ output });
    const text = 'x'.repeat(40 * 1024 * 1024);
    const sends = [1, 2].map((id) => wire.transport.send({ jsonrpc: '2.0', id, result: { text } }));
    expect(wire.input.isPaused()).toBe(true);
    wire.input.write(line(PING));
    taken.shift()?.();
    await sends[0];
    await until(() => wire.messages.length === 1);
    taken.shift()?.();
    await sends[1];
  });

  it('answers with an error what has no JSON form', async () => {
    const wire = await openWire();
    const send = wire.transport.send({ jsonrpc: '2.0', id: 5, result: { big: 10n } });
    await expect(send).rejects.toMatchObject({ code: 'RESULT_NOT_SERIALIZABLE' });
    expect(wire.sent()).toMatchObject([
      { id: 5, error: { code: -32603, message: 'Internal error: the result has no JSON form' } },
    ]);
  });

  it('rejects before the start and after the end', async () => {
    const fresh = new StdioTransport({ output: new Writable() });
    await expect(fresh.send(PING)).rejects.toMatchObject({ code: 'CONNECTION_CLOSED' });
    const { transport, closes } = await openWire();
    await transport.close();
    await expect(transport.send(PING)).rejects.toMatchObject({ code: 'CONNECTION_CLOSED' });
    await transport.close();
    expect(closes).toEqual(['closed', 'ended']);
  });
});

describe('the end', () => {
  it('comes with the end of stdin, once, and nothing is delivered after it', async () => {
    const wire = await openWire();
    const closed = once(wire.input, 'close');
    wire.input.end(line(PING));
    await closed;
    await until(() => wire.closes.length > 0);
    expect(wire.messages).toEqual([PING]);
    expect(wire.closes).toEqual(['closed', 'ended']);
    expect(wire.errors).toEqual([]);
  });

  it('lets the last request be answered when that needs no waiting', async () => {
    const wire = await openWire();
    const answer = async () => {
      for (let turn = 0; turn < 10; turn += 1) await undefined;
      await wire.transport.send({ jsonrpc: '2.0', id: 1, result: {} });
    };
    wire.transport.onmessage = () => void answer();
    wire.input.end(JSON.stringify(PING));
    await until(() => wire.closes.length > 0);
    expect(wire.sent()).toEqual([{ jsonrpc: '2.0', id: 1, result: {} }]);
  });

  it('comes at once when stdin is over before the start', async () => {
    const { transport, input } = await openWire();
    await transport.close();
    input.end();
    input.resume();
    await once(input, 'close');
    const wire = await openWire({ input });
    await until(() => wire.closes.length === 2);
  });

  it.each(['EPIPE', 'ECONNRESET'])('comes quietly when the client has closed stdout (%s)', async (code) => {
    const output = new Writable({ write: (_chunk, _encoding, callback) => callback(toErrno(code)) });
    const wire = await openWire({ output });
    await expect(wire.transport.send(PING)).rejects.toMatchObject({ code: 'CONNECTION_CLOSED' });
    wire.input.emit('error', toErrno(code));
    expect(wire.closes).toEqual(['closed', 'ended']);
    expect(wire.errors).toEqual([]);
  });

  it('comes with a report when a stream fails otherwise', async () => {
    const wire = await openWire();
    wire.input.destroy(toErrno('EIO'));
    await until(() => wire.closes.length === 2);
    expect(wire.errors).toMatchObject([{ code: 'EIO' }]);
  });

  it('waits until what was sent has left, but not for ever', async () => {
    const stuck = await openWire({ output: new Writable({ write() {} }) });
    void stuck.transport.send(PING);
    await stuck.transport.close();
    expect(stuck.closes).toEqual(['closed', 'ended']);

    const slow = new Writable({ write: (_chunk, _encoding, callback) => setImmediate(callback) });
    const wire = await openWire({ output: slow });
    const sent = wire.transport.send(PING).then(() => 'sent');
    await wire.transport.close();
    expect(slow.writableLength).toBe(0);
    expect(await sent).toBe('sent');
  });

  it('cannot be followed by a second start', async () => {
    const { transport } = await openWire();
    await expect(transport.start()).rejects.toMatchObject({ code: 'ALREADY_CONNECTED' });
  });
});

function toErrno(code: string): Error {
  return Object.assign(new Error(`write ${code}`), { code });
}
