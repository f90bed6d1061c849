/**
 * Requests of ours on the transport of an SDK client.
 *
 * The SDK's client knows no tasks: it refuses their answers, drops notifications it has no schema for, and stops
 * waiting after a time. So calls go out on its transport beside it, under ids of their own, and what comes back for them
 * is taken out before the client sees it.
 *
 * A request is waiting until its answer is there or cannot come. One that starts work may also be left: nobody waits
 * for it, the work goes on, and its answer is still heard.
 */
import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/client';
import type { Clock } from '../clock.ts';
import type { JsonObject, Notification, Reply } from '../dialects/host-port.ts';
import { isTaskError, TaskError } from '../errors.ts';
import { isUnreachable, readRefusal, toRefusedReply, toReply } from './http-refusal.ts';

export interface ChannelRequest {
  readonly method: string;
  readonly params: JsonObject;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** Hears under which id it goes out, before it does: what is told of it may come before its answer. */
  readonly onId?: ((id: string) => void) | undefined;
  /** Stops the waiting. With the reason `CANCELLED`, or without `onLeft`, the server is told too. */
  readonly signal?: AbortSignal | undefined;
  /** For a request that starts work, when the waiting stops: the answer that still comes, or nothing if none can. */
  readonly onLeft?: ((late: Promise<Reply | undefined>) => void) | undefined;
}

export interface ChannelOptions {
  readonly clock: Clock;
  /** Whether closing its stream is how a request is given up (HTTP of 2026-07-28); elsewhere it takes words. */
  readonly endsByStream: boolean;
}

// For an answer that crosses our cancel.
const LAST_WORD_MS = 5000;

// Numbers, because there are servers that know no other ids; far from the client's own, which begin at 0. They go on over
// connections, so that what is told late on one cannot be taken for a call on the next.
let lastId = 1_000_000_000;

interface Waiting {
  settle(reply: Reply): void;
  fail(error: unknown): void;
}

export class WireChannel {
  readonly #transport: Transport;
  readonly #options: ChannelOptions;
  readonly #waiting = new Map<number, Waiting>();
  readonly #listeners = new Set<(notification: Notification) => void>();
  #isLost = false;

  /** Only once the client is connected: it takes the transport's messages for itself. */
  constructor(transport: Transport, options: ChannelOptions) {
    this.#transport = transport;
    this.#options = options;
    const { onmessage, onclose } = transport;
    transport.onmessage = (message, extra) => {
      if (this.#take(message)) return;
      onmessage?.(message, extra);
    };
    transport.onclose = () => {
      this.lose('the connection was closed');
      onclose?.();
    };
  }

  get isLost(): boolean {
    return this.#isLost;
  }

  onNotification(listener: (notification: Notification) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /**
   * Sends a request once. Rejects with `LINE_LOST` when its answer cannot come any more, and with `CONNECT_FAILED` when
   * it certainly did not arrive.
   */
  request(request: ChannelRequest): Promise<Reply> {
    const { signal } = request;
    if (this.#isLost) return Promise.reject(toLineLost('there is no connection'));
    if (signal?.aborted) return Promise.reject(signal.reason);
    lastId += 1;
    const id = lastId;
    request.onId?.(String(id));
    return new Promise<Reply>((resolve, reject) => {
      const stop = new AbortController();
      const onAbort = () => {
        this.#stopWaiting(id, request, stop);
        reject(signal?.reason);
      };
      const done = () => {
        this.#waiting.delete(id);
        signal?.removeEventListener('abort', onAbort);
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
      this.#send(id, request, stop);
    });
  }

  notify(method: string, params: JsonObject): Promise<void> {
    return this.#transport.send({ jsonrpc: '2.0', method, params } as JSONRPCMessage);
  }

  /** Nothing more will come: whoever waits is told. */
  lose(why: string): void {
    this.#isLost = true;
    for (const { fail } of [...this.#waiting.values()]) fail(toLineLost(why));
  }

  /** Work is cancelled only when that was asked for; whatever else is asked of the server may be given up any time. */
  #stopWaiting(id: number, { signal, onLeft }: ChannelRequest, stop: AbortController): void {
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
      // The answer may be on its way, and name work that must be cancelled in another way.
      const cancelTimer = isCancelled ? this.#options.clock.after(LAST_WORD_MS, leave) : undefined;
      this.#waiting.set(id, { settle: leave, fail: () => leave() });
    });
    onLeft(late);
  }

  #giveUp(requestId: number, reason: string): void {
    if (this.#isLost || this.#options.endsByStream) return;
    this.notify('notifications/cancelled', { requestId, reason }).catch(() => {});
  }

  #send(id: number, { method, params, headers }: ChannelRequest, stop: AbortController): void {
    const message = { jsonrpc: '2.0', id, method, params } as JSONRPCMessage;
    const fail = (error: unknown) => this.#waiting.get(id)?.fail(error);
    const settle = (reply: Reply) => this.#waiting.get(id)?.settle(reply);
    const onRequestStreamEnd = () => setImmediate(() => fail(toLineLost('its stream ended without an answer')));
    const options = { requestSignal: stop.signal, onRequestStreamEnd, ...(headers && { headers }) };
    this.#transport.send(message, options).catch((error: unknown) => {
      const refusal = readRefusal(error);
      if (refusal?.status === 404 && refusal.reply === undefined) {
        // The server does not know the session any more: only a new one helps.
        this.lose('the server has ended the session');
        this.#transport.close().catch(() => {});
      } else if (refusal?.reply ?? (refusal && refusal.status < 500)) {
        settle(refusal.reply ?? toRefusedReply(refusal));
      } else {
        const why = error instanceof Error ? error.message : String(error);
        fail(isUnreachable(error) ? toUnreachable(why, error) : toLineLost(why));
      }
    });
  }

  #take(message: JSONRPCMessage): boolean {
    if ('method' in message) {
      if ('id' in message) return false;
      this.#tell(message as Notification);
      // It would look at such a one at length before dropping it, and streams have thousands a second.
      return !message.method.startsWith('notifications/');
    }
    const waiting = 'id' in message ? this.#waiting.get(Number(message.id)) : undefined;
    if (!waiting) return false;
    waiting.settle(toReply(message));
    return true;
  }

  #tell({ method, params }: Notification): void {
    for (const listener of [...this.#listeners]) listener({ method, params: params ?? {} });
  }
}

function toLineLost(why: string): TaskError {
  return new TaskError('LINE_LOST', `the line to the server was lost: ${why}`);
}

function toUnreachable(why: string, cause: unknown): TaskError {
  return new TaskError('CONNECT_FAILED', `nothing listens where the server should be: ${why}`, { cause });
}
