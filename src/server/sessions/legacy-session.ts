/**
 * One session of the legacy era over HTTP: an SDK server with its own transport.
 *
 * No state is only here. The session id says how the session was initialized, so any process can adopt it; tasks belong
 * to the principal; answers to our questions are recorded before the SDK sees them.
 */

import { setImmediate as nextTurn } from 'node:timers/promises';
import {
  isInitializeRequest,
  isJSONRPCErrorResponse,
  isJSONRPCRequest,
  isJSONRPCResultResponse,
  type JSONRPCMessage,
  type McpServer,
  WebStandardStreamableHTTPServerTransport,
} from '@modelcontextprotocol/server';
import type { AnswerFate, EventPoint, Seal, ToldPoint } from '../../dialects/server-port.ts';
import { AskedQuestions, parseQuestionId } from '../../dialects/shared/questions/asked-questions.ts';
import { isObject } from '../../is-object.ts';
import { makeToken } from '../../task/id.ts';
import type { Json } from '../../task/json.ts';
import type { AnswerSlot } from '../admission/request-slots.ts';
import { SessionAnswers } from '../calls/answer-fate.ts';
import { toMinJsonBytes } from '../frames/json-size.ts';
import { CancelReasons, type Connection, type OwnRequest } from '../sdk/connection.ts';
import type { InstanceOptions } from '../sdk/sdk-server.ts';
import { findResumed, toResumedCall } from '../sse/resumed-request.ts';
import { toRetryFrame } from '../sse/sse-frames.ts';
import { type Pace, withKeepAlive } from '../sse/sse-keep-alive.ts';
import { StreamEventIds, toStopRetryMs } from '../sse/stream-event-ids.ts';
import { Backpressure } from './backpressure.ts';
import { type OpenStream, OpenStreams } from './open-streams.ts';
import { isPoll, toPlainAnswer } from './poll-request.ts';
import type { InitializeParams } from './session-id.ts';

type RequestId = string | number;

// The first version whose clients accept events without data.
const EMPTY_DATA_SINCE = '2025-11-25';

// How many frames may wait for a slow reader of the standing stream.
const MAX_WAITING = 256;

export interface LegacySessionOptions {
  readonly sessionId: string;
  readonly principal: string;
  readonly pace: Pace;
  readonly seal: Seal;
  /** How long a client waits before it resumes a stream. */
  readonly retryMs: number;
  create(options: Omit<InstanceOptions, 'register'>): McpServer;
  /** Records an answer to a question of ours; returns undefined for another message. */
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
  /** Where resumed streams continue, by token, until their requests are handled. */
  readonly #resumed = new Map<string, EventPoint>();
  readonly #onStanding = new Set<() => void>();
  readonly #backpressure = new Backpressure(MAX_WAITING);
  #mcp: McpServer | undefined;
  #open = 0;

