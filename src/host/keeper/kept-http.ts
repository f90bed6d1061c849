/**
 * The requests that a keeper has open at servers over HTTP: one connection per call, from when it is sent until it is answered.
 *
 * There is no handshake here: a call is sent in the session of the host that makes it. A stream that breaks and has event ids is
 * resumed; one without event ids is lost, and so is its call.
 */
import type { JSONRPCMessage } from '@modelcontextprotocol/client';
import { isTaskError } from '../../errors.ts';
import { isUnreachable, readRefusal } from '../transports/http-refusal.ts';
import { HttpTransport } from '../transports/http-transport.ts';
import type { KeptCall, RequestFailure } from '../transports/keeping-transport.ts';
import { readTooLarge } from '../transports/too-large.ts';
import { FetchGate } from './fetch-gate.ts';
import type { KeptPeer, KeptPeerEvents } from './kept-peer.ts';
import { type Message, parseMessage, toLine } from './relay/message.ts';

interface OpenRequest {
  readonly id: string | number;
  readonly callId: string;
  readonly transport: HttpTransport;
  readonly stop: AbortController;
  /** Whether closing its stream cancels the request (2026-07-28). */
  readonly endsByStream: boolean;
}

interface ForwardedQuestion {
  readonly request: OpenRequest;
  /** The id under which the server knows the question. */
  readonly id: string | number;
}

export class KeptHttp implements KeptPeer {
  readonly pid = 0;
  readonly #maxAnswerBytes: number;
  readonly #events: KeptPeerEvents;
  readonly #gate = new FetchGate();
  readonly #requests = new Map<string | number, OpenRequest>();
  readonly #forwardedQuestions = new Map<string | number, ForwardedQuestion>();
  #lastQuestionNumber = 0;

  constructor({ maxAnswerBytes }: { readonly maxAnswerBytes: number }, events: KeptPeerEvents) {
    this.#maxAnswerBytes = maxAnswerBytes;
    this.#events = events;
  }

  send(line: string, call?: KeptCall): boolean {
    const message = parseMessage(line);
    if (message?.method === 'notifications/cancelled') this.#cancel(message);
    else if (message && call) void this.#post(message, call);
    return true;
  }

  /**
   * Answers a question under the server's id. Servers number their questions per session, so hosts see ids of the keeper's own.
   */
  sendAnswer(line: string): void {
    const message = parseMessage(line);
    const question = this.#forwardedQuestions.get(message?.id ?? '');
    if (!message || !question) return;
    this.#forwardedQuestions.delete(message.id ?? '');
    question.request.transport.send({ ...message, id: question.id } as unknown as JSONRPCMessage).catch(() => {});
  }

  pause(): void {
    this.#gate.close();
  }

  resume(): void {
    this.#gate.open();
  }

  async end(): Promise<void> {
    for (const request of [...this.#requests.values()]) this.#forget(request);
  }

  async #post(message: Message, { callId, http }: KeptCall): Promise<void> {
    const { id } = message;
    if (!http || id === undefined) return;
    const { url, headers, session, protocolVersion, endsByStream, paramHeaders } = http;
    const fetch = this.#gate.fetch;
    const limits = { maxAnswerBytes: this.#maxAnswerBytes, report: (error: unknown) => this.#report(error) };
    const transport = new HttpTransport({ url, fetch, ...(headers && { headers }) }, { ...limits, session });
    if (protocolVersion !== undefined) transport.setProtocolVersion(protocolVersion);
    const request = { id, callId, transport, endsByStream, stop: new AbortController() };
    this.#requests.set(id, request);
    transport.onmessage = (said) => this.#handleMessage(request, said as unknown as Message);
    const onRequestStreamEnd = () => setImmediate(() => this.#fail(request, { message: '', isStreamEnd: true }));
    const more = { requestSignal: request.stop.signal, ...(paramHeaders && { headers: paramHeaders }) };
    try {
      await transport.start();
      await transport.send(message as unknown as JSONRPCMessage, { ...more, onRequestStreamEnd });
    } catch (error) {
      this.#fail(request, toFailure(error));
    }
  }

  #handleMessage(request: OpenRequest, message: Message): void {
    if (!this.#requests.has(request.id)) return;
    const { id, method } = message;
    if (method === undefined) this.#handleResponse(request, message);
    else if (id !== undefined) this.#handleServerRequest(request, id, message);
    else this.#handleNotification(request, message);
  }

  #handleResponse(request: OpenRequest, message: Message): void {
    const refused = readTooLarge(message as unknown as JSONRPCMessage);
    // The token in it is valid in this process only, so the host gets the failure instead.
    if (refused) this.#fail(request, { message: refused.message, tooLarge: refused.data ?? {} });
    else this.#settle(request, message);
  }

  #settle(request: OpenRequest, message: Message): void {
    if (message.id === request.id) this.#forget(request);
    this.#events.onLine(toLine(message), request.callId);
  }

  #handleServerRequest(request: OpenRequest, id: string | number, message: Message): void {
    this.#lastQuestionNumber += 1;
    const own = `kept-${this.#lastQuestionNumber}`;
    this.#forwardedQuestions.set(own, { request, id });
    this.#events.onLine(toLine({ ...message, id: own }), request.callId);
  }

  #handleNotification(request: OpenRequest, message: Message): void {
    const { method, params = {} } = message;
    const isOf = ([, question]: [unknown, ForwardedQuestion]) =>
      question.request === request && question.id === params.requestId;
    const [own] = method === 'notifications/cancelled' ? ([...this.#forwardedQuestions].find(isOf) ?? []) : [];
    const forwarded = own === undefined ? message : { ...message, params: { ...params, requestId: own } };
    this.#events.onLine(toLine(forwarded), request.callId);
  }

  /** Reports an oversized message that no request waits for. */
  #report(error: unknown): void {
    const { bytes } = ((isTaskError(error, 'RESULT_TOO_LARGE') && error.data) || {}) as { readonly bytes?: unknown };
    if (typeof bytes === 'number') this.#events.onOversized(undefined, bytes);
  }

  #cancel(message: Message): void {
    const { requestId } = message.params ?? {};
    const request = this.#requests.get(requestId as string | number);
    if (!request) return;
    if (request.endsByStream) this.#fail(request, { message: 'it was cancelled' });
    else request.transport.send(message as unknown as JSONRPCMessage).catch(() => {});
  }

  #fail(request: OpenRequest, failure: RequestFailure): void {
    if (!this.#requests.has(request.id)) return;
    this.#forget(request);
    this.#events.onFailed(request.id, failure);
  }

  #forget(request: OpenRequest): void {
    this.#requests.delete(request.id);
    for (const [own, question] of this.#forwardedQuestions)
      if (question.request === request) this.#forwardedQuestions.delete(own);
    request.stop.abort();
    request.transport.close().catch(() => {});
  }
}

/** Converts an error into the JSON that a host needs to know about it. */
function toFailure(error: unknown): RequestFailure {
  const refusal = readRefusal(error);
  return {
    message: error instanceof Error ? error.message : String(error),
    ...(refusal && { status: refusal.status, text: refusal.text }),
    ...(isUnreachable(error) && { isUnreachable: true }),
  };
}
