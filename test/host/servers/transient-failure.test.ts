import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createHost, type ServerSpec } from '../../../src/host/index.ts';
import { isTransient } from '../../../src/host/servers/transient-failure.ts';

async function listen(onRequest: RequestListener): Promise<ServerSpec> {
  const server = createServer(onRequest);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  onTestFinished(() => void server.closeAllConnections());
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/` };
}

const answer = (status: number) => () => listen((_, response) => void response.writeHead(status).end('no'));

/** A server of another time, or one that refuses to shake hands. */
const initialize = (answered: object) => () =>
  listen((request, response) => {
    request.once('data', (sent: Buffer) => {
      const { id, method } = JSON.parse(sent.toString()) as { id?: number; method: string };
      const body = method === 'initialize' ? answered : { error: { code: -32601, message: 'Method not found' } };
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ jsonrpc: '2.0', id, ...body }));
    });
  });

const FAILURES: readonly (readonly [string, boolean, () => ServerSpec | Promise<ServerSpec>])[] = [
  ['nobody listens', true, () => ({ url: 'http://127.0.0.1:1/' })],
  ['it hangs up', true, () => listen((request) => void request.socket.destroy())],
  ['it does not answer', true, () => listen(() => {})],
  ['it says 503', true, answer(503)],
  ['it says 429', true, answer(429)],
  ['it wants a token', false, answer(401)],
  ['it forbids it', false, answer(403)],
  ['there is no such page', false, answer(404)],
  ['its version is not known', false, initialize({ result: { ...initialized('1999-01-01') } })],
  ['it refuses to shake hands', false, initialize({ error: { code: -32000, message: 'no' } })],
  ['the command ends', true, () => ({ command: 'false' })],
  ['there is no such command', false, () => ({ command: 'no-such-program-anywhere' })],
  ['the command may not be run', false, () => ({ command: '/etc/passwd' })],
];

function initialized(protocolVersion: string) {
  return { protocolVersion, capabilities: {}, serverInfo: { name: 'old', version: '1' } };
}

describe('a failure to reach a server', () => {
  it.each(FAILURES)('[BAD-375] when %s: waiting may help: %s', async (_, expected, open) => {
    const host = await createHost({ connectMs: 1000 });
    const error = await host.connect('x', await open()).catch((reason: unknown) => reason);
    expect(error).toMatchObject({ code: 'CONNECT_FAILED' });
    expect(isTransient(error)).toBe(expected);
    await host.close();
  });
});
