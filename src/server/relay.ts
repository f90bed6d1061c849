/**
 * How a server passes on what it does not do itself: requests and notifications of its clients that belong to somebody
 * behind it.
 */
import type { Caller, RpcResult } from '../dialects/server-port.ts';
import type { Json } from '../task/json.ts';

/** Parameters of a request or notification. */
export type RelayParams = { readonly [key: string]: Json };

/** One client, for as long as it is connected; over HTTP of 2026-07-28 for as long as its request lasts. */
export interface RelayClient {
  readonly era: Caller['era'];
  readonly principal: string;
  /** What the client can be asked, once it has said so. */
  readonly capabilities: { readonly [name: string]: unknown };
  /** Tells the client something; a client of 2026-07-28 hears only what it listens for. */
  notify(method: string, params: RelayParams): Promise<void>;
  /** Asks the client something outside of any request of its own. Absent in 2026-07-28, which has no such requests. */
  readonly request?: (method: string, params: RelayParams, signal?: AbortSignal) => Promise<RpcResult>;
}

/** A request that no tool and no dialect answers. */
export interface RelayedRequest {
  readonly method: string;
  /** With `_meta`, answers and state as the client sent them, without what the protocol says of the client itself. */
  readonly params: RelayParams;
  readonly client: RelayClient;
  readonly caller: Caller;
  /** Fires when nobody waits for the answer any more. */
  readonly signal: AbortSignal;
  /** Tells the client something on the line of this request. */
  notify(method: string, params: RelayParams): Promise<void>;
}

/** A notification of a client. */
export interface RelayedNotification {
  readonly method: string;
  readonly params: RelayParams;
  readonly client: RelayClient;
}

/** Answers for whoever is behind a server. */
export interface Relay {
  /** The result of a request; nothing when it is not known here. An error that is thrown with a number as its `code` is passed on. */
  request(request: RelayedRequest): Promise<RpcResult | undefined>;
  /** Hears what clients tell. */
  notification?(notification: RelayedNotification): void;
  /** Hears which resources a client of 2026-07-28 listens to. */
  onListen?(uris: readonly string[]): void;
  /** Hears of a client that has shaken hands and can be asked. Before 2026-07-28 only. */
  onOpened?(client: RelayClient): void;
  /** Hears that a client is not connected any more. */
  onClosed?(client: RelayClient): void;
}

/** Who of the clients hears a notification. */
export type RelayAudience = (client: RelayClient) => boolean;
