/**
 * One session of the legacy era over HTTP: an SDK server on a transport of its own.
 *
 * Nothing lives only here. The session id says how the session was initialized, so any process can take it up; tasks
 * belong to the principal; answers to questions of ours are recorded before the SDK could see them.
 */
import {
  isInitializeRequest,
  isJSONRPCErrorResponse,
  isJSONRPCRequest,
  isJSONRPCResultResponse,
  type JSONRPCMessage,
  type McpServer,
  WebStandardStreamableHTTPServerTransport,
} from '@modelcontextprotocol/server';
import { CancelReasons, type Connection, type OwnRequest } from './connection.ts';
import type { InitializeParams } from './http-session-id.ts';
import type { InstanceOptions } from './instance.ts';
import { keepOpen, type Pace } from './sse-keep-alive.ts';

type RequestId = string | number;

export interface LegacySessionOptions {
  readonly sessionId: string;
  readonly principal: string;
  readonly pace: Pace;
  create(options: Omit<InstanceOptions, 'register'>): McpServer;
  /** Records an answer to a question of ours; nothing when the message is none. */
  record(message: JSONRPCMessage): Promise<void> | undefined;
}

// A client that never listens must not fill the memory with questions.
const MOST_UNSENT = 100;

export class LegacySession {
  readonly principal: string;
  readonly #options: LegacySessionOptions;
  readonly #transport: WebStandardStreamableHTTPServerTransport;
  readonly #cancels = new CancelReasons();
  /** Requests whose answers are awaited on a stream, with all requests of that stream. */
  readonly #awaited = new Map<RequestId, readonly RequestId[]>();
  readonly #onStanding = new Set<() => void>();
  /** Requests of ours that wait for a standing stream to go out on, by their ids. */
  readonly #unsent = new Map<string, JSONRPCMessage>();
  #standing: Response | undefined;
  #mcp: McpServer | undefined;
  #open = 0;

