/**
 * Relays everything that is not a tool call: requests of clients to the upstream that can answer them, and notifications and
 * questions of upstreams to the clients that want them.
 */
import { randomUUID } from 'node:crypto';
import type { HostQuestion, JsonObject, Notification, Reply } from '../../host/index.ts';
import type { Json, Relay, RelayClient, RelayedNotification, RelayedRequest } from '../../index.ts';
import { isObject } from '../../is-object.ts';
import { RPC_CODES } from '../../rpc-codes.ts';
import { UpstreamError } from '../calls/upstream-error.ts';
import type { Upstreams } from '../upstreams/upstreams.ts';
import { ChangeSubscription } from './change-subscription.ts';
import { Clients } from './clients.ts';
import { LogLevels } from './log-levels.ts';
import { Subscriptions } from './subscriptions.ts';

export interface MirrorOptions {
  readonly upstreams: Upstreams;
  /** Returns the upstreams that can answer a request, the likeliest first, with the parameters for each. */
  route(method: string, params: JsonObject): Promise<readonly Route[]>;
  /** Answers a request that concerns all upstreams together; undefined for any other request. */
  gather(method: string, params: JsonObject): Promise<JsonObject | undefined>;
  /** Returns the capabilities of an upstream. */
  capabilities(upstream: string): JsonObject;
  /** Sends a notification to clients. */
  notifyClients(method: string, params: JsonObject, to?: (client: RelayClient) => boolean): void;
  report(error: unknown): void;
}

export interface Route {
  readonly upstream: string;
  readonly params: JsonObject;
}

export interface Exchange {
  readonly upstream: string;
  readonly method: string;
  readonly params: JsonObject;
  readonly signal: AbortSignal;
}

const { METHOD_NOT_FOUND, INVALID_PARAMS } = RPC_CODES;
/** Notifications that are not relayed, because other parts handle them. */
const NOT_RELAYED = [
  'notifications/progress',
  'notifications/cancelled',
  'notifications/initialized',
  'notifications/tools/list_changed',
  'notifications/subscriptions/acknowledged',
];

export class Mirror implements Relay {
  readonly #options: MirrorOptions;
  readonly #clients = new Clients();
  readonly #subscriptions: Subscriptions;
  readonly #levels: LogLevels;
  /** For upstreams that send notifications only to a client that listens (2026-07-28). */
  readonly #changeSubscriptions = new Map<string, ChangeSubscription>();

