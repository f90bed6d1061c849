/** Everything that speaks MCP, on top of the SDK. */
import type { McpServer } from '@modelcontextprotocol/server';
import { createHttpHandler } from './http-handler.ts';
import { createInstance, type InstanceOptions } from './instance.ts';
import { type Listening, type ListenOptions, listen } from './listen.ts';
import { serveStdio } from './serve-stdio.ts';
import type { ServerParts } from './server-parts.ts';

export interface Serving {
  serveStdio(): Promise<void>;
  fetch(request: Request): Promise<Response>;
  listen(options: ListenOptions): Promise<Listening>;
  close(): Promise<void>;
}

export function createServing(parts: ServerParts, registrations: readonly ((mcp: McpServer) => void)[]): Serving {
  const register = (mcp: McpServer) => {
    for (const registration of registrations) registration(mcp);
  };
  const create = (options: Omit<InstanceOptions, 'register'>) => createInstance(parts, { ...options, register });
  const handler = createHttpHandler(parts, create);
  return {
    serveStdio: () => serveStdio(parts, create),
    fetch: (request) => handler.fetch(request),
    listen: (options) => listen(handler, parts.settings, options),
    close: () => handler.close(),
  };
}
