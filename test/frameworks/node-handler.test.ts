import { once } from 'node:events';
import { createServer as createHttpServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import express from 'express';
import { fastify } from 'fastify';
import { createServer, type HoldfastServer, type ServerOptions } from 'holdfast';
import { describe, expect, it, onTestFinished } from 'vitest';
import { z } from 'zod';
import { postModern, readJson } from '../server/open-http.ts';

const errors: unknown[] = [];

/** Tools that touch no store: what is tested is the way to them. */
function makeServer(options: Partial<ServerOptions> = { unprotected: true }): HoldfastServer {
  errors.length = 0;
  const onError = (error: unknown) => void errors.push(error);
  const server = createServer({ name: 'test', version: '1.0.0', onError, ...options });
  onTestFinished(() => server.close());
  return server.tool('greet', {
    input: z.object({ name: z.string() }),
    task: 'never',
    run: ({ name }) => `Hello, ${name}!`,
  });
}

async function toUrl(server: Server): Promise<string> {
  if (!server.listening) await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`;
}

const listen = (handler: HoldfastServer['node']) =>
  toUrl(createHttpServer((message, response) => void handler(message, response)).listen(0, '127.0.0.1'));

const greet = async (url: string, headers: Record<string, string> = {}) => {
  const params = { name: 'greet', arguments: { name: 'Änn' } };
  const response = await postModern(url, { method: 'tools/call', params, headers });
  return { status: response.status, ...(await readJson(response)) };
};

const GREETED = { status: 200, result: { content: [{ type: 'text', text: 'Hello, Änn!' }] } };

describe('server.node', () => {
  it('serves a server of Node as it is', async () => {
    expect(await greet(await listen(makeServer().node))).toMatchObject(GREETED);
  });

  it.each([
    ['an object', express.json()],
    ['bytes', express.raw({ type: '*/*' })],
    ['a text', express.text({ type: '*/*' })],
    ['nothing yet', express.urlencoded()],
  ])('[FIRST-205] takes what a parser before it has made of a body: %s', async (_, parser) => {
    const app = express().use(parser).use('/mcp', makeServer().node);
    expect(await greet(await toUrl(app.listen(0, '127.0.0.1')))).toMatchObject(GREETED);
  });

  it('[FIRST-205] takes the body that Fastify has read', async () => {
    const server = makeServer();
    const app = fastify();
    onTestFinished(() => app.close());
    app.all('/mcp', (request, reply) => {
      reply.hijack();
      return server.node(request.raw, reply.raw, request.body);
    });
    await app.listen({ port: 0, host: '127.0.0.1' });
    expect(await greet(await toUrl(app.server))).toMatchObject(GREETED);
  });

  it('[FIRST-206] answers a request whose body is gone, and says how to hand it on', async () => {
    const server = makeServer();
    const url = await listen(async (message, response) => {
      for await (const _ of message);
      await server.node(message, response);
    });
    const remedy = expect.stringContaining('server.node(request.raw, reply.raw, request.body)');
    expect(await greet(url)).toMatchObject({ status: 400, error: { message: remedy } });
    expect(errors).toMatchObject([{ code: 'INVALID_ARGUMENT', message: remedy }]);
  });

  it('[FIRST-208] answers everybody with an error while nobody said who may use it', async () => {
    const remedy = expect.stringMatching(/verify.*unprotected: true/);
    expect(await greet(await listen(makeServer({}).node))).toMatchObject({ status: 400, error: { message: remedy } });
    expect(errors).toMatchObject([{ code: 'INVALID_ARGUMENT', message: remedy }]);
  });

  it('[FIRST-208] shows verify the head of the request, with its whole URL', async () => {
    const seen: string[] = [];
    const verify = ({ url, headers }: Request) => {
      seen.push(new URL(url).pathname);
      return headers.get('authorization') === 'Bearer good' ? { issuer: 'test', subject: 'ann' } : undefined;
    };
    const app = express().use('/mcp', makeServer({ verify }).node);
    const url = await toUrl(app.listen(0, '127.0.0.1'));
    expect(await greet(url)).toMatchObject({ status: 401 });
    expect(await greet(url, { authorization: 'Bearer good' })).toMatchObject(GREETED);
    expect(seen).toEqual(['/mcp', '/mcp']);
  });
});

describe('a request of the other kind', () => {
  const toFault = (message: RegExp) => ({ code: 'INVALID_ARGUMENT', message: expect.stringMatching(message) });

  it('[FIRST-207] given to fetch, is refused by the name of the right way', async () => {
    const server = makeServer();
    const faults: unknown[] = [];
    const url = await listen(async (message, response) => {
      await server.fetch(message as never).catch((error) => faults.push(error));
      response.end('{}');
    });
    await greet(url);
    expect(faults).toMatchObject([toFault(/request of Node.*server\.node\(req, res\)/)]);
    const wrapped = { raw: new Request('http://localhost/mcp') };
    await expect(server.fetch(wrapped as never)).rejects.toMatchObject(toFault(/server\.fetch\(c\.req\.raw\)/));
    await expect(server.fetch(undefined as never)).rejects.toMatchObject(toFault(/something else/));
  });

  it('[FIRST-207] given to node, is refused by the name of the right way', async () => {
    const server = makeServer();
    const request = new Request('http://localhost/mcp') as never;
    await expect(server.node(request, {} as never)).rejects.toMatchObject(toFault(/server\.fetch\(request\)/));
    const app = fastify();
    onTestFinished(() => app.close());
    const faults: unknown[] = [];
    app.all('/mcp', (given, reply) => server.node(given as never, reply as never).catch((error) => faults.push(error)));
    await app.inject({ method: 'POST', url: '/mcp', payload: {} });
    expect(faults).toMatchObject([toFault(/server\.node\(request\.raw, reply\.raw, request\.body\)/)]);
  });
});
