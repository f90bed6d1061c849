/** The client of one SDK server as a relay sees it, and what goes between the two. */
import type { JSONRPCRequest, McpServer, ServerContext } from '@modelcontextprotocol/server';
import { z } from 'zod';
import type { Caller, Era, RpcResult } from '../../dialects/server-port.ts';
import { TaskError } from '../../errors.ts';
import type { News, NewsItem } from '../news.ts';
import type { Relay, RelayClient, RelayParams } from '../relay.ts';
import type { Connection } from './connection.ts';

const ANY = z.looseObject({});
// A person may think for long; the line says when it is over.
const PATIENCE_MS = 2 ** 31 - 1;
const STREAM_MS = 10_000;

/** The client at the other end of a connection. */
export function toRelayClient({ server }: McpServer, connection: Connection, era: Era): RelayClient {
  const { notify } = connection;
  return {
    era,
    principal: connection.principal,
    get capabilities() {
      return (server.getClientCapabilities() ?? {}) as Record<string, unknown>;
    },
    async notify(method, params) {
      // The SDK knows who listens for what in the modern era; before, whoever is connected hears everything.
      if (era === 'modern') await server.notification({ method, params } as never);
      else if (server.getClientVersion()) await notify?.(method, params);
    },
    ...(era === 'legacy' && {
      request: async (method: string, params: RelayParams, signal?: AbortSignal) => {
        await untilHeard(connection);
        return (await server.request({ method, params }, ANY, {
          timeout: PATIENCE_MS,
          ...(signal && { signal }),
        })) as RpcResult;
      },
    }),
  };
}

/** A client that has just come opens its standing stream in a moment; what is sent before that is lost. */
async function untilHeard({ canSend, onStandingStream }: Connection): Promise<void> {
  if (!canSend || !onStandingStream || canSend()) return;
  await new Promise<void>((resolve, reject) => {
    const stop = onStandingStream(() => {
      clearTimeout(late);
      stop();
      resolve();
    });
    const late = setTimeout(() => {
      stop();
      reject(new TaskError('CONNECT_FAILED', 'the client has no stream open on which it could be asked'));
    }, STREAM_MS);
    late.unref();
  });
}

/** Tells a client what the server tells of its own accord, until called off. */
export function tellNews(news: News, client: RelayClient, report: (error: unknown) => void): () => void {
  return news.listen(({ method, params, to }: NewsItem) => {
    if (to?.(client) === false) return;
    client.notify(method, params).catch(report);
  });
}

export interface RelayParts {
  readonly relay: Relay;
  readonly client: RelayClient;
  readonly caller: Caller;
}

/** Has a request answered by whoever is behind the server. */
export function relayRequest(
  { method, params }: JSONRPCRequest,
  { mcpReq }: ServerContext,
  { relay, client, caller }: RelayParts,
): Promise<RpcResult | undefined> {
  const { inputResponses, signal, notify } = mcpReq;
  const requestState = mcpReq.requestState<unknown>();
  const given = {
    ...params,
    ...(inputResponses && { inputResponses }),
    ...(typeof requestState === 'string' && { requestState }),
  };
  return relay.request({
    method,
    params: given as RelayParams,
    client,
    caller,
    signal,
    notify: (name, told) => notify({ method: name, params: told } as never),
  });
}

/** What the SDK would answer itself as soon as it is declared, from what is registered with it. */
const DECLARED = [
  ...['prompts/list', 'prompts/get', 'completion/complete'],
  ...['resources/list', 'resources/templates/list', 'resources/read', 'resources/subscribe', 'resources/unsubscribe'],
];

/** The part of the SDK's server that remembers which lines of log its client wants. */
interface LogLevels {
  readonly _loggingLevels: Map<string | undefined, unknown>;
}

/** Lets a relay hear what the client tells, and which lines of log it wants. */
export function listenToClient({ server }: McpServer, relay: Relay, client: RelayClient): void {
  for (const method of DECLARED) server.removeRequestHandler(method);
  server.setRequestHandler('logging/setLevel', async ({ method, params }) => {
    (server as unknown as LogLevels)._loggingLevels.set(undefined, params.level);
    relay.notification?.({ method, params: params as unknown as RelayParams, client });
    return {};
  });
  server.oninitialized = () => relay.onOpened?.(client);
  server.fallbackNotificationHandler = async ({ method, params }) => {
    relay.notification?.({ method, params: (params ?? {}) as RelayParams, client });
  };
}
