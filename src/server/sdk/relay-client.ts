/** Connects the client of one SDK server with a relay. */
import type { JSONRPCRequest, McpServer, ServerContext } from '@modelcontextprotocol/server';
import { z } from 'zod';
import type { Caller, Era, RpcResult } from '../../dialects/server-port.ts';
import { TaskError } from '../../errors.ts';
import type { Relay, RelayClient, RelayParams } from '../relay.ts';
import type { ServerNotification, ServerNotifications } from '../server-notifications.ts';
import type { Connection } from './connection.ts';

const ANY = z.looseObject({});
// A person may take long to answer; the connection ends the wait.
const NO_TIMEOUT_MS = 2 ** 31 - 1;
const STREAM_OPEN_MS = 10_000;

/** Returns the client of a connection, as a relay sees it. */
export function toRelayClient({ server }: McpServer, connection: Connection, era: Era): RelayClient {
  const { notify } = connection;
  return {
    era,
    principal: connection.principal,
    get capabilities() {
      return (server.getClientCapabilities() ?? {}) as Record<string, unknown>;
    },
    async notify(method, params) {
      // In the modern era the SDK knows who listens for what; before, every connected client gets every notification.
      if (era === 'modern') await server.notification({ method, params } as never);
      else if (server.getClientVersion()) await notify?.(method, params);
    },
    ...(era === 'legacy' && {
      request: async (method: string, params: RelayParams, signal?: AbortSignal) => {
        await waitForStandingStream(connection);
        return (await server.request({ method, params }, ANY, {
          timeout: NO_TIMEOUT_MS,
          ...(signal && { signal }),
        })) as RpcResult;
      },
    }),
  };
}

/** Waits for the standing stream, which a new client opens a moment after its handshake; a request sent before that is lost. */
async function waitForStandingStream({ canSend, onStandingStream }: Connection): Promise<void> {
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
    }, STREAM_OPEN_MS);
    late.unref();
  });
}

/** Forwards the server's own notifications to a client; returns an unsubscribe function. */
export function forwardNotifications(
  notifications: ServerNotifications,
  client: RelayClient,
  report: (error: unknown) => void,
): () => void {
  return notifications.subscribe(({ method, params, to }: ServerNotification) => {
    if (to?.(client) === false) return;
    client.notify(method, params).catch(report);
  });
}

export interface RelayParts {
  readonly relay: Relay;
  readonly client: RelayClient;
  readonly caller: Caller;
}

/** Forwards a request to the relay. */
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

/** Methods that the SDK would answer itself once they are declared, from what is registered with it. */
const DECLARED = [
  ...['prompts/list', 'prompts/get', 'completion/complete'],
  ...['resources/list', 'resources/templates/list', 'resources/read', 'resources/subscribe', 'resources/unsubscribe'],
];

/** The private part of the SDK's server that stores which log levels its client wants. */
interface LogLevels {
  readonly _loggingLevels: Map<string | undefined, unknown>;
}

/** Forwards the client's notifications and its log level to a relay. */
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
