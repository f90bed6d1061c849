/**
 * One session of the legacy era over HTTP: an SDK server on a transport of its own.
 *
 * Nothing lives only here. The session id says how the session was initialized, so any process can take it up; tasks
 * belong to the principal; answers to questions of ours are recorded before the SDK could see them.
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
import type { AnswerPlace } from '../admission/request-places.ts';
import { SessionAnswers } from '../calls/answer-fate.ts';
import { toLeastBytes } from '../frames/json-size.ts';
import { CancelReasons, type Connection, type OwnRequest } from '../sdk/connection.ts';
import type { InstanceOptions } from '../sdk/sdk-server.ts';
import { findResumed, toResumedCall } from '../sse/resumed-request.ts';
import { toRetryFrame } from '../sse/sse-frames.ts';
import { keepOpen, type Pace } from '../sse/sse-keep-alive.ts';
import { StreamMarks, toStoppedMs } from '../sse/stream-marks.ts';
import { FlowGate } from './flow-gate.ts';
import { type OpenStream, OpenStreams } from './open-streams.ts';
import { isPoll, toPlainAnswer } from './poll-request.ts';
import type { InitializeParams } from './session-id.ts';

type RequestId = string | number;

// The first version whose clients take an event without data for what it is.
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
  /** Where streams go on that are being resumed, until their requests are dealt with. */
  readonly #resumed = new Map<string, EventPoint>();
  readonly #onStanding = new Set<() => void>();
  readonly #flow = new FlowGate(MAX_WAITING);
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
    const send = this.#transport.send.bind(this.#transport);
    this.#transport.send = (message, related) => {
      const requestId = 'method' in message ? related?.relatedRequestId : message.id;
      if (requestId !== undefined) this.#streams.find(requestId)?.marks?.sent(message);
      return send(message, related);
    };
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
    const from = findResumed(request, this.#options.seal, this.#options);
    if (from instanceof Response) return from;
    return from ? this.#resume(request, from, place) : this.#carry({ request, body }, { request, place });
  }

  /** Goes on with an answer of which the client has a part. The newest stream wins: whoever reads the older one has left it. */
  async #resume(request: Request, from: EventPoint, place: AnswerPlace): Promise<Response> {
    for (;;) {
      const older = this.#streams.find(from.requestId);
      if (!older) break;
      older.cutter.abort();
      // The SDK hears of it a moment later, and until then takes the next request of this id for the one that was left.
      await nextTurn();
    }
    const token = makeToken();
    // A result is asked for again, and needs no more than its name.
    if (!from.result) this.#resumed.set(token, from);
    const response = await this.#carry(toResumedCall(request, from, token), { request, place, from });
    if (!response.ok) this.#resumed.delete(token);
    return response;
  }

  #takeResumed(token: string): EventPoint | undefined {
    const from = this.#resumed.get(token);
    this.#resumed.delete(token);
    return from;
  }

  /** Answers what was asked on the way that is open. */
  async #carry({ request: asking, body }: Asked, { request, place, from }: Way): Promise<Response> {
    const requestIds = readRequestIds(body);
    const marks = this.#toMarks(requestIds, request, from);
    // Before it is answered: a handler may ask something at once.
    const stream = this.#streams.open(requestIds, { place, marks });
    this.#keepAsked(stream, from);
    this.#open++;
    const stopListening = place.stopping?.onStop(() => this.#stop(stream));
    const onTaken = (bytes: number) => {
      if (this.#streams.find(undefined) !== stream) return;
      this.#flow.taken();
      place.release(bytes);
    };
    const onEnd = () => {
      stopListening?.();
      marks?.close();
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
      const answered = await this.#answer(asking, body, stream);
      const response = isPoll(body) ? await toPlainAnswer(answered) : answered;
      return keepOpen(response, {
        request,
        pace: this.#options.pace,
        cut: stream.cutter.signal,
        ...(marks && { marks }),
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

  #toMarks([requestId, ...others]: readonly RequestId[], request: Request, from: EventPoint | undefined) {
    if (requestId === undefined || others.length > 0) return undefined;
    const { seal, principal, sessionId, retryMs, pace } = this.#options;
    const takesEmptyData = (request.headers.get('mcp-protocol-version') ?? '') >= EMPTY_DATA_SINCE;
    const marks = { seal, principal, sessionId, retryMs, requestId, takesEmptyData, clock: pace.clock };
    return new StreamMarks({ ...marks, ...(from && { from }) });
  }

  /** What the client had been asked before its stream was cut is before it still. */
  #keepAsked(stream: OpenStream, from: EventPoint | undefined): void {
    for (const asked of from?.asked ?? []) {
      const question = parseQuestionId(asked);
      const asking = question && this.#asked.take(question.taskId, question.key);
      if (asking) stream.carried.add(asking.id);
    }
  }

  /** Ends a stream that its client can resume at the next server, or open there again. */
  #stop(stream: OpenStream): void {
    const isStanding = this.#streams.find(undefined) === stream;
    if (!isStanding && !stream.marks?.isResumable) return;
    stream.marks?.tellStop();
    stream.cutter.abort(isStanding ? toRetryFrame(toStoppedMs(this.#options.retryMs)) : undefined);
  }

  #mark(requestId: RequestId, told: ToldPoint): void {
    this.#streams.find(requestId)?.marks?.tell(told);
  }

  async #answer(request: Request, body: unknown, stream: OpenStream): Promise<Response> {
    if (request.method === 'GET') return this.#openStanding(request, stream);
    const messages = (Array.isArray(body) ? body : [body]) as JSONRPCMessage[];
    for (const message of messages) {
      if (!isObject(message)) continue;
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
    const stream = this.#streams.find(requestId);
    // The call hears a moment later than this session that its client has gone.
    if (!stream) return Promise.resolve('lost');
    const fate = stream.place.fate?.();
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
    if (!isObject(message) || message.method !== 'notifications/cancelled') return;
    const requestId = (message.params as { requestId?: RequestId } | undefined)?.requestId;
    if (requestId === undefined || this.#streams.find(requestId)?.requestIds.length !== 1) return;
    this.#streams.find(requestId)?.marks?.end();
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
      mark: (requestId, told) => this.#mark(requestId, told),
      takeResumed: (token) => this.#takeResumed(token),
      sendRequest: (request, relatedRequestId) => this.#sendRequest(request, relatedRequestId),
      onStandingStream: (listener) => {
        this.#onStanding.add(listener);
        return () => this.#onStanding.delete(listener);
      },
    };
  }
}

/** What is asked, as the SDK is asked it. */
interface Asked {
  readonly request: Request;
  readonly body: unknown;
}

/** How the answer gets to the client. */
interface Way {
  readonly request: Request;
  readonly place: AnswerPlace;
  /** Where it goes on, when the client has a part of it. */
  readonly from?: EventPoint;
}

function readRequestIds(body: unknown): readonly RequestId[] {
  const messages = Array.isArray(body) ? body : [body];
  return messages.filter((message) => isJSONRPCRequest(message) && !isInitializeRequest(message)).map(({ id }) => id);
}

function isResponse(message: unknown): message is JSONRPCMessage {
  return isJSONRPCResultResponse(message) || isJSONRPCErrorResponse(message);
}
