/** One connection to a server: an SDK client that completed the handshake, and our own requests on the same transport. */

import {
  Client,
  type ClientCapabilities,
  type PriorDiscovery,
  StreamableHTTPClientTransport,
  type Transport,
} from '@modelcontextprotocol/client';
import type { Clock } from '../../clock.ts';
import type { JsonObject, Reply } from '../../dialects/host-port.ts';
import { isHoldfast } from '../../dialects/shared/holdfast-server.ts';
import type { InputRequest } from '../../dialects/shared/questions/mcp-input.ts';
import { withSecretMarks } from '../../dialects/shared/questions/secret-form.ts';
import { TaskError } from '../../errors.ts';
import { HOST_MAX_OPEN_QUESTIONS, HOST_MAX_TOOLS } from '../../limits.ts';
import type { Json } from '../../task/json.ts';
import type { HttpSession } from '../transports/http-session.ts';
import type { EndedServer, MaybeKeeping } from '../transports/keeping-transport.ts';
import { openTransport, type TransportOptions } from '../transports/open-transport.ts';
import type { ServerSpec } from '../transports/server-spec.ts';
import { sendInCallContext } from './call-context.ts';
import { captureHandshakeResult } from './handshake-result.ts';
import { type HostTool, readTool } from './host-tool.ts';
import { type ChannelRequest, type JoinedCall, type NotificationListener, RawRequests } from './raw-requests.ts';
import type { ServerInfo } from './server-info.ts';

export interface ConnectionOptions
  extends Pick<TransportOptions, 'prepareChild' | 'openKept' | 'openKeptCalls' | 'session'> {
  readonly name: string;
  readonly spec: ServerSpec;
  readonly client: { readonly name: string; readonly version: string };
  readonly capabilities: ClientCapabilities;
  /** Protocol extensions that are declared beside the capabilities. */
  readonly extensions: readonly string[];
  readonly clock: Clock;
  /** The era that the server spoke on an earlier connection. */
  readonly prior?: PriorDiscovery | undefined;
  /** The handshake result of an earlier connection: a known server is not asked again. */
  readonly handshakeResult?: JsonObject | undefined;
  /** Timeout of the handshake, in milliseconds. */
  readonly connectMs: number;
  /** The longest message accepted from the server, in bytes. */
  readonly maxAnswerBytes: number;
  /** Called with errors that no caller receives. */
  report(error: unknown): void;
  onClosed(): void;
  /** Answers a request of the server. */
  onRequest(request: InputRequest): Promise<JsonObject>;
}

export interface ConnectionRequestOptions extends Pick<ChannelRequest, 'signal' | 'onId' | 'onLeft' | 'kept'> {
  /** The call that the request makes. */
  readonly callId?: string;
  /** Returns extra HTTP headers for the request, if there are any. */
  readonly headers?: () => Readonly<Record<string, string>>;
}

// A tool list with more pages than this is treated as endless.
const MAX_PAGES = 1000;
const META = 'io.modelcontextprotocol/';
const MODERN = '2026-07-28';

export class ServerConnection {
  readonly #client: Client;
  readonly #channel: RawRequests;
  readonly #transport: MaybeKeeping;
  readonly #options: ConnectionOptions;
  #tools: Promise<readonly HostTool[]> | undefined;
  #kept: Promise<void> | undefined;

  private constructor(client: Client, transport: Transport, options: ConnectionOptions) {
    const channel = openChannel(client, transport, options);
    this.#client = client;
    this.#transport = transport;
    this.#channel = channel;
    this.#options = options;
    channel.onNotification(({ method }) => {
      if (method === 'notifications/tools/list_changed') this.#tools = undefined;
    });
  }

  /** Connects in the newest era that both sides speak. */
  static async open(options: ConnectionOptions): Promise<ServerConnection> {
    try {
      return await openAs(options, options.prior);
    } catch (error) {
      // A server that exits on a request it does not know speaks the older era.
      if (options.prior?.kind === 'legacy' || 'url' in options.spec) throw connectFailedError(options.name, error);
    }
    try {
      return await openAs(options, { kind: 'legacy' });
    } catch (error) {
      throw connectFailedError(options.name, error);
    }

    async function openAs(given: ConnectionOptions, prior: PriorDiscovery | undefined): Promise<ServerConnection> {
      const client = createClient(given);
      const transport = await openTransport(given.spec, given);
      const stopListening = captureHandshakeResult(transport);
      try {
        await client.connect(transport, { timeout: given.connectMs, ...(prior && { prior }) });
      } catch (error) {
        await transport.close().catch(() => {});
        throw error;
      }
      return new ServerConnection(client, transport, {
        ...given,
        handshakeResult: stopListening() ?? given.handshakeResult,
      });
    }
  }

  /** Opens a connection that continues an existing session, without a handshake. */
  static async resume(options: ConnectionOptions & { readonly session: HttpSession }): Promise<ServerConnection> {
    const client = createClient(options);
    const transport = await openTransport(options.spec, options);
    await client.connect(transport);
    return new ServerConnection(client, transport, options);
  }