  constructor(options: LegacySessionOptions) {
    this.principal = options.principal;
    this.#options = options;
    // Comments are ours: the first must come earlier than the SDK's.
    this.#transport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: () => options.sessionId,
      keepAliveMs: 0,
    });
  }

  /** Nobody is connected: the session can leave the memory. */
  get isIdle(): boolean {
    return this.#open === 0;
  }

  async start(): Promise<void> {
    this.#mcp = this.#options.create({ era: 'legacy', connection: this.#toConnection() });
    await this.#mcp.connect(this.#transport);
  }

  /** Takes up a session that began elsewhere: the client has shaken hands already and is not bothered again. */
  async adopt(params: InitializeParams): Promise<void> {
    await this.start();
    const { sessionId } = this.#options;
    const headers = {
      accept: 'application/json, text/event-stream',
      'content-type': 'application/json',
      'mcp-session-id': sessionId,
    };
    const replay = async (parsedBody: object) => {
      const request = new Request('http://localhost/mcp', { method: 'POST', headers });
      await (await this.#transport.handleRequest(request, { parsedBody })).text();
    };
    await replay({ jsonrpc: '2.0', id: 'holdfast-adopt', method: 'initialize', params });
    await replay({ jsonrpc: '2.0', method: 'notifications/initialized' });
  }

  async handle(request: Request, body: unknown): Promise<Response> {
    this.#open++;
    try {
      const response = await this.#answer(request, body);
      const { pace } = this.#options;
      const ids = readRequestIds(body);
      for (const id of ids) this.#awaited.set(id, ids);
      const onEnd = () => {
        this.#open--;
        if (this.#standing === response) this.#standing = undefined;
        for (const id of ids) this.#awaited.delete(id);
      };
      return keepOpen(response, { request, pace, onGone: () => ids.forEach(this.#leave), onEnd });
    } catch (error) {
      this.#open--;
      throw error;
    }
  }

  async close(): Promise<void> {
    await this.#mcp?.close();
  }

  async #answer(request: Request, body: unknown): Promise<Response> {
    if (request.method === 'GET') return this.#openStanding(request);
    const messages = (Array.isArray(body) ? body : [body]) as JSONRPCMessage[];
    for (const message of messages) if (isRecord(message)) this.#cancels.see(message);
    const recorded = messages.map((message) => (isResponse(message) ? this.#record(message) : undefined));
    await Promise.all(recorded);
    const rest = messages.filter((_, index) => recorded[index] === undefined);
    if (rest.length === 0 && messages.length > 0) return new Response(null, { status: 202 });
    const parsedBody = Array.isArray(body) ? rest : body;
    const response = await this.#transport.handleRequest(request, { parsedBody });
    for (const message of messages) this.#endCancelled(message);
    return response;
  }

  /** A client that comes back while its old stream is still thought alive must not be turned away. */
  async #openStanding(request: Request): Promise<Response> {
    if (request.headers.get('accept')?.includes('text/event-stream')) this.#transport.closeStandaloneSSEStream();
    const response = await this.#transport.handleRequest(request);
    if (!response.ok) return response;
    this.#standing = response;
    for (const message of this.#unsent.values()) await this.#transport.send(message);
    this.#unsent.clear();
    for (const listener of [...this.#onStanding]) queueMicrotask(listener);
    return response;
  }

  #record(message: JSONRPCMessage & { readonly id?: unknown }): Promise<void> | undefined {
    this.#unsent.delete(String(message.id));
    return this.#options.record(message);
  }

  /** Without a related request, what the client cannot hear now is kept until it listens. */
  async #sendRequest(request: OwnRequest, relatedRequestId: RequestId | undefined): Promise<void> {
    const message = { jsonrpc: '2.0', ...request } as JSONRPCMessage;
    if (relatedRequestId !== undefined) return this.#transport.send(message, { relatedRequestId });
    if (this.#standing) return this.#transport.send(message);
    if (this.#unsent.size < MOST_UNSENT) this.#unsent.set(request.id, message);
  }

  /** Tells the SDK's handler of a request that its client is gone. It looks up why, and finds no cancel. */
  readonly #leave = (requestId: RequestId): void => {
    const params = { requestId, reason: 'the client went away' };
    this.#transport.onmessage?.({ jsonrpc: '2.0', method: 'notifications/cancelled', params });
  };

  /** A cancelled request gets no answer, so nothing else would end its stream. */
  #endCancelled(message: unknown): void {
    if (!isRecord(message) || message.method !== 'notifications/cancelled') return;
    const requestId = (message.params as { requestId?: RequestId } | undefined)?.requestId;
    if (requestId === undefined || this.#awaited.get(requestId)?.length !== 1) return;
    this.#transport.closeSSEStream(requestId);
  }

  #toConnection(): Connection {
    const { sessionId, principal } = this.#options;
    return {
      principal,
      sessionId,
      cancelReason: (requestId) => this.#cancels.take(requestId),
      notify: (method, params) => this.#transport.send({ jsonrpc: '2.0', method, params } as JSONRPCMessage),
      sendRequest: (request, relatedRequestId) => this.#sendRequest(request, relatedRequestId),
      onStandingStream: (listener) => {
        this.#onStanding.add(listener);
        return () => this.#onStanding.delete(listener);
      },
    };
  }
}

function readRequestIds(body: unknown): readonly RequestId[] {
  const messages = Array.isArray(body) ? body : [body];
  return messages.filter((message) => isJSONRPCRequest(message) && !isInitializeRequest(message)).map(({ id }) => id);
}

function isResponse(message: unknown): message is JSONRPCMessage {
  return isJSONRPCResultResponse(message) || isJSONRPCErrorResponse(message);
}

function isRecord(value: unknown): value is JSONRPCMessage & { method?: unknown; params?: unknown } {
  return value !== null && typeof value === 'object';
}
