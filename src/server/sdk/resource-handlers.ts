import type { ServerContext } from '@modelcontextprotocol/server';

/** A request that may be for a resource. */
export interface ResourceRequest {
  readonly method: string;
  readonly params?: Readonly<Record<string, unknown>> | undefined;
}

type Handler = (request: ResourceRequest, context: ServerContext) => Promise<unknown>;

/** The private part of the SDK's server that maps methods to handlers. */
export interface Handlers {
  readonly _requestHandlers: Map<string, Handler>;
  readonly fallbackRequestHandler: Handler | undefined;
}

/** Returns the URI that a request reads; undefined for another request. */
export function toReadUri({ method, params }: ResourceRequest): string | undefined {
  return method === 'resources/read' && typeof params?.uri === 'string' ? params.uri : undefined;
}