  get era(): 'legacy' | 'modern' {
    return this.#client.getProtocolEra() === 'modern' ? 'modern' : 'legacy';
  }

  get capabilities(): JsonObject {
    return (this.#client.getServerCapabilities() ?? {}) as JsonObject;
  }

  /** The raw handshake result of the server. */
  get handshakeResult(): JsonObject | undefined {
    return this.#options.handshakeResult;
  }

  /** What the server reports about itself. */
  get info(): ServerInfo {
    const implementation = this.#client.getServerVersion();
    const instructions = this.#client.getInstructions();
    return {
      protocolVersion: this.#client.getNegotiatedProtocolVersion() ?? '',
      era: this.era,
      capabilities: (this.handshakeResult?.capabilities ?? this.capabilities) as JsonObject,
      ...(implementation && { implementation: implementation as unknown as JsonObject }),
      ...(instructions !== undefined && { instructions }),
    };
  }

  /** The negotiated era, so that the next connection can skip the negotiation. */
  get prior(): PriorDiscovery {
    const discover = this.#client.getDiscoverResult();
    return this.era === 'modern' && discover ? { kind: 'modern', discover } : { kind: 'legacy' };
  }

  /** The session in which calls on this connection can be found later, for servers that keep them by session. */
  get session(): HttpSession | undefined {
    const { sessionId: id } = this.#transport;
    const { session, spec } = this.#options;
    if (session) return session;
    const protocolVersion = this.#client.getNegotiatedProtocolVersion();
    if (id === undefined || protocolVersion === undefined || !('url' in spec) || this.era === 'modern')
      return undefined;
    return { id, protocolVersion, origin: new URL(spec.url).origin };
  }

  get isLost(): boolean {
    return this.#channel.isLost;
  }

  /** Returns the server's tools: listed once per connection, and again after the server said that they changed. */
  tools(): Promise<readonly HostTool[]> {
    this.#tools ??= this.#listTools();
    this.#tools.catch(() => {
      this.#tools = undefined;
    });
    return this.#tools;
  }

  request(method: string, params: JsonObject, options: ConnectionRequestOptions = {}): Promise<Reply> {
    const { headers, callId, ...rest } = options;
    // Only the newer era has headers for arguments.
    const hasHeaders = this.era === 'modern' && !('command' in this.#options.spec);
    const sent = hasHeaders && headers ? { headers: headers() } : {};
    const send = () => this.#channel.request({ method, params: this.#withEnvelope(params), ...rest, ...sent });
    // Only over HTTP does each request have a stream of its own.
    return callId !== undefined && 'url' in this.#options.spec ? sendInCallContext(callId, send) : send();
  }

  /**
   * Resolves when calls can be made, through a keeper if possible. Over HTTP the keeper is started for the first call: a host
   * that only lists tools needs none, and a Holdfast server keeps its calls itself.
   */
  async whenKept(): Promise<void> {
    if (isHoldfast(this)) return;
    this.#kept ??= this.#transport.keepCalls?.().catch(this.#options.report);
    await this.#kept;
  }

  /** The keeper that holds the server, if there is one. */
  get keeper(): string | undefined {
    return this.#transport.keeper;
  }

  /** Whether a keeper will be started for the first call. */
  get isToBeKept(): boolean {
    return this.keeper === undefined && this.#transport.keepCalls !== undefined && !isHoldfast(this);
  }

  /** Asks the keeper about a call that may have been sent before. */
  join(callId: string, options: Pick<ChannelRequest, 'signal' | 'onId' | 'onLeft'>): Promise<JoinedCall> {
    return this.#channel.join(callId, options);
  }

  /** Like `join`, for a call that has a handle: its notifications are replayed. Returns `true` when none of them is missing. */
  async replayNotifications(callId: string, onId: (id: string) => void): Promise<boolean> {
    const transport = this.#transport;
    await this.whenKept();
    if (!transport.join) return false;
    return new Promise((resolve) => {
      transport.join?.(callId, false, (joined) => {
        if (joined.word === 'kept') onId(String(joined.id));
        resolve(joined.word === 'kept' && joined.isWhole);
      });
    });
  }

  /** Whether a call that was to go through this keeper was never sent, as far as that is known. */
  async wasNeverSent(callId: string, keeper: string | undefined): Promise<boolean> {
    const transport = this.#transport;
    if (keeper === undefined || !transport.neverReceived) return false;
    return keeper === transport.keeper || transport.neverReceived(keeper, callId);
  }

  /** Cancels the work of a call that another host may have sent; the keeper knows its request id. */
  async cancelKept(callId: string): Promise<void> {
    await this.whenKept();
    this.#transport.cancelKept?.(callId);
  }

  /** Everything about a call is on disk; a keeper need not hold it any longer. */
  done(callId: string): void {
    this.#transport.done?.(callId);
  }

  /**
   * Ends the program of the server, unless it works on calls other than this one; `hasOthers` says so where there is no keeper.
   */
  async endServer(callId: string, hasOthers: () => boolean): Promise<EndedServer> {
    if (!('command' in this.#options.spec) || this.isLost) return 'none';
    if (this.#transport.endServer) return this.#transport.endServer(callId);
    if (hasOthers()) return 'busy';
    await this.close();
    return 'ended';
  }

  /** Sends a notification to the server. */
  async notify(method: string, params: JsonObject): Promise<void> {
    await this.#channel.notify(method, params);
  }

  onNotification(listener: NotificationListener): () => void {
    return this.#channel.onNotification(listener);
  }

  async close(): Promise<void> {
    await this.#client.close();
  }

  /** Not listed through the SDK's client, which drops tools and fields it does not know. */
  async #listTools(): Promise<readonly HostTool[]> {
    const tools: HostTool[] = [];
    let cursor: Json | undefined;
    let chars = 0;
    for (let page = 0; page < MAX_PAGES; page++) {
      const reply = await this.#within(cursor === undefined ? {} : { cursor });
      if (reply.kind === 'error') throw new TaskError('CONNECT_FAILED', `no list of tools: ${reply.error.message}`);
      const { tools: some = [], nextCursor } = reply.result;
      // Not spread into one `push`: a page may have more tools than a function call may have arguments.
      for (const tool of readTools(some)) tools.push(tool);
      if (typeof nextCursor !== 'string') return tools;
      chars += JSON.stringify(some).length;
      if (tools.length > HOST_MAX_TOOLS || chars > this.#options.maxAnswerBytes) break;
      cursor = nextCursor;
    }
    const expected = `${HOST_MAX_TOOLS} on ${MAX_PAGES} pages, as long as one answer may be (maxAnswerBytes)`;
    throw new TaskError('CONNECT_FAILED', `server ${this.#options.name} lists tools without end; expected ${expected}`);
  }

  async #within(params: JsonObject): Promise<Reply> {
    const late = new AbortController();
    const { clock, connectMs, name } = this.#options;
    const error = new TaskError('CONNECT_FAILED', `server ${name} did not list its tools within ${connectMs} ms`);
    const cancelTimer = clock.after(connectMs, () => late.abort(error));
    try {
      return await this.request('tools/list', params, { signal: late.signal });
    } finally {
      cancelTimer();
    }
  }

  /** Adds to a request of the newer era which client sends it and what that client can do. */
  #withEnvelope(params: JsonObject): JsonObject {
    if (this.era === 'legacy') return params;
    const { client } = this.#options;
    const envelope = {
      [`${META}protocolVersion`]: this.#client.getNegotiatedProtocolVersion() ?? MODERN,
      [`${META}clientInfo`]: client,
      [`${META}clientCapabilities`]: toDeclared(this.#options),
    };
    return { ...params, _meta: { ...envelope, ...(params._meta as JsonObject | undefined) } } as JsonObject;
  }
}

function createClient(options: ConnectionOptions): Client {
  const { client, capabilities, onRequest } = options;
  const declared = toDeclared(options) as ClientCapabilities;
  const made = new Client(client, { capabilities: declared, versionNegotiation: { mode: 'auto' } });
  let open = 0;
  const serve = (method: InputRequest['method']) =>
    made.setRequestHandler(method, async ({ params }) => {
      if (open >= HOST_MAX_OPEN_QUESTIONS) throw new TaskError('QUEUE_FULL', `${open} questions are open; ask later`);
      open += 1;
      try {
        return (await onRequest({ method, ...(params && { params: withSecretMarks(params as JsonObject) }) })) as never;
      } finally {
        open -= 1;
      }
    });
  if (capabilities.elicitation) serve('elicitation/create');
  if (capabilities.sampling) serve('sampling/createMessage');
  if (capabilities.roots) serve('roots/list');
  return made;
}

function openChannel(client: Client, transport: Transport, { onClosed, clock }: ConnectionOptions): RawRequests {
  const endsByStream = client.getProtocolEra() === 'modern' && transport instanceof StreamableHTTPClientTransport;
  const channel = new RawRequests(transport, { clock, endsByStream });
  const { onclose, onerror } = transport;
  const end = () => {
    if (!isOver) onClosed();
    isOver = true;
  };
  let isOver = false;
  transport.onclose = () => {
    onclose?.();
    end();
  };
  transport.onerror = (error) => {
    onerror?.(error);
    // A server takes its time to end, and the connection cannot be used meanwhile.
    if (channel.isLost) end();
  };
  return channel;
}

function toDeclared({ capabilities, extensions }: ConnectionOptions): JsonObject {
  const { extensions: given } = capabilities as { extensions?: JsonObject };
  const ours = Object.fromEntries(extensions.map((name) => [name, {}]));
  return { ...capabilities, extensions: { ...given, ...ours } } as unknown as JsonObject;
}

function readTools(list: Json): readonly HostTool[] {
  return Array.isArray(list) ? list.map(readTool).filter((tool) => tool !== undefined) : [];
}

function connectFailedError(name: string, cause: unknown): TaskError {
  const why = cause instanceof Error ? cause.message : String(cause);
  return new TaskError('CONNECT_FAILED', `server ${name} cannot be reached: ${why}`, { cause });
}
