/** The HTTP half of a server. */

import type { CreateInstance } from '../sdk/sdk-server.ts';
import type { ServerParts } from '../server-parts.ts';
import { toGate, unprotectedFetchError } from './gate.ts';
import { createHttpHandler } from './handler.ts';
import { listen } from './listen.ts';
import type { Listening, ParsedListenOptions } from './listen-options.ts';
import { createNodeHandler, type NodeHandler } from './node-handler.ts';

export interface HttpServing {
  fetch(request: Request): Promise<Response>;
  readonly node: NodeHandler;
  listen(options: ParsedListenOptions): Promise<Listening>;
  close(): Promise<void>;
}

export function createHttpServing(parts: ServerParts, create: CreateInstance): HttpServing {
  const handler = createHttpHandler(parts, create);
  const gate = toGate(parts.settings);
  return {
    async fetch(request) {
      if (!gate) throw unprotectedFetchError();
      return handler.serve({ request, gate });
    },
    node: createNodeHandler({ gate, serve: handler.serve, report: parts.report }),
    listen: (options) => listen(handler, parts, options),
    close: () => handler.close(),
  };
}
