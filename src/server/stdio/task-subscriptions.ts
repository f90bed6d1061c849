/**
 * `subscriptions/listen` with task ids over stdio.
 *
 * The SDK serves the request and its own filters. The request is held back until its tasks are found; they are added to
 * the outgoing acknowledgement, and task notifications are sent on the same connection.
 */
import { isJSONRPCRequest, type JSONRPCMessage, type JSONRPCRequest } from '@modelcontextprotocol/server';
import type { ServedSubscriptions, Subscription } from '../../dialects/server-dialect.ts';
import { ACKNOWLEDGED_METHOD, findSubscriptions } from '../sdk/listen-methods.ts';
import { toProtocolError } from '../sdk/rpc-error.ts';
import type { ServerParts } from '../server-parts.ts';

type SubscriptionId = string | number;

export interface StdioTaskSubscriptionsOptions {
  readonly parts: ServerParts;
  readonly principal: string;
  /** Writes to the client. */
  send(message: JSONRPCMessage): Promise<void>;
  /** Passes a message to the SDK. */
  deliver(message: JSONRPCMessage): void;
}

const PROTOCOL_VERSION = 'io.modelcontextprotocol/protocolVersion';
const SUBSCRIPTION_ID = 'io.modelcontextprotocol/subscriptionId';

export class StdioTaskSubscriptions {
  readonly #options: StdioTaskSubscriptionsOptions;
  readonly #subscriptions = new Map<SubscriptionId, Subscription>();
  #isClosed = false;

  constructor(options: StdioTaskSubscriptionsOptions) {
    this.#options = options;
  }

  /** Inspects incoming messages before the SDK; returns true when the message is handled here. */
  intercept(message: JSONRPCMessage): boolean {
    if ('method' in message && message.method === 'notifications/cancelled') {
      this.#stop((message.params as { requestId?: SubscriptionId } | undefined)?.requestId);
      return false;
    }
    const subscriptions = findSubscriptions(this.#options.parts, message);
    if (!subscriptions || !isJSONRPCRequest(message) || !isModern(message)) return false;
    this.#accept(message, subscriptions).catch((error: unknown) => this.#refuse(message, error));
    return true;
  }

  /** Inspects outgoing messages of the SDK, and returns what to write. */
  outgoing(message: JSONRPCMessage): JSONRPCMessage {
    if (!('method' in message)) {
      // An error, or the end of a subscription.
      if (message.id !== undefined) this.#stop(message.id);
      return message;
    }
    if (message.method !== ACKNOWLEDGED_METHOD) return message;
    const subscriptionId = message.params?._meta?.[SUBSCRIPTION_ID] as SubscriptionId | undefined;
    const subscription = subscriptionId === undefined ? undefined : this.#subscriptions.get(subscriptionId);
    if (subscriptionId === undefined || !subscription) return message;
    // After the acknowledgement has been written.
    setImmediate(() => void this.#begin(subscriptionId, subscription).catch(this.#options.parts.report));
    return subscription.acknowledge(message);
  }

  close(): void {
    this.#isClosed = true;
    for (const subscriptionId of [...this.#subscriptions.keys()]) this.#stop(subscriptionId);
  }

  async #accept(message: JSONRPCRequest, subscriptions: ServedSubscriptions): Promise<void> {
    const { id, params } = message;
    const { parts, principal, deliver } = this.#options;
    const subscription = await subscriptions.open({ id, params, principal }, parts.port);
    this.#subscriptions.set(id, subscription);
    deliver(message);
  }

  async #begin(subscriptionId: SubscriptionId, subscription: Subscription): Promise<void> {
    const stop = () => this.#stop(subscriptionId);
    if (this.#isClosed) return stop();
    await subscription.run(async (read) => {
      const message = await read();
      // If the client no longer reads, the transport reports that itself.
      if (message) await this.#options.send(message as JSONRPCMessage).catch(stop);
    });
  }

  #stop(subscriptionId: SubscriptionId | undefined): void {
    if (subscriptionId === undefined) return;
    this.#subscriptions.get(subscriptionId)?.close();
    this.#subscriptions.delete(subscriptionId);
  }

  #refuse({ id }: JSONRPCRequest, cause: unknown): void {
    const { code, message, data } = toProtocolError(cause);
    const error = { code, message, ...(data !== undefined && { data }) };
    this.#options.send({ jsonrpc: '2.0', id, error }).catch(this.#options.parts.report);
  }
}

/** Whether a request is modern; the SDK refuses others with the errors of their era. */
function isModern({ params }: JSONRPCRequest): boolean {
  return params?._meta?.[PROTOCOL_VERSION] !== undefined;
}
