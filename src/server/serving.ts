/** Everything that speaks MCP, on top of the SDK. */
import type { McpServer } from '@modelcontextprotocol/server';
import { refuseOpenFetch, toGate } from './http-gate.ts';
import { createHttpHandler } from './http-handler.ts';
import { createInstance, type InstanceOptions } from './instance.ts';
import { listen } from './listen.ts';
import type { Listening, ParsedListenOptions } from './listen-options.ts';
import { serveStdio } from './serve-stdio.ts';
import type { ServerParts } from './server-parts.ts';

export interface Serving {
  serveStdio(): Promise<void>;
  fetch(request: Request): Promise<Response>;
  listen(options: ParsedListenOptions): Promise<Listening>;
  close(): Promise<void>;
}

export function createServing(parts: ServerParts, registrations: readonly ((mcp: McpServer) => void)[]): Serving {
  const register = (mcp: McpServer) => {
    for (const registration of registrations) registration(mcp);
  };
  const create = (options: Omit<InstanceOptions, 'register'>) => createInstance(parts, { ...options, register });
  const handler = createHttpHandler(parts, create);
  const gate = toGate(parts.settings);
  return {
    serveStdio: () => serveStdio(parts, create),
    async fetch(request) {
      if (!gate) throw refuseOpenFetch();
      return handler.serve({ request, gate });
    },
    listen: (options) => listen(handler, parts, options),
    close: () => handler.close(),
  };
}
