/**
 * Sends our own requests on the transport of an SDK client.
 *
 * The SDK's client does not know tasks: it rejects their responses, drops notifications without a schema, and times out requests.
 * So calls are sent on its transport directly, under ids of our own, and their responses are taken out before the client sees
 * them.
 *
 * A request is waiting until its response arrives or cannot arrive any more. A request that starts work may also be left: waiting
 * for it stops, the work goes on, and its response is still received.
 */
import { randomInt } from 'node:crypto';
import type { JSONRPCMessage } from '@modelcontextprotocol/client';
import type { Clock } from '../../clock.ts';
import type { JsonObject, Notification, Reply } from '../../dialects/host-port.ts';
import { isTaskError, TaskError } from '../../errors.ts';
import { isNotAccepted, isUnreachable, type Refusal, readRefusal, toAnswer } from '../transports/http-refusal.ts';
import type { Joined, KeptCall, MaybeKeeping } from '../transports/keeping-transport.ts';
import { readTooLarge } from '../transports/too-large.ts';
import { getContextCallId } from './call-context.ts';
import { transientError } from './transient-failure.ts';

export interface ChannelRequest {
  readonly method: string;
  readonly params: JsonObject;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** Called with the request's id before it is sent: notifications about it may arrive before its response. */
  readonly onId?: ((id: string) => void) | undefined;
  /** Stops waiting. With the reason `CANCELLED`, or without `onLeft`, the server is notified too. */
  readonly signal?: AbortSignal | undefined;
  /**
   * For a request that starts work: called when waiting stops, with a promise of the response that may still arrive (`undefined`
   * if none can).
   */
  readonly onLeft?: ((late: Promise<Reply | undefined>) => void) | undefined;
  /** The call that the request makes, for the keeper of the server. */
  readonly kept?: KeptCall | undefined;
}

/** What is known of a call that may have been sent before, with the response that arrived or will arrive. */
export type JoinedCall =
  | Exclude<Joined, { word: 'kept' }>
  | (Extract<Joined, { word: 'kept' }> & { readonly reply: Promise<Reply> });

export interface ChannelOptions {
  readonly clock: Clock;
  /** Whether closing its stream cancels a request (HTTP of 2026-07-28); elsewhere a notification does. */
  readonly endsByStream: boolean;
}

// Timeout for a response that crosses our cancel, or the end of its session.
const LAST_WORD_MS = 5000;

const SESSION_ENDED = 'the server has ended the session';

// Numbers, because some servers accept no other ids; far from the client's own ids, which start at 0. They are not reset on a new
// connection, so that a late notification is not assigned to a newer call. They start at a random number, because another process
// may have used the same session, and its requests may still be answered there.
let lastId = 1_000_000_000 + randomInt(1_000_000_000);

/** `againFor` is set for a replayed notification that only this call has missed. */
export type NotificationListener = (notification: Notification, againFor?: string) => void;

interface Waiting {
  settle(reply: Reply): void;
  fail(error: unknown): void;
}

export class RawRequests {
  readonly #transport: MaybeKeeping;
  readonly #options: ChannelOptions;
  readonly #waiting = new Map<number, Waiting>();
  readonly #listeners = new Set<NotificationListener>();
  #isLost = false;
  /** Called once when no request is waiting any more. */
  #onSilence: (() => void) | undefined;

