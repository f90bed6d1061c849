import { mkdtemp, rm } from 'node:fs/promises';
import { request as httpRequest } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openSqliteStore } from 'holdfast';
import { describe, expect, it, onTestFinished } from 'vitest';
import { openHttp, openSession, post, postModern } from '../../server/open-http.ts';

const LIST = { method: 'tools/list' };

describe('the origin of a page', () => {
  const statusOf = async (url: string, origin: string) =>
    (await postModern(url, { ...LIST, headers: { origin } })).status;

  it('[SEC-243] passes when it is that of the server itself, with its port, and no other of this machine', async () => {
    const url = await (await openHttp()).serve();
    const { port } = new URL(url);
    expect(await statusOf(url, `http://127.0.0.1:${port}`)).toBe(200);
    const others = ['http://127.0.0.1', 'http://127.0.0.1:1', 'http://localhost:5173', `http://localhost:${port}`];
    const tricks = [`https://127.0.0.1:${port}`, `http://127.0.0.1:${port}.evil.example`, 'null', '', 'http://[::1]'];
    for (const origin of [...others, ...tricks, `http://127.0.0.1:${port}, http://evil.example`]) {
      expect(await statusOf(url, origin), origin).toBe(403);
    }
  });

  it('[SEC-243] passes when its owner named it: scheme, host and port', async () => {
    const allowedOrigins = ['https://App.example', 'http://localhost:5173/', 'moz-extension://ab-cd'];
    const url = await (await openHttp()).serve({ http: { allowedOrigins } });
    for (const origin of ['https://app.example', 'http://localhost:5173', 'moz-extension://ab-cd']) {
      expect(await statusOf(url, origin), origin).toBe(200);
    }
    const others = ['http://app.example', 'https://app.example:8443', 'http://localhost', 'https://x.app.example'];
    for (const origin of [...others, 'http://localhost:51730', 'moz-extension://ab']) {
      expect(await statusOf(url, origin), origin).toBe(403);
    }
  });

  it('[SEC-243] of a rebound name does not pass with its own host', async () => {
    const url = await (await openHttp()).serve();
    const headers = { host: 'evil.example', origin: 'http://evil.example' };
    const status = await new Promise((resolve, reject) => {
      httpRequest(url, { headers }, (response) => resolve(response.resume().statusCode))
        .on('error', reject)
        .end();
    });
    expect(status).toBe(403);
  });
});

describe('an unknown sender', () => {
  const verify = () => undefined;

  it('[SEC-244] is told where to get a token when the owner says so', async () => {
    const resourceMetadata = 'https://mcp.example/.well-known/oauth-protected-resource';
    const url = await (await openHttp()).serve({ verify, http: { resourceMetadata } });
    const response = await postModern(url, LIST);
    expect(response.status).toBe(401);
    expect(response.headers.get('www-authenticate')).toBe(`Bearer resource_metadata="${resourceMetadata}"`);
  });

  it('[SEC-244] gets a header that the URL cannot break', async () => {
    const resourceMetadata = 'https://mcp.example/a"b\r\nx: y';
    const url = await (await openHttp()).serve({ verify, http: { resourceMetadata } });
    const header = (await postModern(url, LIST)).headers.get('www-authenticate');
    expect(header).toBe('Bearer resource_metadata="https://mcp.example/a%22bx:%20y"');
  });
});

describe('a client over HTTP', () => {
  const as = { authorization: 'Bearer ada' };
  const verify = () => ({ issuer: 'https://id.example', subject: 'ada' });
  const ADD = { name: 'add', arguments: { a: 1, b: 2 } };

  it('[SEC-245] learns of a store that fails, and not where it lies; its owner learns all', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'holdfast-hidden-'));
    onTestFinished(() => rm(folder, { recursive: true }));
    const store = await openSqliteStore({ path: join(folder, 'tasks.db') });
    const reported: string[] = [];
    const onError = (error: unknown) => void reported.push(String(error));
    const url = await (await openHttp()).serve({ verify, store, onError });
    const session = await openSession(url, { headers: as });
    await store.close();
    const modern = await postModern(url, { method: 'tools/call', params: ADD, headers: as });
    const body = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: ADD };
    const legacy = await post(url, { body, headers: session });
    for (const told of [await modern.text(), await legacy.text()]) {
      expect(told).toContain('"code":-32603');
      expect(told).toContain('STORE_CLOSED');
      expect(told).not.toMatch(/tmp|tasks\.db|holdfast-hidden/);
    }
    expect(reported).toContainEqual(expect.stringContaining(join(folder, 'tasks.db')));
  });

  it('[SEC-245] learns that a program of a tool could not be started, and not which', async () => {
    const rig = await openHttp();
    const url = await rig.serve({ verify }, (server) =>
      server.tool('start', {
        async run(_, task) {
          await task.spawn('/opt/secret/place/program', []);
          return 'started';
        },
      }),
    );
    const response = await postModern(url, {
      method: 'tools/call',
      params: { name: 'start', arguments: {} },
      headers: as,
    });
    const told = await response.text();
    expect(told).toContain('SPAWN_FAILED');
    expect(told).not.toContain('secret');
  });
});
