/**
 * The view's half of MCP Apps: JSON-RPC 2.0 with the host that shows it.
 *
 * https://github.com/modelcontextprotocol/ext-apps: specification/2026-01-26/apps.mdx
 */
import { asObject, type JsonObject } from '../form/schema.ts';
import type { HostChannel } from './host-channel.ts';

const PROTOCOL_VERSION = '2026-01-26';
const METHOD_NOT_FOUND = -32601;

/** The notifications that a host sends while a view is shown. */
export interface HostEvents {
  'ui/notifications/tool-input'(params: JsonObject): void;
  'ui/notifications/tool-result'(params: JsonObject): void;
  'ui/notifications/tool-cancelled'(params: JsonObject): void;
  'ui/notifications/host-context-changed'(params: JsonObject): void;
}

/** The host's capabilities and context, from the handshake. */
export interface HostCard {
  readonly capabilities: JsonObject;
  readonly context: JsonObject;
}

export interface HostBridgeOptions {
  readonly channel: HostChannel;
  readonly version: string;
  readonly events: HostEvents;
  /** Called when the host is about to remove the view. */
  onTeardown(): void;
}

interface Waiting {
  resolve(result: JsonObject): void;
  reject(error: Error): void;
}

export class HostBridge {
  readonly #options: HostBridgeOptions;
  readonly #waiting = new Map<unknown, Waiting>();
  readonly #stop: () => void;
  #lastId = 0;

  constructor(options: HostBridgeOptions) {
    this.#options = options;
    this.#stop = options.channel.listen((message) => this.#take(asObject(message)));
  }

  /** Performs the handshake. Notifications that arrive before it completes are handled too. */
  async open(): Promise<HostCard> {
    const result = await this.request('ui/initialize', {
      appInfo: { name: 'holdfast-task-view', version: this.#options.version },
      appCapabilities: { availableDisplayModes: ['inline'] },
      protocolVersion: PROTOCOL_VERSION,
    });
    this.notify('ui/notifications/initialized', {});
    return { capabilities: asObject(result.hostCapabilities), context: asObject(result.hostContext) };
  }

  request(method: string, params: JsonObject): Promise<JsonObject> {
    this.#lastId += 1;
    const id = this.#lastId;
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject });
      this.#send({ id, method, params });
    });
  }

  notify(method: string, params: JsonObject): void {
    this.#send({ method, params });
  }

  close(): void {
    this.#stop();
    for (const { reject } of this.#waiting.values()) reject(new Error('the view is closed'));
    this.#waiting.clear();
  }

  #send(message: JsonObject): void {
    this.#options.channel.send({ jsonrpc: '2.0', ...message });
  }

  #take(message: JsonObject): void {
    const { jsonrpc, id, method, params } = message;
    if (jsonrpc !== '2.0') return;
    if (typeof method !== 'string') this.#settle(message);
    else if (id === undefined) this.#hear(method, asObject(params));
    else this.#answer(id, method);
  }

  #settle({ id, result, error }: JsonObject): void {
    const waiting = this.#waiting.get(id);
    this.#waiting.delete(id);
    if (error !== undefined) waiting?.reject(new Error(String(asObject(error).message ?? 'the host refused')));
    else waiting?.resolve(asObject(result));
  }

  #hear(method: string, params: JsonObject): void {
    const { events } = this.#options;
    if (Object.hasOwn(events, method)) events[method as keyof HostEvents](params);
  }

  #answer(id: JsonObject[string], method: string): void {
    if (method === 'ui/resource-teardown') this.#options.onTeardown();
    const isKnown = method === 'ui/resource-teardown' || method === 'ping';
    const error = { code: METHOD_NOT_FOUND, message: `Method not found: ${method}` };
    this.#send(isKnown ? { id, result: {} } : { id, error });
  }
}
