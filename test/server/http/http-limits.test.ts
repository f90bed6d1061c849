import { request as httpRequest } from 'node:http';
import { createMemoryStore, createServer } from 'holdfast';
import { describe, expect, it } from 'vitest';
import { openHttp, openSession, post, postModern, readJson } from '../open-http.ts';

const LIST = { method: 'tools/list' };

/** The status of a request with a Host header of its own, which fetch would not send. */
function statusFor(url: string, headers: Record<string, string>): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const request = httpRequest(url, { headers: { accept: 'text/event-stream', ...headers } }, (response) => {
      response.resume();
      resolve(response.statusCode);
    });
    request.on('error', reject).end();
  });
}

describe('HTTP', () => {
  it('refuses requests addressed to other hosts or sent by pages of other origins', async () => {
    const url = await (await openHttp()).serve();
    expect(await statusFor(url, { host: 'evil.example' })).toBe(403);
    expect((await postModern(url, { ...LIST, headers: { origin: 'https://evil.example' } })).status).toBe(403);
    expect((await postModern(url, { ...LIST, headers: { origin: 'http://localhost:3000' } })).status).toBe(403);
    expect((await postModern(url, { ...LIST, headers: { origin: new URL(url).origin } })).status).toBe(200);
  });

  it('accepts the hosts and origins it is told to', async () => {
    const http = { allowedHosts: ['127.0.0.1', 'mcp.example:8443'], allowedOrigins: ['https://app.example'] };
    const url = await (await openHttp()).serve({ http });
    expect(await statusFor(url, { host: 'mcp.example' })).toBe(400);
    expect((await postModern(url, { ...LIST, headers: { origin: 'https://app.example' } })).status).toBe(200);
    expect((await postModern(url, { ...LIST, headers: { origin: 'http://localhost' } })).status).toBe(403);
  });

  it('refuses a body over the limit, and serves the next', async () => {
    const url = await (await openHttp()).serve({ http: { maxBodyBytes: 1000 } });
    const big = { ...LIST, params: { padding: 'x'.repeat(1000) } };
    expect((await postModern(url, big)).status).toBe(413);
    expect((await postModern(url, LIST)).status).toBe(200);
  });

  it('refuses what is not JSON, or not JSON-RPC', async () => {
    const url = await (await openHttp()).serve();
    const noJson = await post(url, { body: '{' });
    expect([noJson.status, (await readJson(noJson)).error?.code]).toEqual([400, -32700]);
    const empty = await post(url, { body: '' });
    expect([empty.status, (await readJson(empty)).error?.code]).toEqual([400, -32700]);
    for (const body of ['null', '7', '[]', '{}', '[1]']) {
      const response = await post(url, { body });
      expect(response.status, body).toBe(400);
    }
    expect((await post(url, { body: '{}', headers: { 'content-type': 'text/plain' } })).status).toBe(415);
    const headers = await openSession(url);
    for (const body of ['null', '7', '[]', '{}', '[1]', '{"jsonrpc":"2.0","id":"holdfast:x:y"}']) {
      const response = await post(url, { body, headers });
      expect(response.status, body).toBeGreaterThanOrEqual(400);
    }
    expect((await postModern(url, LIST)).status).toBe(200);
  });

  it('is served at one path only', async () => {
    const url = await (await openHttp()).serve();
    expect((await fetch(new URL('/', url))).status).toBe(404);
    expect((await fetch(new URL('/mcp/other', url))).status).toBe(404);
    expect((await fetch(new URL('/mcp?x=1', url))).status).toBe(400);
  });

  it('refuses methods it does not know', async () => {
    const url = await (await openHttp()).serve();
    const headers = await openSession(url);
    expect((await fetch(url, { method: 'PUT', headers })).status).toBe(405);
  });

  it('is not served to other machines without a verifier', async () => {
    const server = createServer({ name: 'test', version: '1', store: createMemoryStore() });
    for (const host of ['0.0.0.0', '::', '192.168.1.1', 'example.org', '127.0.0.1.example.org']) {
      await expect(server.listen({ port: 0, host }), host).rejects.toMatchObject({ code: 'INVALID_ARGUMENT' });
    }
    await server.close();
  });

  it.each([
    ['verify', { verify: 'me' }],
    ['http.maxBodyBytes', { http: { maxBodyBytes: 0 } }],
    ['http.firstCommentMs', { http: { firstCommentMs: 1.5 } }],
    ['http.allowedHosts', { http: { allowedHosts: 'localhost' } }],
    ['http.allowedOrigins', { http: { allowedOrigins: ['app.example'] } }],
    ['http.allowedOrigins', { http: { allowedOrigins: ['https://*'] } }],
    ['http.allowedOrigins', { http: { allowedOrigins: ['https://app.example/path'] } }],
    ['http.resourceMetadata', { http: { resourceMetadata: '/.well-known/x' } }],
    ['http.perPrincipal.requests', { http: { perPrincipal: { requests: 0 } } }],
    ['http.sessionMaxAgeMs', { http: { sessionMaxAgeMs: -1 } }],
    ['limits.perPrincipal.sessions', { limits: { perPrincipal: { sessions: 0 } } }],
    ['unprotected', { unprotected: 'yes' }],
    ['unprotected', { unprotected: true, verify: () => undefined }],
    ['secret', { secret: '' }],
  ])('names the option that is wrong: %s', (field, options) => {
    const make = () => createServer({ name: 'test', version: '1', ...(options as object) });
    expect(make).toThrowError(
      expect.objectContaining({ code: 'INVALID_ARGUMENT', message: expect.stringContaining(field) }),
    );
  });
});