  constructor(options: MirrorOptions) {
    this.#options = options;
    const { upstreams, capabilities, report } = options;
    this.#subscriptions = new Subscriptions({
      report,
      subscribe: (uri) => this.#subscribe('resources/subscribe', uri),
      unsubscribe: (uri) => this.#subscribe('resources/unsubscribe', uri),
    });
    this.#levels = new LogLevels({
      report,
      async set(level) {
        const withLogs = upstreams.names.filter((name) => upstreams.isConnected(name) && capabilities(name).logging);
        await Promise.all(withLogs.map((name) => upstreams.request(name, 'logging/setLevel', { level })));
      },
    });
  }

  async request(request: RelayedRequest) {
    const { method, client, signal } = request;
    const params = request.params as JsonObject;
    const uri = typeof params.uri === 'string' ? params.uri : '';
    if (method === 'resources/subscribe') return this.#subscriptions.add(client, uri).then(() => ({}));
    if (method === 'resources/unsubscribe') return this.#subscriptions.remove(client, uri).then(() => ({}));
    const gathered = await this.#options.gather(method, params);
    if (gathered) return { ...gathered };
    let refusal: Reply | undefined;
    for (const { upstream, params: own } of await this.#options.route(method, params)) {
      const reply = await this.exchange({ upstream, method, params: own, signal }, toProgress(request));
      if (reply.kind === 'result') return toResult(reply.result, client);
      refusal = refusal?.kind === 'error' && refusal.error.code !== METHOD_NOT_FOUND ? refusal : reply;
    }
    if (refusal?.kind === 'error') throw toError(refusal, client);
    return undefined;
  }

  notification({ method, params, client }: RelayedNotification): void {
    if (method === 'logging/setLevel') {
      this.#levels.set(client, String(params.level));
      return;
    }
    const { upstreams, report } = this.#options;
    for (const name of upstreams.names) {
      if (upstreams.isConnected(name)) upstreams.notify(name, method, params as JsonObject).catch(report);
    }
  }

  onListen(uris: readonly string[]): void {
    for (const uri of uris) this.#subscriptions.add('listeners', uri).catch(this.#options.report);
  }

  onOpened(client: RelayClient): void {
    this.#clients.add(client);
  }

  onClosed(client: RelayClient): void {
    this.#clients.delete(client);
    this.#levels.forget(client);
    this.#subscriptions.forget(client);
  }

  /** Sends one request upstream; its progress is reported under the client's own progress token. */
  async exchange(
    { upstream, method, params, signal }: Exchange,
    onProgress?: (told: JsonObject) => Promise<void>,
  ): Promise<Reply> {
    const { upstreams } = this.#options;
    if (!onProgress) return upstreams.request(upstream, method, params, signal);
    const token = `gateway-${randomUUID()}`;
    const meta = isObject<Json>(params._meta) ? params._meta : {};
    await upstreams.connect(upstream);
    const stop = await upstreams.onNotification(upstream, ({ method: told, params: progress }) => {
      if (told !== 'notifications/progress' || progress.progressToken !== token) return;
      onProgress(progress).catch(this.#options.report);
    });
    try {
      const sent = { ...params, _meta: { ...meta, progressToken: token } };
      return await upstreams.request(upstream, method, sent, signal);
    } finally {
      stop();
    }
  }

  /** Subscribes to notifications of an upstream of 2026-07-28. */
  subscribeToChanges(upstream: string): void {
    const { upstreams } = this.#options;
    const listen = (params: JsonObject, signal: AbortSignal) =>
      upstreams.request(upstream, 'subscriptions/listen', params, signal);
    const subscription = this.#changeSubscriptions.get(upstream) ?? new ChangeSubscription({ listen });
    this.#changeSubscriptions.set(upstream, subscription);
    subscription.start();
  }

  /** Sends log level and subscriptions again to an upstream that was restarted. */
  async restore(upstream: string): Promise<void> {
    await this.#levels.renew();
    for (const uri of this.#subscriptions.uris) {
      const [route] = await this.#options.route('resources/subscribe', { uri });
      if (route?.upstream === upstream && !this.#changeSubscriptions.has(upstream)) {
        await this.#subscribe('resources/subscribe', uri);
      }
    }
  }

  close(): void {
    for (const subscription of this.#changeSubscriptions.values()) subscription.close();
  }

  /** Relays a notification that an upstream sent outside of any call. */
  relayNotification({ method, params }: Notification): void {
    const { notifyClients } = this.#options;
    if (
      NOT_RELAYED.includes(method) ||
      method.startsWith('notifications/tasks') ||
      !method.startsWith('notifications/')
    )
      return;
    if (method === 'notifications/resources/updated') {
      notifyClients(method, params, this.#subscriptions.toFilter(String(params.uri)));
    } else if (method.endsWith('/list_changed')) notifyClients(method, params);
    else if (!this.#clients.haveOnePrincipal) return;
    else if (method === 'notifications/message')
      notifyClients(method, params, this.#levels.toFilter(String(params.level)));
    else notifyClients(method, params);
  }

  /** Answers a question that an upstream asked outside of any call, by asking a connected client that can answer it. */
  answer(question: HostQuestion): Promise<JsonObject> {
    return this.#clients.answer(question);
  }

  async #subscribe(method: string, uri: string): Promise<void> {
    const { upstreams } = this.#options;
    const [route] = await this.#options.route(method, { uri });
    if (!route) throw new UpstreamError({ code: METHOD_NOT_FOUND, message: `Method not found: ${method}` });
    const subscription = this.#changeSubscriptions.get(route.upstream);
    if (subscription && method === 'resources/subscribe') return subscription.add(uri);
    if (subscription) return subscription.remove(uri);
    const reply = await upstreams.request(route.upstream, method, { uri });
    if (reply.kind === 'error') throw new UpstreamError(reply.error);
  }
}

/** Returns a function that sends progress to the client, if its request has a progress token. */
function toProgress({ params, notify }: RelayedRequest): ((told: JsonObject) => Promise<void>) | undefined {
  const progressToken = isObject<Json>(params._meta) ? params._meta.progressToken : undefined;
  if (progressToken === undefined) return undefined;
  return (told) => notify('notifications/progress', { ...told, progressToken });
}

/** Removes fields that the client's era does not know; the server adds those that this era requires. */
function toResult(result: JsonObject, { era }: RelayClient): JsonObject {
  const { resultType, _meta, ...plain } = result;
  const passed = isObject<Json>(_meta) ? Object.entries(_meta).filter(([key]) => key !== SERVER_INFO) : [];
  const meta = passed.length > 0 ? { _meta: Object.fromEntries(passed) } : {};
  const kept = resultType === undefined || resultType === 'complete' ? {} : { resultType };
  if (era === 'modern') return { ...plain, ...meta, ...kept };
  const { ttlMs, cacheScope, ...legacy } = plain;
  return { ...legacy, ...meta, ...kept };
}

const SERVER_INFO = 'io.modelcontextprotocol/serverInfo';

function toError({ error }: Reply & { kind: 'error' }, { era }: RelayClient): UpstreamError {
  // The two eras use different error codes for a missing resource.
  const isMissing = era === 'modern' && error.code === RPC_CODES.RESOURCE_NOT_FOUND;
  return new UpstreamError(isMissing ? { ...error, code: INVALID_PARAMS } : error);
}
