/**
 * The servers behind a gateway, reached through one host.
 *
 * The host is opened when first needed, because a worker that runs nothing needs none. An unreachable upstream is retried with
 * increasing back-off and reported once; the other upstreams are not affected.
 */
import {
  type Call,
  type CallRecord,
  createHost,
  type Host,
  type HostOptions,
  type HostQuestion,
  type HostTool,
  type JsonObject,
  type Reply,
  type ServerInfo,
} from '../../host/index.ts';
import { isTaskError, type ServerTaskContext, TaskError } from '../../index.ts';
import { toLogLevel, toUpstreamMeta } from '../calls/call-meta.ts';
import { followCall } from '../calls/follow-call.ts';
import { RunningCalls } from '../calls/running-calls.ts';
import { stopCall } from '../calls/stop-call.ts';
import { toCallResult } from '../calls/upstream-error.ts';
import { ConnectionPool, type PooledConnection } from './connection-pool.ts';
import { unreachableError } from './unreachable.ts';
import { DEFAULT_CONNECTIONS, type UpstreamOptions } from './upstream.ts';

export interface UpstreamsOptions {
  readonly upstreams: Readonly<Record<string, UpstreamOptions>>;
  /** Options for opening the host. */
  readonly host: HostOptions;
  /** Answers a question that an upstream asks outside of any call. */
  onQuestion(question: HostQuestion): Promise<JsonObject>;
  /** Upstreams that have asked questions during calls. */
  readonly asking: {
    has(upstream: string): boolean;
    add(upstream: string): void;
  };
}

/** A tool call made for a task. */
export interface UpstreamCall {
  readonly upstream: string;
  readonly tool: string;
  readonly args: JsonObject;
  /** Whether it may be repeated when its outcome was lost. */
  readonly isRepeatable: boolean;
  /** Whether a cancel may end the upstream's process if it does not confirm that it has stopped. */
  readonly mayEnd: boolean;
}

/** How long to keep trying to reach an upstream. */
export interface ConnectRetryOptions {
  readonly signal?: AbortSignal;
  /** Maximum number of tries. @default no limit */
  readonly tries?: number;
}

const FIRST_DELAY_MS = 500;
const MAX_DELAY_MS = 30_000;
// About 15 seconds: then the caller gets the reason and can act on it.
const CALL_TRIES = 6;
const MAX_CALLS = 1_000_000;

export class Upstreams {
  readonly #options: UpstreamsOptions;
  readonly #connected = new Map<string, Promise<void>>();
  readonly #running = new RunningCalls();
  readonly #pools = new Map<string, ConnectionPool>();
  readonly #reached = new Set<string>();
  readonly #closing = new AbortController();
  #host: Promise<Host> | undefined;

  constructor(options: UpstreamsOptions) {
    this.#options = options;
  }

  readonly #report = (error: unknown): void => this.#options.host.onError?.(error);

