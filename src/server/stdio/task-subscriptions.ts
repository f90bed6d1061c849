/**
 * `subscriptions/listen` with task ids over stdio.
 *
 * The SDK serves the request and its own filters. We hold the request back until its tasks are found, put them into the
 * acknowledgement on its way out, and send the news of the tasks on the same wire.
 */
import { isJSONRPCRequest, type JSONRPCMessage, type JSONRPCRequest } from '@modelcontextprotocol/server';
import type { InputCapabilities } from '../../dialects/mcp-input.ts';
import {
  ACKNOWLEDGED_METHOD,
  findTasks,
  parseTaskFilter,
  type SubscriptionId,
  TaskSubscription,
  withTaskIds,
} from '../../dialects/tasks-2026/subscription.ts';
import type { Task } from '../../task/record.ts';
import { asksForTasks } from '../http/task-subscriptions.ts';
import { toProtocolError } from '../sdk/rpc-error.ts';
import type { ServerParts } from '../server-parts.ts';

export interface StdioTaskListeningOptions {
  readonly parts: ServerParts;
  readonly principal: string;
  /** Writes to the client. */
  send(message: JSONRPCMessage): Promise<void>;
  /** Hands a message to the SDK. */
  deliver(message: JSONRPCMessage): void;
}

interface Found {
  readonly tasks: readonly Task[];
  readonly capabilities: InputCapabilities;
}

const PROTOCOL_VERSION = 'io.modelcontextprotocol/protocolVersion';
const SUBSCRIPTION_ID = 'io.modelcontextprotocol/subscriptionId';

export class StdioTaskListening {
  readonly #options: StdioTaskListeningOptions;
  /** Tasks found for requests that the SDK has not acknowledged yet. */
  readonly #found = new Map<SubscriptionId, Found>();
  readonly #subscriptions = new Map<SubscriptionId, TaskSubscription>();
  #isClosed = false;

  constructor(options: StdioTaskListeningOptions) {
    this.#options = options;
  }

  /** Sees what comes in before the SDK does; true when it is dealt with here. */
  intercept(message: JSONRPCMessage): boolean {
    if ('method' in message && message.method === 'notifications/cancelled') {
      this.#stop((message.params as { requestId?: SubscriptionId } | undefined)?.requestId);
      return false;
    }
    if (!isJSONRPCRequest(message) || !asksForTasks(message) || !isModern(message)) return false;
    this.#accept(message).catch((error: unknown) => this.#refuse(message, error));
    return true;
  }

  /** Sees what goes out after the SDK has sent it, and returns what is to be written. */
  outgoing(message: JSONRPCMessage): JSONRPCMessage {
    if (!('method' in message)) {
      // An error, or the end of a subscription.
      if (message.id !== undefined) this.#stop(message.id);
      return message;
    }
    if (message.method !== ACKNOWLEDGED_METHOD) return message;
    const subscriptionId = message.params?._meta?.[SUBSCRIPTION_ID] as SubscriptionId | undefined;
    const found = subscriptionId === undefined ? undefined : this.#found.get(subscriptionId);
    if (subscriptionId === undefined || !found) return message;
    this.#found.delete(subscriptionId);
    // The acknowledgement is written first.
    setImmediate(() => void this.#begin(subscriptionId, found).catch(this.#options.parts.report));
    return withTaskIds(message, found.tasks);
  }

  close(): void {
    this.#isClosed = true;
    for (const subscriptionId of [...this.#subscriptions.keys()]) this.#stop(subscriptionId);
  }

  async #accept(message: JSONRPCRequest): Promise<void> {
    const { parts, principal, deliver } = this.#options;
    const { taskIds, capabilities } = parseTaskFilter(message.params);
    const tasks = await findTasks(await parts.openEngine(), principal, taskIds);
    this.#found.set(message.id, { tasks, capabilities });
    deliver(message);
  }

  async #begin(subscriptionId: SubscriptionId, { tasks, capabilities }: Found): Promise<void> {
    const { parts, send } = this.#options;
    if (this.#isClosed) return;
    const engine = await parts.openEngine();
    const stop = () => this.#stop(subscriptionId);
    const subscription = new TaskSubscription({
      engine,
      subscriptionId,
      tasks,
      capabilities,
      // A wire that takes no more has nobody at its end; it says so itself.
      async send(read) {
        const message = await read();
        if (message) await send(message as JSONRPCMessage).catch(stop);
      },
      report: parts.report,
    });
    this.#subscriptions.set(subscriptionId, subscription);
    await subscription.run();
  }

  #stop(subscriptionId: SubscriptionId | undefined): void {
    if (subscriptionId === undefined) return;
    this.#found.delete(subscriptionId);
    this.#subscriptions.get(subscriptionId)?.close();
    this.#subscriptions.delete(subscriptionId);
  }

  #refuse({ id }: JSONRPCRequest, cause: unknown): void {
    const { code, message, data } = toProtocolError(cause);
    const error = { code, message, ...(data !== undefined && { data }) };
    this.#options.send({ jsonrpc: '2.0', id, error }).catch(this.#options.parts.report);
  }
}

/** Other requests are refused by the SDK, in the words of their era. */
function isModern({ params }: JSONRPCRequest): boolean {
  return params?._meta?.[PROTOCOL_VERSION] !== undefined;
}
