/** Resources that dialects add to those of the server's owner, or of a server behind it. */
import type { McpServer, ServerContext } from '@modelcontextprotocol/server';
import type { ServedResources } from '../../dialects/server-dialect.ts';
import type { Caller, RpcResult } from '../../dialects/server-port.ts';
import type { ServerParts } from '../server-parts.ts';
import { type Handlers, type ResourceRequest, toReadUri } from './resource-handlers.ts';

const LIST = 'resources/list';
const READ = 'resources/read';

/** Adds the dialects' resources where the owner or the SDK already handles resource requests. */
export function addDialectResources(
  { server }: McpServer,
  parts: ServerParts,
  toCaller: (context: ServerContext) => Caller,
): void {
  const { _requestHandlers: handlers, fallbackRequestHandler: ours } = server as unknown as Handlers;
  const [list, read] = [handlers.get(LIST), handlers.get(READ)];
  if (list && hasResources(parts)) {
    handlers.set(LIST, async (request, context) => {
      const result = (await list(request, context)) as RpcResult;
      return withDialectResources(parts, { request, caller: toCaller(context), result });
    });
  }
  if (read && ours && hasResources(parts)) {
    handlers.set(READ, (request, context) => (findServed(parts, request) ? ours : read)(request, context));
  }
}

/** Answers a request to read a dialect's resource; returns undefined for another request. */
export async function readDialectResource(
  parts: ServerParts,
  request: ResourceRequest,
  caller: Caller,
): Promise<RpcResult | undefined> {
  const served = findServed(parts, request);
  if (!served) return undefined;
  return { contents: [await served.read(toReadUri(request) ?? '', caller, parts.port)] };
}

interface Listed {
  readonly request: ResourceRequest;
  readonly caller: Caller;
  readonly result: RpcResult;
}

/** Adds the dialects' resources to a result that is the first page of a list. */
export function withDialectResources({ dialects, port }: ServerParts, { request, caller, result }: Listed): RpcResult {
  const { resources } = result;
  if (request.method !== LIST || request.params?.cursor !== undefined || !Array.isArray(resources)) return result;
  const added = dialects.flatMap((dialect) => dialect.resources?.list(caller, port) ?? []);
  return { ...result, resources: [...added, ...resources] };
}

function hasResources({ dialects }: ServerParts): boolean {
  return dialects.some(({ resources }) => resources !== undefined);
}

function findServed({ dialects }: ServerParts, request: ResourceRequest): ServedResources | undefined {
  const uri = toReadUri(request);
  return uri === undefined ? undefined : dialects.find(({ resources }) => resources?.has(uri))?.resources;
}
