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
import { AskedQuestions } from '../dialects/tasks-2025/asked-questions.ts';
import type { Json } from '../task/json.ts';
import { type AnswerFate, SessionAnswers } from './answer-fate.ts';
import { CancelReasons, type Connection, type OwnRequest } from './connection.ts';
import { FlowGate } from './flow-gate.ts';
import type { AnswerPlace } from './http-places.ts';
import type { InitializeParams } from './http-session-id.ts';
import type { InstanceOptions } from './instance.ts';
import { toLeastBytes } from './json-size.ts';
import { type OpenStream, OpenStreams } from './open-streams.ts';
import { isPoll, toPlainAnswer } from './poll-answer.ts';
import { keepOpen, type Pace } from './sse-keep-alive.ts';

type RequestId = string | number;

// How many frames may wait for a slow reader of the standing stream.
const MOST_WAITING = 256;

export interface LegacySessionOptions {
  readonly sessionId: string;
  readonly principal: string;
  readonly pace: Pace;
  create(options: Omit<InstanceOptions, 'register'>): McpServer;
  /** Records an answer to a question of ours; nothing when the message is none. */
  record(message: JSONRPCMessage, asked: AskedQuestions): Promise<void> | undefined;
}

export class LegacySession {
  readonly principal: string;
  readonly #options: LegacySessionOptions;
  readonly #transport: WebStandardStreamableHTTPServerTransport;
  readonly #cancels = new CancelReasons();
  readonly #answers = new SessionAnswers();
  readonly #asked: AskedQuestions;
  readonly #streams: OpenStreams;
  readonly #onStanding = new Set<() => void>();
  readonly #flow = new FlowGate(MOST_WAITING);
  #mcp: McpServer | undefined;
  #open = 0;

  constructor(options: LegacySessionOptions) {
    this.principal = options.principal;
    this.#options = options;
    this.#asked = new AskedQuestions(() => options.pace.clock.monotonic());
    this.#streams = new OpenStreams(this.#asked);
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

  /** @param place left when an event stream that answers has ended */
  async handle(request: Request, body: unknown, place: AnswerPlace): Promise<Response> {
    const requestIds = readRequestIds(body);
    // Before it is answered: a handler may ask something at once.
    const stream = this.#streams.open(requestIds, place);
    this.#open++;
    const onTaken = (bytes: number) => {
      if (this.#streams.find(undefined) !== stream) return;
      this.#flow.taken();
      place.release(bytes);
    };
    const onEnd = () => {
      this.#open--;
      if (this.#streams.find(undefined) === stream) this.#flow.reset();
      this.#streams.end(stream);
      place.leave();
    };
    const onGone = () => {
      requestIds.forEach(this.#leave);
      this.#streams.lose(stream);
    };
    try {
      const answered = await this.#answer(request, body, stream);
      const response = isPoll(body) ? await toPlainAnswer(answered) : answered;
      return keepOpen(response, {
        request,
        pace: this.#options.pace,
        cut: stream.cutter.signal,
        onGone,
        onTaken,
        onEnd,
      });
    } catch (error) {
      onEnd();
      throw error;
    }
  }

  async close(): Promise<void> {
    await this.#mcp?.close();
  }

  async #answer(request: Request, body: unknown, stream: OpenStream): Promise<Response> {
    if (request.method === 'GET') return this.#openStanding(request, stream);
    const messages = (Array.isArray(body) ? body : [body]) as JSONRPCMessage[];
    for (const message of messages) {
      if (!isRecord(message)) continue;
      this.#cancels.see(message);
      this.#answers.see(message);
    }
    const recorded = messages.map((message) =>
      isResponse(message) ? this.#options.record(message, this.#asked) : undefined,
    );
    await Promise.all(recorded);
    const rest = messages.filter((_, index) => recorded[index] === undefined);
    if (rest.length === 0 && messages.length > 0) return new Response(null, { status: 202 });
    const parsedBody = Array.isArray(body) ? rest : body;
    const response = await this.#transport.handleRequest(request, { parsedBody });
    for (const message of messages) this.#endCancelled(message);
    return response;
  }

  /** A client that comes back while its old stream is still thought alive must not be turned away. */
  async #openStanding(request: Request, stream: OpenStream): Promise<Response> {
    if (request.headers.get('accept')?.includes('text/event-stream')) {
      this.#dropStanding();
    }
    const response = await this.#transport.handleRequest(request);
    if (!response.ok) return response;
    this.#streams.stand(stream);
    this.#flow.reset();
    for (const listener of [...this.#onStanding]) queueMicrotask(listener);
    return response;
  }

  /** What is told from now on waits for the next one. */
  #dropStanding(): void {
    this.#transport.closeStandaloneSSEStream();
    const lost = this.#streams.find(undefined);
    if (!lost) return;
    this.#streams.end(lost);
    this.#flow.reset();
    lost.cutter.abort();
    // Whoever comes back must find room, though the end of the old stream may not be known for long.
    lost.place.release(Number.POSITIVE_INFINITY);
  }

  async #notify(method: string, params: { readonly [key: string]: Json }): Promise<void> {
    const standing = this.#streams.find(undefined);
    // Somebody who leaves so much unread is as good as gone; it hears the rest when it comes back.
    if (standing && !standing.place.hold(toLeastBytes(params))) return this.#dropStanding();
    if (standing) this.#flow.sent();
    await this.#transport.send({ jsonrpc: '2.0', method, params } as JSONRPCMessage);
  }

  #followAnswer(requestId: RequestId): Promise<AnswerFate> | undefined {
    const fate = this.#streams.find(requestId)?.place.fate?.();
    return fate && this.#answers.follow(requestId, fate);
  }

  async #sendRequest(request: OwnRequest, relatedRequestId: RequestId | undefined): Promise<void> {
    this.#streams.find(relatedRequestId)?.carried.add(request.id);
    const related = relatedRequestId === undefined ? {} : { relatedRequestId };
    await this.#transport.send({ jsonrpc: '2.0', ...request } as JSONRPCMessage, related);
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
    if (requestId === undefined || this.#streams.find(requestId)?.requestIds.length !== 1) return;
    this.#transport.closeSSEStream(requestId);
  }

  #toConnection(): Connection {
    const { sessionId, principal } = this.#options;
    return {
      principal,
      sessionId,
      holdAnswer: (requestId, bytes) => this.#streams.find(requestId)?.place.hold(bytes) ?? true,
      followAnswer: (requestId) => this.#followAnswer(requestId),
      cancelReason: (requestId) => this.#cancels.take(requestId),
      notify: (method, params) => this.#notify(method, params),
      whenReady: () => this.#flow.ready(),
      asked: this.#asked,
      canSend: (relatedRequestId) => this.#streams.find(relatedRequestId) !== undefined,
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
