/** A server over HTTP that answers as a test wants, byte by byte. */
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { onTestFinished } from 'vitest';

export interface HostileCall {
  readonly id: number;
  readonly tool: string;
  readonly response: ServerResponse;
}

export interface HostileHttp {
  readonly url: string;
  /** POSTs that carried an answer to the server. */
  readonly answers: number;
}

type Message = { readonly id?: number; readonly method?: string; readonly params?: { readonly name?: string } };

const RESULTS: Readonly<Record<string, object>> = {
  initialize: {
    protocolVersion: '2025-11-25',
    capabilities: { tools: {} },
    serverInfo: { name: 'hostile', version: '1' },
  },
  'tools/list': { tools: [] },
};

/** Shakes hands as others do; what a call gets is up to the test. */
export async function openHostileHttp(
  onCall: (call: HostileCall) => unknown,
  onListen?: (response: ServerResponse) => unknown,
): Promise<HostileHttp> {
  let answers = 0;
  const serve = async (request: IncomingMessage, response: ServerResponse) => {
    if (request.method === 'GET' && onListen) return onListen(response.writeHead(200, EVENTS));
    if (request.method !== 'POST') return response.writeHead(405).end();
    const message = (await json(request)) as Message;
    if (message.method !== undefined) return answer(message, response);
    // Held open: who answers on must keep a connection for each.
    answers += 1;
    return undefined;
  };
  const answer = ({ id, method, params }: Message, response: ServerResponse) => {
    if (id === undefined) return response.writeHead(202).end();
    if (method === 'tools/call') return onCall({ id, tool: params?.name ?? '', response });
    const result = RESULTS[method ?? ''];
    const error = { code: -32601, message: 'no such method' };
    return sendJson(response, { jsonrpc: '2.0', id, ...(result ? { result } : { error }) });
  };
  const server = createServer((request, response) => void serve(request, response));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`,
    get answers() {
      return answers;
    },
  };
}

export const EVENTS = { 'content-type': 'text/event-stream' };

export function sendJson(response: ServerResponse, message: object): void {
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(message));
}

/** Writes until the other side has had enough, or so many bytes are out; returns how many were. */
export async function writeOn(response: ServerResponse, bytes: number, unit = 'x'): Promise<number> {
  const chunk = unit.repeat(Math.ceil((64 * 1024) / unit.length));
  let written = 0;
  while (written < bytes && !response.destroyed) {
    written += chunk.length;
    if (response.write(chunk)) continue;
    const over = new AbortController();
    await Promise.race(['drain', 'close'].map((event) => once(response, event, { signal: over.signal })));
    over.abort();
  }
  return written;
}
