/** The MCP transports, on top of the SDK. */
import type { McpServer } from '@modelcontextprotocol/server';
import type { HttpServing } from './http/http-transport.ts';
import type { Listening, ParsedListenOptions } from './http/listen-options.ts';
import type { NodeHandler } from './http/node-handler.ts';
import { createInstance, type InstanceOptions } from './sdk/sdk-server.ts';
import type { ServerCore, ServerParts } from './server-parts.ts';
import { createServerPort } from './server-port.ts';
import type { EarlyResponder } from './stdio/early-responder.ts';
import { serveStdio } from './stdio/serve-stdio.ts';

export interface Transports {
  /** Takes over from the early responder; ends early if `begun` rejects. */
  serveStdio(earlyResponder: EarlyResponder, begun: Promise<unknown>): Promise<void>;
  fetch(request: Request): Promise<Response>;
  readonly node: NodeHandler;
  listen(options: ParsedListenOptions): Promise<Listening>;
  close(): Promise<void>;
}

export async function createTransports(
  core: ServerCore,
  registrations: readonly ((mcp: McpServer) => void)[],
): Promise<Transports> {
  const halves = await Promise.all(core.settings.dialects.map(({ server }) => server?.()));
  const dialects = halves.filter((half) => half !== undefined);
  const parts: ServerParts = { ...core, dialects, port: createServerPort(core) };
  const register = (mcp: McpServer) => {
    for (const registration of registrations) registration(mcp);
  };
  const create = (options: Omit<InstanceOptions, 'register'>) => createInstance(parts, { ...options, register });
  let http: Promise<HttpServing> | undefined;
  // Loaded on demand: a server on stdio does not need it.
  const openHttp = () => {
    http ??= import('./http/http-transport.ts').then(({ createHttpServing }) => createHttpServing(parts, create));
    return http;
  };
  return {
    serveStdio: (earlyResponder, begun) => serveStdio(parts, create, { early: earlyResponder.handOver(), begun }),
    fetch: async (request) => (await openHttp()).fetch(request),
    node: async (...request) => (await openHttp()).node(...request),
    listen: async (options) => (await openHttp()).listen(options),
    close: async () => (await http)?.close(),
  };
}
