/**
 * How a server passes on what it does not handle itself: requests and notifications of its clients for another server
 * behind it.
 */
import type { Caller, RpcResult } from '../dialects/server-port.ts';
import type { Json } from '../task/json.ts';

/** Parameters of a request or notification. */
export type RelayParams = { readonly [key: string]: Json };

/** One client, for as long as it is connected; over HTTP of 2026-07-28, for as long as its request lasts. */
export interface RelayClient {
  readonly era: Caller['era'];
  readonly principal: string;
  /** The client's capabilities, once it has declared them. */
  readonly capabilities: { readonly [name: string]: unknown };
  /** Sends the client a notification; a client of 2026-07-28 gets only what it listens for. */
  notify(method: string, params: RelayParams): Promise<void>;
  /** Sends the client a request outside of any request of its own. Absent in 2026-07-28, which has no such requests. */
  readonly request?: (method: string, params: RelayParams, signal?: AbortSignal) => Promise<RpcResult>;
}

/** A request that neither a tool nor a dialect answers. */
export interface RelayedRequest {
  readonly method: string;
  /** As the client sent them, with `_meta`, answers and state, but without the protocol's fields about the client itself. */
  readonly params: RelayParams;
  readonly client: RelayClient;
  readonly caller: Caller;
  /** Aborts when the client no longer waits for the answer. */
  readonly signal: AbortSignal;
  /** Sends the client a notification on the stream of this request. */
  notify(method: string, params: RelayParams): Promise<void>;
}

/** A notification from a client. */
export interface RelayedNotification {
  readonly method: string;
  readonly params: RelayParams;
  readonly client: RelayClient;
}

/** Answers for a server behind this one. */
export interface Relay {
  /** Returns the result of a request; undefined when it is unknown here. A thrown error with a numeric `code` is passed on. */
  request(request: RelayedRequest): Promise<RpcResult | undefined>;
  /** Called with each notification of a client. */
  notification?(notification: RelayedNotification): void;
  /** Called with the resources that a client of 2026-07-28 subscribes to. */
  onListen?(uris: readonly string[]): void;
  /** Called when a client has completed the handshake and can be sent requests. Before 2026-07-28 only. */
  onOpened?(client: RelayClient): void;
  /** Called when a client has disconnected. */
  onClosed?(client: RelayClient): void;
}

/** Selects the clients that get a notification. */
export type RelayAudience = (client: RelayClient) => boolean;
