import { createServer as createHttpServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { toNodeHandler } from '@modelcontextprotocol/node';
import { TaskError } from '../errors.ts';
import type { HttpHandler } from './http-handler.ts';
import type { ServerSettings } from './server-options.ts';

export interface ListenOptions {
  /** 0 takes any free port. */
  readonly port: number;
  /** Others than this machine need a verifier. @default '127.0.0.1' */
  readonly host?: string;
}

export interface Listening {
  readonly url: string;
  readonly port: number;
  close(): Promise<void>;
}

/** Where MCP is served. */
const MCP_PATH = '/mcp';

// How long open responses get to end by themselves.
const CLOSING_MS = 200;

/** Serves a handler on a port of this machine, at one path. */
export async function listen(
  handler: HttpHandler,
  { verify, http }: Pick<ServerSettings, 'verify' | 'http'>,
  { port, host = '127.0.0.1' }: ListenOptions,
): Promise<Listening> {
  if (!verify && !isLoopback(host)) {
    const legal = 'without verify only this machine may be served, on 127.0.0.1, ::1 or localhost';
    throw new TaskError('INVALID_ARGUMENT', `host is ${JSON.stringify(host)}; ${legal}`);
  }
  const handle = toNodeHandler(handler, { maxRequestBodySize: http.maxBodyBytes });
  const server = createHttpServer((request, response) => {
    if (request.url?.split('?', 1)[0] === MCP_PATH) void handle(request as never, response);
    else sendNotFound(response);
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, resolve);
  });
  const address = server.address() as AddressInfo;
  const name = host.includes(':') ? `[${host}]` : host;
  return { url: `http://${name}:${address.port}${MCP_PATH}`, port: address.port, close: () => close(server) };
}

function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || /^127(\.\d{1,3}){3}$/.test(host);
}

function sendNotFound(response: ServerResponse): void {
  response
    .writeHead(404, { 'Content-Type': 'text/plain' })
    .end(`There is nothing here; MCP is served at ${MCP_PATH}\n`);
}

async function close(server: Server): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  const timer = setTimeout(() => server.closeAllConnections(), CLOSING_MS);
  server.closeIdleConnections();
  await closed;
  clearTimeout(timer);
}
