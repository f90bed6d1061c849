import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import fc from 'fast-check';
import { until } from 'holdfast/testing';
import { describe, expect, it, onTestFinished } from 'vitest';
import { openHttpConnection } from '../../../src/campaign/soak/peers/http-connection.ts';
import { MessageReader } from '../../../src/campaign/soak/peers/message-reader.ts';
import { PendingRequests } from '../../../src/campaign/soak/pending-requests.ts';
import { judgeAnswer, toCall, type Workload } from '../../../src/campaign/soak/workload.ts';
import { MAX_LINE_BYTES } from '../../../src/limits.ts';

const PING = { method: 'ping', params: {} };

describe('what a server writes on stdout', () => {
  it('[BAD-504] is read as lines and as frames, however it is cut, and the rest is skipped', () => {
    const framed = (text: string) => `Content-Length: ${Buffer.byteLength(text)}\r\nX-Other: 1\r\n\r\n${text}`;
    const text = `hello\n{"a":1}\n\n${framed('{"b":"é"}')}[1]\nContent-Length: nope\r\n\r\n{"c":3}\n${framed('{"d":4}')}`;
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 1, max: 40 })), (sizes) => {
        const reader = new MessageReader();
        let rest = Buffer.from(text);
        const found = [...sizes, rest.length].flatMap((size) => {
          const chunk = rest.subarray(0, size);
          rest = rest.subarray(size);
          return reader.read(chunk);
        });
        expect(found).toEqual([{ a: 1 }, { b: 'é' }, { c: 3 }, { d: 4 }]);
      }),
    );
  });

  it('[BAD-506] never fills the memory of who measures', () => {
    const reader = new MessageReader();
    const chunk = Buffer.alloc(1024 * 1024, 'x');
    for (let sent = 0; sent <= MAX_LINE_BYTES; sent += chunk.length) expect(reader.read(chunk)).toEqual([]);
    expect(reader.read(Buffer.from(`\nContent-Length: 99999999999\r\n\r\n{"a":1}\n`))).toEqual([{ a: 1 }]);
  });
});

describe('an answer that nobody waits for', () => {
  it('[BAD-506] is told by what it is: repeated, late or unasked', async () => {
    const book = new PendingRequests();
    const answer = book.expect('1', 60_000);
    book.settle({ id: '1', result: {} });
    book.settle({ id: '1', result: {} });
    book.settle({ id: null, error: { code: -32700, message: 'Parse error' } });
    book.settle({ id: 'x'.repeat(1000), result: {} });
    expect(await answer).toEqual({ kind: 'result', result: {} });
    await expect(book.expect('2', 1)).rejects.toThrow('timed out waiting for response id=2');
    book.settle({ id: '2', result: {} });
    expect(book.strayResponses).toEqual([
      'duplicate_response:1',
      expect.stringMatching(/^unasked_response:x{150,200}/),
      'late_response:2',
    ]);
    const open = book.expect('3', 60_000);
    book.close(new Error('gone'));
    await expect(open).rejects.toThrow('gone');
    await expect(book.expect('4', 60_000)).rejects.toThrow('gone');
  });
});

describe('a server over HTTP', () => {
  /** Answers every request with this. */
  async function open(status: number, answer: string | 'endless') {
    const server = createServer((request, response) => {
      request.resume().on('end', () => {
        response.writeHead(status, { 'content-type': 'application/json' });
        if (answer !== 'endless') return void response.end(answer);
        const chunk = 'x'.repeat(1024 * 1024);
        const more = () => void (response.destroyed || response.write(chunk, more));
        more();
      });
    });
    server.listen(0, '127.0.0.1');
    await until(() => server.listening, { what: 'the server to listen' });
    const connection = openHttpConnection(
      { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` },
      '2025-11-25',
    );
    onTestFinished(async () => {
      await connection.close();
      server.closeAllConnections();
      server.close();
    });
    return (id: string) => connection.request({ id, ...PING, timeoutMs: 60_000 });
  }

  it('[BAD-506] that gives no answer, another one or an endless one ends the wait with the reason', async () => {
    await expect((await open(401, 'no'))('1')).rejects.toThrow('HTTP 401 without an answer');
    await expect((await open(200, '{"jsonrpc":"2.0","id":"7","result":{}}'))('1')).rejects.toThrow('HTTP 200');
    await expect((await open(200, 'endless'))('1')).rejects.toThrow('the answer is larger than');
    expect(await (await open(200, '{"jsonrpc":"2.0","id":"1"}'))('1')).toMatchObject({
      kind: 'error',
      code: 'unknown',
    });
  });
});

describe('the name of a call', () => {
  const measured = { tool: 'echo', args: { text: 'a {call} b', deep: [{ x: '{call}' }] } };
  const workload: Workload = {
    measured,
    probe: measured,
    killed: measured,
    expect: 'result',
    errorCode: '-1',
    answer: '={call}=',
  };
  const toResult = (text: string) => ({ kind: 'result' as const, result: { content: [{ type: 'text', text }] } });

  it('[BAD-504] stands in the arguments and is looked for in the answer', () => {
    expect(toCall(measured, 'soak-"7')).toEqual({
      name: 'echo',
      arguments: { text: 'a soak-"7 b', deep: [{ x: 'soak-"7' }] },
    });
    expect(judgeAnswer(toResult('=soak-7='), workload, 'soak-7')).toBeUndefined();
    expect(judgeAnswer(toResult('=soak-77='), workload, 'soak-7')).toBe('wrong_answer');
    expect(judgeAnswer({ kind: 'result', result: { isError: true } }, workload, 'soak-7')).toBe(
      'unexpected_error:isError',
    );
  });
});