  get names(): string[] {
    return Object.keys(this.#options.upstreams);
  }

  /** Whether the upstream was reached once; from then on the host reconnects it. */
  isConnected(name: string): boolean {
    return this.#reached.has(name);
  }

  /** Connects an upstream once; after a failure it can be tried again. */
  connect(name: string): Promise<void> {
    const connecting = this.#connected.get(name) ?? this.#connect(name);
    this.#connected.set(name, connecting);
    connecting.catch(() => this.#connected.delete(name));
    return connecting;
  }

  /** Like `connect`, but retries until it succeeds, the signal fires, the gateway is closed, or the tries are used up. */
  async connectWithRetry(
    name: string,
    { signal, tries = Number.POSITIVE_INFINITY }: ConnectRetryOptions = {},
  ): Promise<void> {
    const over = signal ? AbortSignal.any([signal, this.#closing.signal]) : this.#closing.signal;
    let delayMs = FIRST_DELAY_MS;
    for (let tried = 1; ; tried++) {
      over.throwIfAborted();
      try {
        return await this.connect(name);
      } catch (cause) {
        if (!isTaskError(cause, 'CONNECT_FAILED')) throw cause;
        const spec = this.#options.upstreams[name]?.spec;
        if (tried >= tries) throw unreachableError(name, { cause, ...(spec && { spec }) });
      }
      await sleep(delayMs, over);
      delayMs = Math.min(MAX_DELAY_MS, delayMs * 2);
    }
  }

  async info(name: string): Promise<ServerInfo> {
    return (await this.#open()).server(name);
  }

  async tools(name: string): Promise<readonly HostTool[]> {
    return (await this.#open()).tools(name);
  }

  // biome-ignore lint/complexity/useMaxParams: whom, what, with what, and how reads best in this order
  async request(name: string, method: string, params: JsonObject, signal?: AbortSignal): Promise<Reply> {
    await this.connect(name);
    return (await this.#open()).request(name, method, params, { ...(signal && { signal }) });
  }

  async notify(name: string, method: string, params: JsonObject): Promise<void> {
    await this.connect(name);
    await (await this.#open()).notify(name, method, params);
  }

  /** Subscribes to an upstream's notifications; it must have been reached before. */
  async onNotification(name: string, listener: Parameters<Host['onNotification']>[1]): Promise<() => void> {
    return (await this.#open()).onNotification(name, listener);
  }

  /** Registers a listener for reconnects of an upstream, which is restarted as soon as possible. */
  async onReconnected(name: string, listener: () => void): Promise<void> {
    (await this.#open()).onConnected(name, listener);
  }

  /** Makes a call for a task, and follows it until it ends. */
  async call(asked: UpstreamCall, task: ServerTaskContext) {
    const { upstream, mayEnd } = asked;
    await this.connectWithRetry(upstream, { signal: task.signal, tries: CALL_TRIES });
    const host = await this.#open();
    const { call, place } = await this.#begin(host, asked, task);
    this.#running.add(call.callId, { connection: place.connection, task });
    let stopping: Promise<string | undefined> | undefined;
    const onAbort = () => {
      const { reason } = task.signal;
      if (!endsWork(reason)) return call.detach();
      stopping = stopCall(call, { host, upstream, mayEnd, reason: toReason(reason) }).catch(
        this.#report,
      ) as typeof stopping;
    };
    task.signal.addEventListener('abort', onAbort, { once: true });
    if (task.signal.aborted) onAbort();
    try {
      const [outcome] = await Promise.all([call.outcome(), followCall(call, task)]);
      const stopped = await stopping;
      await call.ack();
      if (stopped !== undefined) throw new TaskError('CANCELLED', stopped);
      return toCallResult(outcome, upstream);
    } finally {
      task.signal.removeEventListener('abort', onAbort);
      this.#running.delete(call.callId);
      place.release();
    }
  }

  /** Lists the calls whose outcome has not been acknowledged. */
  async calls(): Promise<readonly CallRecord[]> {
    return (await this.#open()).calls({ unacked: true, limit: MAX_CALLS });
  }

  /** Stops an abandoned call; fails while another process is handling it. */
  async stopOrphaned({ server, tool, args, key }: CallRecord): Promise<void> {
    const upstream = toUpstream(server);
    const host = await this.#open();
    await this.connect(upstream);
    const place = await this.#poolOf(upstream).takeOn(server);
    try {
      const call = await host.call(server, tool, args, { ...(key !== undefined && { key }) });
      await stopCall(call, { host, upstream, mayEnd: true, reason: 'its task has ended' });
      await call.ack();
    } finally {
      place.release();
    }
  }

  /** Makes a call, on a connection of its own if needed, or finds the one that an earlier attempt made. */
  async #begin(
    host: Host,
    asked: UpstreamCall,
    task: ServerTaskContext,
  ): Promise<{ call: Call; place: PooledConnection }> {
    const { upstream, tool, args, isRepeatable } = asked;
    const pool = this.#poolOf(upstream);
    // The task's next attempt finds this call by its key; the host repeats it only if it is idempotent.
    const repeat = isRepeatable ? 'idempotent' : 'never';
    // An upstream that has just died gives no info; the call itself waits until it is back.
    const era = await host.server(upstream).then(
      (info) => info.era,
      () => 'legacy' as const,
    );
    const meta = { ...toUpstreamMeta(task), ...toLogLevel(task.meta, era) };
    const options = { key: task.taskId, repeat, meta } as const;
    const place = await pool.take(this.#options.asking.has(upstream));
    try {
      return { call: await host.call(place.connection, tool, args, options), place };
    } catch (error) {
      place.release();
      const made = isTaskError(error, 'IDEMPOTENCY_CONFLICT') ? await findCall(host, task.taskId) : undefined;
      if (made?.tool !== tool || !belongsTo(made.server, upstream)) throw error;
      const before = await pool.takeOn(made.server);
      return { call: await host.call(made.server, tool, args, options), place: before };
    }
  }

  #poolOf(upstream: string): ConnectionPool {
    const { spec, connections = DEFAULT_CONNECTIONS } = this.#options.upstreams[upstream] ?? {};
    const pool =
      this.#pools.get(upstream) ??
      new ConnectionPool(upstream, {
        // Over HTTP every call has its own stream, and a server in this process has only one connection.
        limit: spec && 'command' in spec ? connections : 1,
        open: (connection) => (connection === upstream ? Promise.resolve() : this.#connectMore(upstream, connection)),
        close: async (connection) => {
          this.#connected.delete(connection);
          await (await this.#open()).disconnect(connection);
        },
        report: this.#report,
      });
    this.#pools.set(upstream, pool);
    return pool;
  }

  #connectMore(upstream: string, connection: string): Promise<void> {
    const connecting = this.#connected.get(connection) ?? this.#connectAs(upstream, connection);
    this.#connected.set(connection, connecting);
    connecting.catch(() => this.#connected.delete(connection));
    return connecting;
  }

  async close(): Promise<void> {
    this.#closing.abort(new TaskError('HOST_CLOSED', 'the gateway has been closed'));
    for (const pool of this.#pools.values()) pool.close();
    const host = await this.#host?.catch(() => undefined);
    await host?.close();
  }

  async #connect(name: string): Promise<void> {
    await this.#connectAs(name, name);
    this.#reached.add(name);
  }

  async #connectAs(upstream: string, connection: string): Promise<void> {
    const options = this.#options.upstreams[upstream];
    if (!options) throw new TaskError('SERVER_NOT_FOUND', `there is no upstream ${JSON.stringify(upstream)}`);
    const host = await this.#open();
    await host.connect(connection, options.spec);
    host.onNotification(connection, (told) => void this.#running.logNotification(connection, told).catch(this.#report));
  }

  #open(): Promise<Host> {
    this.#host ??= createHost({
      keeper: true,
      ...this.#options.host,
      onQuestion: (question) => this.#answer(question),
    });
    return this.#host;
  }

  #answer(question: HostQuestion): Promise<JsonObject> {
    const { server, method } = question;
    // An upstream that asks once will ask again, and with several calls on one connection its question cannot be assigned.
    if (method !== 'roots/list' && this.#running.has(server)) this.#options.asking.add(toUpstream(server));
    return this.#running.ask(question) ?? this.#options.onQuestion({ ...question, server: toUpstream(server) });
  }
}

/** Strips the number suffix of additional connections, which are named after the first. */
function toUpstream(connection: string): string {
  return connection.replace(/#\d+$/, '');
}

function belongsTo(connection: string, upstream: string): boolean {
  return toUpstream(connection) === upstream;
}

/** Finds the call that an earlier attempt of a task made. */
async function findCall(host: Host, key: string): Promise<CallRecord | undefined> {
  const records = await host.calls({ unacked: true, limit: MAX_CALLS });
  return records.find((record) => record.key === key);
}

/** Whether to stop the work itself, not only this attempt. */
function endsWork(reason: unknown): boolean {
  return !isTaskError(reason, 'LEASE_LOST') && !isTaskError(reason, 'PARKED');
}

function toReason(reason: unknown): string {
  return reason instanceof Error ? reason.message : String(reason);
}

function sleep(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer);
      signal.removeEventListener('abort', done);
      resolve();
    };
    const timer = setTimeout(done, ms);
    timer.unref();
    signal.addEventListener('abort', done, { once: true });
  });
}
