import { createServer as createHttpServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { HttpSettings } from '../http-options.ts';
import { openSecret } from '../secrets/shared-secret.ts';
import type { ServerParts } from '../server-parts.ts';
import { toGate, unprotectedListenError } from './gate.ts';
import type { HttpHandler } from './handler.ts';
import { toListenError } from './listen-error.ts';
import type { Listening, ParsedListenOptions } from './listen-options.ts';
import { createNodeListener } from './node-adapter.ts';
import { fromTokenFile, HTTP_TOKEN } from './token.ts';

const MCP_PATH = '/mcp';

// How long open responses may take to end by themselves.
const CLOSING_MS = 200;

// How often Node checks for requests that take too long.
const LOOK_MS = 1000;

/** Serves a handler on a port of this machine, on one path. */
export async function listen(
  handler: HttpHandler,
  parts: ServerParts,
  options: ParsedListenOptions,
): Promise<Listening> {
  const { verify, http } = parts.settings;
  const token = await openToken(parts, options.token);
  const gate = toGate({ verify, token, unprotected: options.unprotected });
  if (!gate) throw unprotectedListenError();
  const server = openHttpServer(http);
  const onRequest = createNodeListener({ path: MCP_PATH, report: parts.report, serve: handler.serve, gate });
  server.on('request', onRequest);
  // `100 Continue` is sent only when the body is wanted.
  server.on('checkContinue', onRequest);
  const { port, host } = options;
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => reject(toListenError(error, options)));
    server.listen(port, host, resolve);
  });
  const address = server.address() as AddressInfo;
  const name = host.includes(':') ? `[${host}]` : host;
  const url = `http://${name}:${address.port}${MCP_PATH}`;
  return { url, port: address.port, ...(token !== undefined && { token }), close: () => close(server, handler) };
}

async function openToken(parts: ServerParts, token: string | undefined): Promise<string | undefined> {
  if (token !== 'random') return token;
  return fromTokenFile(await openSecret(await parts.openEngine(), HTTP_TOKEN, parts.warn));
}

function openHttpServer({ headersTimeoutMs, requestTimeoutMs, maxConnections }: HttpSettings): Server {
  const server = createHttpServer({
    headersTimeout: Math.min(headersTimeoutMs, requestTimeoutMs),
    requestTimeout: requestTimeoutMs,
    connectionsCheckingInterval: LOOK_MS,
  });
  server.maxConnections = maxConnections;
  return server;
}

async function close(server: Server, handler: HttpHandler): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  await handler.stop();
  const timer = setTimeout(() => server.closeAllConnections(), CLOSING_MS);
  server.closeIdleConnections();
  await closed;
  clearTimeout(timer);
}