  constructor(options: LegacySessionOptions) {
    this.principal = options.principal;
    this.#options = options;
    this.#asked = new AskedQuestions(() => options.pace.clock.monotonic());
    this.#streams = new OpenStreams(this.#asked);
    // We send the keep-alive comments: the first must come earlier than the SDK's.
    this.#transport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: () => options.sessionId,
      keepAliveMs: 0,
    });
    const send = this.#transport.send.bind(this.#transport);
    this.#transport.send = (message, related) => {
      const requestId = 'method' in message ? related?.relatedRequestId : message.id;
      if (requestId !== undefined) this.#streams.find(requestId)?.eventIds?.assignId(message);
      return send(message, related);
    };
  }

  /** Whether no client is connected, so that the session can be dropped from memory. */
  get isIdle(): boolean {
    return this.#open === 0;
  }

  async start(): Promise<void> {
    this.#mcp = this.#options.create({ era: 'legacy', connection: this.#toConnection() });
    await this.#mcp.connect(this.#transport);
  }

  /** Restores a session that began in another process: the client's handshake is replayed, without involving the client. */
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

  /** Handles one HTTP request. @param slot freed when the event stream that answers has ended */
  async handle(request: Request, body: unknown, slot: AnswerSlot): Promise<Response> {
    const from = findResumed(request, this.#options.seal, this.#options);
    if (from instanceof Response) return from;
    return from ? this.#resume(request, from, slot) : this.#forward({ request, body }, { request, slot });
  }

  /** Resumes an answer that the client has received in part. The newest stream wins: its client no longer reads the older one. */
  async #resume(request: Request, from: EventPoint, slot: AnswerSlot): Promise<Response> {
    for (;;) {
      const older = this.#streams.find(from.requestId);
      if (!older) break;
      older.cutter.abort();
      // The SDK notices the abort a moment later; until then it takes the next request with this id for the aborted one.
      await nextTurn();
    }
    const token = makeToken();
    // A result is requested again by its task id alone.
    if (!from.result) this.#resumed.set(token, from);
    const response = await this.#forward(toResumedCall(request, from, token), { request, slot, from });
    if (!response.ok) this.#resumed.delete(token);
    return response;
  }

  #takeResumed(token: string): EventPoint | undefined {
    const from = this.#resumed.get(token);
    this.#resumed.delete(token);
    return from;
  }

  /** Sends the answer to a request on the connection that is open for it. */
  async #forward(
    { request: forwarded, body }: ForwardedRequest,
    { request, slot, from }: ResponseTarget,
  ): Promise<Response> {
    const requestIds = readRequestIds(body);
    const eventIds = this.#createEventIds(requestIds, request, from);
    // Registered before the request is handled: a handler may ask something at once.
    const stream = this.#streams.open(requestIds, { slot, eventIds });
    this.#restoreAsked(stream, from);
    this.#open++;
    const stopListening = slot.stopping?.onStop(() => this.#stop(stream));
    const onTaken = (bytes: number) => {
      if (this.#streams.find(undefined) !== stream) return;
      this.#backpressure.taken();
      slot.release(bytes);
    };
    const onEnd = () => {
      stopListening?.();
      eventIds?.close();
      this.#open--;
      if (this.#streams.find(undefined) === stream) this.#backpressure.reset();
      this.#streams.end(stream);
      slot.free();
    };
    const onGone = () => {
      requestIds.forEach(this.#abortRequest);
      this.#streams.lose(stream);
    };
    try {
      const answered = await this.#answer(forwarded, body, stream);
      const response = isPoll(body) ? await toPlainAnswer(answered) : answered;
      return withKeepAlive(response, {
        request,
        pace: this.#options.pace,
        cut: stream.cutter.signal,
        ...(eventIds && { eventIds }),
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

  #createEventIds([requestId, ...others]: readonly RequestId[], request: Request, from: EventPoint | undefined) {
    if (requestId === undefined || others.length > 0) return undefined;
    const { seal, principal, sessionId, retryMs, pace } = this.#options;
    const takesEmptyData = (request.headers.get('mcp-protocol-version') ?? '') >= EMPTY_DATA_SINCE;
    const options = { seal, principal, sessionId, retryMs, requestId, takesEmptyData, clock: pace.clock };
    return new StreamEventIds({ ...options, ...(from && { from }) });
  }

  /** Questions that the client had before its stream was cut are still pending there. */
  #restoreAsked(stream: OpenStream, from: EventPoint | undefined): void {
    for (const asked of from?.asked ?? []) {
      const question = parseQuestionId(asked);
      const asking = question && this.#asked.take(question.taskId, question.key);
      if (asking) stream.carried.add(asking.id);
    }
  }

  /** Ends a stream that its client can resume on the next server, or open again there. */
  #stop(stream: OpenStream): void {
    const isStanding = this.#streams.find(undefined) === stream;
    if (!isStanding && !stream.eventIds?.isResumable) return;
    stream.eventIds?.sendReconnect();
    stream.cutter.abort(isStanding ? toRetryFrame(toStopRetryMs(this.#options.retryMs)) : undefined);
  }

  #recordPosition(requestId: RequestId, told: ToldPoint): void {
    this.#streams.find(requestId)?.eventIds?.recordPosition(told);
  }

  async #answer(request: Request, body: unknown, stream: OpenStream): Promise<Response> {
    if (request.method === 'GET') return this.#openStanding(request, stream);
    const messages = (Array.isArray(body) ? body : [body]) as JSONRPCMessage[];
    for (const message of messages) {
      if (!isObject(message)) continue;
      this.#cancels.observe(message);
      this.#answers.observe(message);
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

  /** A client that reconnects while its old stream still seems alive must not be refused. */
  async #openStanding(request: Request, stream: OpenStream): Promise<Response> {
    if (request.headers.get('accept')?.includes('text/event-stream')) {
      this.#dropStanding();
    }
    const response = await this.#transport.handleRequest(request);
    if (!response.ok) return response;
    this.#streams.stand(stream);
    this.#backpressure.reset();
    for (const listener of [...this.#onStanding]) queueMicrotask(listener);
    return response;
  }

  /** Closes the standing stream; the client gets later notifications on the next one. */
  #dropStanding(): void {
    this.#transport.closeStandaloneSSEStream();
    const lost = this.#streams.find(undefined);
    if (!lost) return;
    this.#streams.end(lost);
    this.#backpressure.reset();
    lost.cutter.abort();
    // A client that reconnects must find room, though the end of the old stream may not be noticed for long.
    lost.slot.release(Number.POSITIVE_INFINITY);
  }

  async #notify(method: string, params: { readonly [key: string]: Json }): Promise<void> {
    const standing = this.#streams.find(undefined);
    // A client that leaves so much unread counts as gone; it gets the rest when it reconnects.
    if (standing && !standing.slot.hold(toMinJsonBytes(params))) return this.#dropStanding();
    if (standing) this.#backpressure.sent();
    await this.#transport.send({ jsonrpc: '2.0', method, params } as JSONRPCMessage);
  }

  #followAnswer(requestId: RequestId): Promise<AnswerFate> | undefined {
    const stream = this.#streams.find(requestId);
    // The call learns a moment later than this session that its client has gone.
    if (!stream) return Promise.resolve('lost');
    const fate = stream.slot.fate?.();
    return fate && this.#answers.follow(requestId, fate);
  }

  async #sendRequest(request: OwnRequest, relatedRequestId: RequestId | undefined): Promise<void> {
    this.#streams.find(relatedRequestId)?.carried.add(request.id);
    const related = relatedRequestId === undefined ? {} : { relatedRequestId };
    await this.#transport.send({ jsonrpc: '2.0', ...request } as JSONRPCMessage, related);
  }

  /** Aborts the SDK's handler of a request whose client is gone. The handler looks up the reason, and finds no cancel. */
  readonly #abortRequest = (requestId: RequestId): void => {
    const params = { requestId, reason: 'the client went away' };
    this.#transport.onmessage?.({ jsonrpc: '2.0', method: 'notifications/cancelled', params });
  };

  /** A cancelled request gets no answer, so its stream must be ended here. */
  #endCancelled(message: unknown): void {
    if (!isObject(message) || message.method !== 'notifications/cancelled') return;
    const requestId = (message.params as { requestId?: RequestId } | undefined)?.requestId;
    if (requestId === undefined || this.#streams.find(requestId)?.requestIds.length !== 1) return;
    this.#streams.find(requestId)?.eventIds?.sendEnd();
    this.#transport.closeSSEStream(requestId);
  }

  #toConnection(): Connection {
    const { sessionId, principal } = this.#options;
    return {
      principal,
      sessionId,
      holdAnswer: (requestId, bytes) => this.#streams.find(requestId)?.slot.hold(bytes) ?? true,
      followAnswer: (requestId) => this.#followAnswer(requestId),
      cancelReason: (requestId) => this.#cancels.take(requestId),
      notify: (method, params) => this.#notify(method, params),
      whenReady: () => this.#backpressure.ready(),
      asked: this.#asked,
      canSend: (relatedRequestId) => this.#streams.find(relatedRequestId) !== undefined,
      mark: (requestId, told) => this.#recordPosition(requestId, told),
      takeResumed: (token) => this.#takeResumed(token),
      sendRequest: (request, relatedRequestId) => this.#sendRequest(request, relatedRequestId),
      onStandingStream: (listener) => {
        this.#onStanding.add(listener);
        return () => this.#onStanding.delete(listener);
      },
    };
  }
}

/** The request as the SDK gets it. */
interface ForwardedRequest {
  readonly request: Request;
  readonly body: unknown;
}

/** The connection on which the answer reaches the client. */
interface ResponseTarget {
  readonly request: Request;
  readonly slot: AnswerSlot;
  /** Where the stream continues, when the client has received a part of it. */
  readonly from?: EventPoint;
}

function readRequestIds(body: unknown): readonly RequestId[] {
  const messages = Array.isArray(body) ? body : [body];
  return messages.filter((message) => isJSONRPCRequest(message) && !isInitializeRequest(message)).map(({ id }) => id);
}

function isResponse(message: unknown): message is JSONRPCMessage {
  return isJSONRPCResultResponse(message) || isJSONRPCErrorResponse(message);
}
