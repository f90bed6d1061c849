import type { ServerContext } from '@modelcontextprotocol/server';

/** A request, as far as it may be one for a resource. */
export interface ResourceRequest {
  readonly method: string;
  readonly params?: Readonly<Record<string, unknown>> | undefined;
}

type Handler = (request: ResourceRequest, context: ServerContext) => Promise<unknown>;

/** The part of the SDK's server that knows who answers what. */
export interface Handlers {
  readonly _requestHandlers: Map<string, Handler>;
  readonly fallbackRequestHandler: Handler | undefined;
}

/** The address that a request wants to read; nothing for another request. */
export function toReadUri({ method, params }: ResourceRequest): string | undefined {
  return method === 'resources/read' && typeof params?.uri === 'string' ? params.uri : undefined;
}
