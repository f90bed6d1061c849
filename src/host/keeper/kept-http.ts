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

interface Asked {
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
  readonly #asked = new Map<string | number, Asked>();
  #lastAsked = 0;

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
    const asked = this.#asked.get(message?.id ?? '');
    if (!message || !asked) return;
    this.#asked.delete(message.id ?? '');
    asked.request.transport.send({ ...message, id: asked.id } as unknown as JSONRPCMessage).catch(() => {});
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
    transport.onmessage = (said) => this.#take(request, said as unknown as Message);
    const onRequestStreamEnd = () => setImmediate(() => this.#fail(request, { message: '', isStreamEnd: true }));
    const more = { requestSignal: request.stop.signal, ...(paramHeaders && { headers: paramHeaders }) };
    try {
      await transport.start();
      await transport.send(message as unknown as JSONRPCMessage, { ...more, onRequestStreamEnd });
    } catch (error) {
      this.#fail(request, toFailure(error));
    }
  }

  #take(request: OpenRequest, message: Message): void {
    if (!this.#requests.has(request.id)) return;
    const { id, method } = message;
    if (method === undefined) this.#answer(request, message);
    else if (id !== undefined) this.#ask(request, id, message);
    else this.#tell(request, message);
  }

  #answer(request: OpenRequest, message: Message): void {
    const refused = readTooLarge(message as unknown as JSONRPCMessage);
    // The token in it is valid in this process only, so the host gets the failure instead.
    if (refused) this.#fail(request, { message: refused.message, tooLarge: refused.data ?? {} });
    else this.#settle(request, message);
  }

  #settle(request: OpenRequest, message: Message): void {
    if (message.id === request.id) this.#forget(request);
    this.#events.onLine(toLine(message), request.callId);
  }

  #ask(request: OpenRequest, id: string | number, message: Message): void {
    this.#lastAsked += 1;
    const own = `kept-${this.#lastAsked}`;
    this.#asked.set(own, { request, id });
    this.#events.onLine(toLine({ ...message, id: own }), request.callId);
  }

  #tell(request: OpenRequest, message: Message): void {
    const { method, params = {} } = message;
    const isOf = ([, asked]: [unknown, Asked]) => asked.request === request && asked.id === params.requestId;
    const [own] = method === 'notifications/cancelled' ? ([...this.#asked].find(isOf) ?? []) : [];
    const told = own === undefined ? message : { ...message, params: { ...params, requestId: own } };
    this.#events.onLine(toLine(told), request.callId);
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
    for (const [own, asked] of this.#asked) if (asked.request === request) this.#asked.delete(own);
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