  /** Must be created after the client is connected, because connecting replaces the transport's handlers. */
  constructor(transport: MaybeKeeping, options: ChannelOptions) {
    this.#transport = transport;
    this.#options = options;
    const { onmessage, onclose, onerror } = transport;
    transport.onmessage = (message, extra) => {
      if (this.#take(message)) return;
      onmessage?.(message, extra);
    };
    transport.onagain = (callId, message) => this.#tell(message as Notification, callId);
    transport.onclose = () => {
      this.lose('the connection was closed');
      onclose?.();
    };
    transport.onerror = (error) => {
      if (isTaskError(error, 'RESULT_TOO_LARGE')) this.#giveUpReading(error);
      onerror?.(error);
    };
  }

  get isLost(): boolean {
    return this.#isLost;
  }

  onNotification(listener: NotificationListener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /**
   * Sends a request once. Rejects with `LINE_LOST` when its response cannot arrive any more, and with `CONNECT_FAILED` when the
   * request certainly did not arrive.
   */
  request(request: ChannelRequest): Promise<Reply> {
    const { signal } = request;
    if (this.#isLost) return Promise.reject(transientError('there is no connection to the server'));
    if (signal?.aborted) return Promise.reject(signal.reason);
    lastId += 1;
    const id = lastId;
    request.onId?.(String(id));
    return this.#wait(id, request, (stop) => this.#send(id, request, stop));
  }

  /**
   * Asks the keeper of the server about a call that may have been sent before; its response is then awaited like that of a
   * request.
   */
  join(callId: string, request: Pick<ChannelRequest, 'onId' | 'onLeft' | 'signal'>): Promise<JoinedCall> {
    const transport = this.#transport;
    if (!transport.join || this.#isLost) return Promise.resolve({ word: 'lost', callId });
    return new Promise((resolve) => {
      transport.join?.(callId, true, (joined) => {
        if (joined.word !== 'kept') return resolve(joined);
        request.onId?.(String(joined.id));
        const reply = this.#wait(joined.id, request, () =>
          transport.onFailed?.(joined.id, (error) => void this.#takeFailure(joined.id, error)),
        );
        reply.catch(() => {});
        resolve({ ...joined, reply });
      });
    });
  }

  #wait(
    id: number,
    request: Pick<ChannelRequest, 'onLeft' | 'signal'>,
    send: (stop: AbortController) => void = () => {},
  ): Promise<Reply> {
    const { signal } = request;
    return new Promise<Reply>((resolve, reject) => {
      const stop = new AbortController();
      const onAbort = () => {
        this.#stopWaiting(id, request, stop);
        reject(signal?.reason);
      };
      const done = () => {
        this.#waiting.delete(id);
        signal?.removeEventListener('abort', onAbort);
        this.#noteSilence();
      };
      const fail = (error: unknown) => {
        done();
        reject(error);
      };
      const settle = (reply: Reply) => {
        done();
        resolve(reply);
      };
      this.#waiting.set(id, { settle, fail });
      signal?.addEventListener('abort', onAbort, { once: true });
      if (signal?.aborted) onAbort();
      else send(stop);
    });
  }

  notify(method: string, params: JsonObject): Promise<void> {
    return this.#transport.send({ jsonrpc: '2.0', method, params } as JSONRPCMessage);
  }

  /** Marks the connection as lost: all waiting requests fail. */
  lose(why: string): void {
    this.#isLost = true;
    for (const { fail } of [...this.#waiting.values()]) fail(lineLostError(why));
  }

  /**
   * Stops waiting for a request. Work is cancelled on the server only with the reason `CANCELLED`; a request that starts no work
   * is always cancelled.
   */
  #stopWaiting(id: number, { signal, onLeft }: Pick<ChannelRequest, 'onLeft' | 'signal'>, stop: AbortController): void {
    this.#waiting.delete(id);
    const isCancelled = isTaskError(signal?.reason, 'CANCELLED');
    if (!onLeft || isCancelled) this.#giveUp(id, isCancelled ? signal.reason.message : 'not needed any more');
    if (!onLeft) {
      stop.abort();
      return;
    }
    const late = new Promise<Reply | undefined>((resolve) => {
      const leave = (reply?: Reply) => {
        cancelTimer?.();
        this.#waiting.delete(id);
        stop.abort();
        resolve(reply);
      };
      // The response may be on its way, and name work that must be cancelled in another way.
      const cancelTimer = isCancelled ? this.#options.clock.after(LAST_WORD_MS, leave) : undefined;
      this.#waiting.set(id, { settle: leave, fail: () => leave() });
    });
    onLeft(late);
  }

  #giveUp(requestId: number, reason: string): void {
    if (this.#isLost || this.#options.endsByStream) return;
    this.notify('notifications/cancelled', { requestId, reason }).catch(() => {});
  }

  #send(id: number, { method, params, headers, kept }: ChannelRequest, stop: AbortController): void {
    const message = { jsonrpc: '2.0', id, method, params } as JSONRPCMessage;
    const fail = (error: unknown) => this.#waiting.get(id)?.fail(error);
    const onRequestStreamEnd = () => setImmediate(() => fail(lineLostError('its stream ended without an answer')));
    const more = { ...(headers && { headers }), ...(kept && { kept }) };
    const options = { requestSignal: stop.signal, onRequestStreamEnd, ...more };
    this.#transport.send(message, options).catch((error: unknown) => this.#takeFailure(id, error));
  }

  async #takeFailure(id: number, error: unknown): Promise<void> {
    const refusal = readRefusal(error);
    if (refusal && (await this.#isSessionOver(refusal, id))) {
      this.#waiting.get(id)?.fail(transientError(SESSION_ENDED));
      this.#endSession();
      return;
    }
    const reply = refusal && toAnswer(refusal);
    if (reply) this.#waiting.get(id)?.settle(reply);
    else this.#waiting.get(id)?.fail(requestError(error, refusal));
  }

  /**
   * Ends the session; the next request needs a new connection. Pending requests on this one get their own responses first: only a
   * request that the server refused is known not to have run.
   */
  #endSession(): void {
    if (this.#isLost) return;
    this.#isLost = true;
    const close = () => {
      cancelTimer();
      this.#onSilence = undefined;
      this.lose(SESSION_ENDED);
      this.#transport.close().catch(() => {});
    };
    const cancelTimer = this.#options.clock.after(LAST_WORD_MS, close);
    this.#transport.onerror?.(lineLostError(SESSION_ENDED));
    this.#onSilence = close;
    this.#noteSilence();
  }

  #noteSilence(): void {
    if (this.#waiting.size === 0) this.#onSilence?.();
  }

  /**
   * Whether the server does not know the session any more: only a new session helps, and nothing was done. Servers say so with
   * 404; some use 400, which may also refer to the request alone.
   */
  async #isSessionOver({ status, id }: Refusal, requestId: number): Promise<boolean> {
    if (String(id) === String(requestId)) return false;
    return status === 404 || (status === 400 && (await this.#isPingRefused()));
  }

  async #isPingRefused(): Promise<boolean> {
    if (this.#transport.sessionId === undefined) return false;
    lastId += 1;
    const id = lastId;
    const forget = () => this.#waiting.delete(id);
    this.#waiting.set(id, { settle: forget, fail: forget });
    try {
      await this.#transport.send({ jsonrpc: '2.0', id, method: 'ping' });
      return false;
    } catch (error) {
      forget();
      return [400, 404].includes(readRefusal(error)?.status ?? 0);
    }
  }

  /** The message is endless, so nothing can follow it. If only one request waits, the message is taken for its response. */
  #giveUpReading(error: TaskError): void {
    const [only, ...others] = this.#waiting.values();
    if (only && others.length === 0) only.fail(error);
    this.lose(error.message);
  }

  #take(message: JSONRPCMessage): boolean {
    if ('method' in message) {
      if ('id' in message) return false;
      this.#tell(message as Notification);
      // The client would inspect each one at length before dropping it, and streams send thousands per second.
      return !message.method.startsWith('notifications/');
    }
    const waiting = 'id' in message ? this.#waiting.get(Number(message.id)) : undefined;
    if (!waiting) return false;
    if ('error' in message) this.#takeError(message, waiting);
    else waiting.settle({ kind: 'result', result: ('result' in message ? message.result : {}) as JsonObject });
    return true;
  }

  #takeError(message: JSONRPCMessage & { readonly error: unknown }, waiting: Waiting): void {
    const tooLarge = readTooLarge(message);
    if (tooLarge) waiting.fail(tooLarge);
    else waiting.settle({ kind: 'error', error: message.error as (Reply & { kind: 'error' })['error'] });
  }

  #tell({ method, params }: Notification, againFor?: string): void {
    const callId = getContextCallId();
    const told = { method, params: params ?? {}, ...(callId !== undefined && { callId }) };
    for (const listener of [...this.#listeners]) listener(told, againFor);
  }
}

function lineLostError(why: string): TaskError {
  return new TaskError('LINE_LOST', `the line to the server was lost: ${why}`);
}

/** Only a request that certainly did not arrive, or was not accepted, can be sent again. */
function requestError(error: unknown, refusal: Refusal | undefined): TaskError {
  const why = error instanceof Error ? error.message : String(error);
  if (refusal && isNotAccepted(refusal))
    return transientError(`the server cannot take it now (HTTP status ${refusal.status})`);
  return isUnreachable(error)
    ? transientError(`nothing listens where the server should be: ${why}`, error)
    : lineLostError(why);
}
