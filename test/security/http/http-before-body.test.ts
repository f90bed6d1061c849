import { until } from 'holdfast/testing';
import { describe, expect, it } from 'vitest';
import { openHttp, postModern } from '../../server/open-http.ts';
import { openLine, toHead } from './raw-http.ts';

const LIST = { method: 'tools/list' };
const ADA = { authorization: 'Bearer ada' };
const UPLOAD = { 'content-length': '4000000' };
const BUSY_MS = 30_000;

function verify(request: Request) {
  const subject = /^Bearer (\w+)$/.exec(request.headers.get('authorization') ?? '')?.[1];
  return subject ? { issuer: 'https://id.example', subject } : undefined;
}

describe('before anything of a body is read', () => {
  it.each([
    ['an unknown sender', {}, 401],
    ['a page of another origin', { ...ADA, origin: 'https://evil.example' }, 403],
    ['another host', { ...ADA, host: 'evil.example' }, 403],
  ] as const)('[SEC-210] %s is refused, though its body never comes', async (_, headers, status) => {
    const url = await (await openHttp()).serve({ verify });
    const line = await openLine(url);
    line.send(toHead({ url, headers: { ...headers, ...UPLOAD } }));
    expect(await line.head()).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
  });

  it('[SEC-210] a path that is not served is refused too', async () => {
    const url = await (await openHttp()).serve({ verify });
    const line = await openLine(url);
    line.send(toHead({ url: new URL('/upload', url).href, headers: UPLOAD }));
    expect(await line.head()).toMatch(/^HTTP\/1.1 404 /);
  });

  it('[SEC-211] an upload without end by an unknown sender costs it the connection, and the server a few buffers', async () => {
    const url = await (await openHttp()).serve({ verify });
    const line = await openLine(url);
    line.send(toHead({ url, headers: { 'transfer-encoding': 'chunked' } }));
    const chunk = `10000\r\n${'x'.repeat(0x10000)}\r\n`;
    const pump = () => {
      while (!line.isClosed() && line.socket.write(chunk));
    };
    line.socket.on('drain', pump);
    pump();
    await until(() => line.isClosed(), { what: 'the end of the connection', timeoutMs: BUSY_MS });
    // What the system buffers on both sides is not ours to bound.
    expect(line.socket.bytesWritten).toBeLessThan(32 * 1024 * 1024);
    expect((await postModern(url, { ...LIST, headers: ADA })).status).toBe(200);
  });

  it('[SEC-212] nobody who is refused is told to go on with its body', async () => {
    const url = await (await openHttp()).serve({ verify });
    const refused = await openLine(url);
    refused.send(toHead({ url, headers: { ...UPLOAD, expect: '100-continue' } }));
    expect(await refused.head()).toMatch(/^HTTP\/1.1 401 /);
    const welcome = await openLine(url);
    welcome.send(toHead({ url, headers: { ...ADA, 'content-length': '2', expect: '100-continue' } }));
    expect(await welcome.head()).toMatch(/^HTTP\/1.1 100 /);
    welcome.send('{}');
    await until(() => welcome.received().includes('HTTP/1.1 400 '), { what: 'the answer', timeoutMs: BUSY_MS });
  });

  it('[SEC-212] a small body that was refused costs nobody the connection', async () => {
    const url = await (await openHttp()).serve({ verify });
    const line = await openLine(url);
    line.send(`${toHead({ url, headers: { 'content-length': '2' } })}{}`);
    expect(await line.head()).toMatch(/^HTTP\/1.1 401 /);
    line.send(`${toHead({ url, headers: { ...ADA, 'content-length': '2' } })}{}`);
    await until(() => line.received().includes('HTTP/1.1 400 '), { what: 'the second answer', timeoutMs: BUSY_MS });
  });

  it('[SEC-210] a verifier sees the head of the request', async () => {
    const seen: string[] = [];
    const url = await (await openHttp()).serve({
      verify(request) {
        seen.push(`${request.method} ${new URL(request.url).pathname} ${request.headers.get('authorization')}`);
        return verify(request);
      },
    });
    await postModern(url, { ...LIST, headers: ADA });
    expect(seen).toEqual(['POST /mcp Bearer ada']);
  });
});

describe('who dawdles', () => {
  const http = { headersTimeoutMs: 300, requestTimeoutMs: 600 };

  it.each([
    ['says nothing', ''],
    ['over its headers', 'POST /mcp HTTP/1.1\r\nhost: 127.0.0.1\r\nx-slow: '],
  ])('[SEC-213] and %s loses the connection', async (_, text) => {
    const url = await (await openHttp()).serve({ verify, http });
    const line = await openLine(url);
    line.send(text);
    await until(() => line.isClosed(), { what: 'the end of the connection', timeoutMs: BUSY_MS });
  });

  it('[SEC-213] over its body loses the connection, known or not', async () => {
    const url = await (await openHttp()).serve({ verify, http });
    const line = await openLine(url);
    line.send(`${toHead({ url, headers: { ...ADA, ...UPLOAD } })}{`);
    await until(() => line.isClosed(), { what: 'the end of the connection', timeoutMs: BUSY_MS });
    expect(line.received()).toMatch(/^HTTP\/1.1 (400|408) /);
    expect((await postModern(url, { ...LIST, headers: ADA })).status).toBe(200);
  });

  it('[SEC-213] and waits for an answer is not meant', async () => {
    const rig = await openHttp();
    const url = await rig.serve({ verify, http: { ...http, firstCommentMs: 50, keepAliveMs: 50 } });
    const params = { name: 'wait', arguments: {} };
    const waiting = postModern(url, { method: 'tools/call', params, headers: ADA });
    const dawdler = await openLine(url);
    dawdler.send('POST');
    await until(() => dawdler.isClosed(), { what: 'the end of the other connection', timeoutMs: BUSY_MS });
    rig.open();
    expect(await (await waiting).text()).toContain('waited');
  });
});
