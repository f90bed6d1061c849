/** The half of a server that speaks HTTP. */
import { refuseOpenFetch, toGate } from './http-gate.ts';
import { createHttpHandler } from './http-handler.ts';
import type { CreateInstance } from './instance.ts';
import { listen } from './listen.ts';
import type { Listening, ParsedListenOptions } from './listen-options.ts';
import type { ServerParts } from './server-parts.ts';

export interface HttpServing {
  fetch(request: Request): Promise<Response>;
  listen(options: ParsedListenOptions): Promise<Listening>;
  close(): Promise<void>;
}

export function createHttpServing(parts: ServerParts, create: CreateInstance): HttpServing {
  const handler = createHttpHandler(parts, create);
  const gate = toGate(parts.settings);
  return {
    async fetch(request) {
      if (!gate) throw refuseOpenFetch();
      return handler.serve({ request, gate });
    },
    listen: (options) => listen(handler, parts, options),
    close: () => handler.close(),
  };
}
