/** The half of a server that speaks HTTP. */

import type { CreateInstance } from '../sdk/sdk-server.ts';
import type { ServerParts } from '../server-parts.ts';
import { refuseOpenFetch, toGate } from './gate.ts';
import { createHttpHandler } from './handler.ts';
import { listen } from './listen.ts';
import type { Listening, ParsedListenOptions } from './listen-options.ts';

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
