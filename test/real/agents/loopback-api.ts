/**
 * A stand-in for a model's API on loopback. It is also the proxy of the programs under test, so that what they want of
 * other hosts is seen, and refused.
 */
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { json } from 'node:stream/consumers';

export interface LoopbackApi {
  readonly url: string;
  /** Hosts other than the API that somebody tried to reach. */
  readonly strangers: string[];
  close(): Promise<void>;
}

/** Answers one request, whose body has been read. */
export type Answer = (body: unknown, response: ServerResponse) => Promise<void>;

/** Serves what is posted to the paths given, and nothing else. */
export async function openLoopbackApi(answers: Readonly<Record<string, Answer>>): Promise<LoopbackApi> {
  const strangers: string[] = [];
  const server = createServer((request, response) => {
    const answer = request.method === 'POST' ? answers[request.url ?? ''] : undefined;
    if (answer === undefined) {
      strangers.push(`${request.method} ${request.url}`);
      response.writeHead(404).end();
      return;
    }
    void json(request)
      .then((body) => answer(body, response))
      .catch((error) => response.destroy(error));
  });
  server.on('connect', (request: IncomingMessage, socket: Socket) => {
    strangers.push(`CONNECT ${request.url}`);
    socket.on('error', () => {});
    socket.end('HTTP/1.1 403 Forbidden\r\n\r\n');
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    strangers,
    async close() {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

const PROXIES = ['HTTP_PROXY', 'HTTPS_PROXY', 'ALL_PROXY', 'http_proxy', 'https_proxy', 'all_proxy'];

/** Sends what a program wants of other hosts to the API. */
export function toProxies(url: string): Record<string, string> {
  return { ...Object.fromEntries(PROXIES.map((name) => [name, url])), NO_PROXY: '127.0.0.1', no_proxy: '127.0.0.1' };
}
