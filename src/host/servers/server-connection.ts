/**
 * One connection to a server: an SDK client that shook hands, and our own requests beside it.
 */

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
import { sendFor } from './asking-call.ts';
import { listenForHello } from './hello.ts';
import { type HostTool, readTool } from './host-tool.ts';
import { type ChannelRequest, type JoinedCall, type NotificationListener, RawRequests } from './raw-requests.ts';
import type { ServerInfo } from './server-info.ts';

export interface ConnectionOptions
  extends Pick<TransportOptions, 'prepareChild' | 'openKept' | 'openKeptCalls' | 'session'> {
  readonly name: string;
  readonly spec: ServerSpec;
  readonly client: { readonly name: string; readonly version: string };
  readonly capabilities: ClientCapabilities;
  /** Extensions of the protocol that are declared beside them. */
  readonly extensions: readonly string[];
  readonly clock: Clock;
  /** Which era the server was found to speak before. */
  readonly prior?: PriorDiscovery | undefined;
  /** What it said then: who is known is not asked again. */
  readonly hello?: JsonObject | undefined;
  /** How long shaking hands may take. */
  readonly connectMs: number;
  /** The longest message that is taken from the server. */
  readonly maxAnswerBytes: number;
  /** Hears of failures nobody waits for. */
  report(error: unknown): void;
  onClosed(): void;
  /** Answers a request of the server's. */
  onRequest(request: InputRequest): Promise<JsonObject>;
}

export interface ConnectionRequestOptions extends Pick<ChannelRequest, 'signal' | 'onId' | 'onLeft' | 'kept'> {
  /** The call that the request makes. */
  readonly callId?: string;
  /** What goes along as headers, where there are any. */
  readonly headers?: () => Readonly<Record<string, string>>;
}

// A list without end is none.
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

  /** Connects in the newest era both sides speak. */
  static async open(options: ConnectionOptions): Promise<ServerConnection> {
    try {
      return await openAs(options, options.prior);
    } catch (error) {
      // A server that ends at a request it does not know is one of the older era.
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
      const stopListening = listenForHello(transport);
      try {
        await client.connect(transport, { timeout: given.connectMs, ...(prior && { prior }) });
      } catch (error) {
        await transport.close().catch(() => {});
        throw error;
      }
      return new ServerConnection(client, transport, { ...given, hello: stopListening() ?? given.hello });
    }
  }

  /** Goes on with a session that there was before: nobody shakes hands. */
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

  /** What the server said when it shook hands, as it said it. */
  get hello(): JsonObject | undefined {
    return this.#options.hello;
  }

  /** What the server says of itself. */
  get info(): ServerInfo {
    const implementation = this.#client.getServerVersion();
    const instructions = this.#client.getInstructions();
    return {
      protocolVersion: this.#client.getNegotiatedProtocolVersion() ?? '',
      era: this.era,
      capabilities: (this.hello?.capabilities ?? this.capabilities) as JsonObject,
      ...(implementation && { implementation: implementation as unknown as JsonObject }),
      ...(instructions !== undefined && { instructions }),
    };
  }

  /** So that the next connection need not find out again. */
  get prior(): PriorDiscovery {
    const discover = this.#client.getDiscoverResult();
    return this.era === 'modern' && discover ? { kind: 'modern', discover } : { kind: 'legacy' };
  }

  /** What calls that are made on this connection can be found by later, where servers keep them by session. */
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

  /** The server's tools, listed once per connection, and again after it has said that they changed. */
  tools(): Promise<readonly HostTool[]> {
    this.#tools ??= this.#listTools();
    this.#tools.catch(() => {
      this.#tools = undefined;
    });
    return this.#tools;
  }

  request(method: string, params: JsonObject, options: ConnectionRequestOptions = {}): Promise<Reply> {
    const { headers, callId, ...rest } = options;
    // Only the newer era knows headers for arguments.
    const hasHeaders = this.era === 'modern' && !('command' in this.#options.spec);
    const sent = hasHeaders && headers ? { headers: headers() } : {};
    const send = () => this.#channel.request({ method, params: this.#withEnvelope(params), ...rest, ...sent });
    // Elsewhere everything comes on one stream.
    return callId !== undefined && 'url' in this.#options.spec ? sendFor(callId, send) : send();
  }

  /**
   * Resolves when calls can be made, through a keeper if there can be one. Over HTTP it is started for the first call: who only
   * looks around needs none, and a server of ours knows its calls by itself.
   */
  async whenKept(): Promise<void> {
    if (isHoldfast(this)) return;
    this.#kept ??= this.#transport.keepCalls?.().catch(this.#options.report);
    await this.#kept;
  }

  /** The keeper that holds the server, if one does. */
  get keeper(): string | undefined {
    return this.#transport.keeper;
  }

  /** Whether there will be one for the first call. */
  get isToBeKept(): boolean {
    return this.keeper === undefined && this.#transport.keepCalls !== undefined && !isHoldfast(this);
  }

  /** A call that may have been sent before, as the keeper knows it. */
  join(callId: string, options: Pick<ChannelRequest, 'signal' | 'onId' | 'onLeft'>): Promise<JoinedCall> {
    return this.#channel.join(callId, options);
  }

  /** The same for one that has a handle: what was told of it is told again. True when nothing of that is missing. */
  async joinTold(callId: string, onId: (id: string) => void): Promise<boolean> {
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

  /** Whether a call that was to go through this keeper was never sent, as far as that can be told. */
  async wasNeverSent(callId: string, keeper: string | undefined): Promise<boolean> {
    const transport = this.#transport;
    if (keeper === undefined || !transport.neverHad) return false;
    return keeper === transport.keeper || transport.neverHad(keeper, callId);
  }

  /** Stops the work of a call that another host may have sent; the keeper knows under which id. */
  async cancelKept(callId: string): Promise<void> {
    await this.whenKept();
    this.#transport.cancelKept?.(callId);
  }

  /** What there is to know of a call is on disk. */
  done(callId: string): void {
    this.#transport.done?.(callId);
  }

  /** Ends the program behind it, unless it works at calls other than this one; `hasOthers` says so where no keeper knows. */
  async endServer(callId: string, hasOthers: () => boolean): Promise<EndedServer> {
    if (!('command' in this.#options.spec) || this.isLost) return 'none';
    if (this.#transport.endServer) return this.#transport.endServer(callId);
    if (hasOthers()) return 'busy';
    await this.close();
    return 'ended';
  }

  /** Tells the server something that it does not answer. */
  async notify(method: string, params: JsonObject): Promise<void> {
    await this.#channel.notify(method, params);
  }

  onNotification(listener: NotificationListener): () => void {
    return this.#channel.onNotification(listener);
  }

  async close(): Promise<void> {
    await this.#client.close();
  }

  /** Not by the SDK's client: it drops tools and fields it does not know. */
  async #listTools(): Promise<readonly HostTool[]> {
    const tools: HostTool[] = [];
    let cursor: Json | undefined;
    let chars = 0;
    for (let page = 0; page < MAX_PAGES; page++) {
      const reply = await this.#within(cursor === undefined ? {} : { cursor });
      if (reply.kind === 'error') throw new TaskError('CONNECT_FAILED', `no list of tools: ${reply.error.message}`);
      const { tools: some = [], nextCursor } = reply.result;
      // Not spread into one `push`: a page may have more tools than a call may have arguments.
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

  /** Every request of the newer era says who sends it and what it can do. */
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
    // A server that is being ended takes its time, and nobody can use the connection meanwhile.
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
