/**
 * A server over HTTP whose calls are held by a keeper.
 *
 * The host does the handshake, lists tools and polls itself. Only the requests that make calls are sent by the keeper, in the
 * host's session: closing their connection may cancel the work, and the host may be killed.
 */
import { type JSONRPCMessage, PROTOCOL_VERSION_META_KEY } from '@modelcontextprotocol/client';
import { TaskError } from '../../errors.ts';
import { isObject } from '../../is-object.ts';
import { HttpTransport, type HttpTransportOptions } from './http-transport.ts';
import type {
  Joined,
  KeeperLink,
  KeepingTransport,
  KeptCall,
  KeptHttpRequest,
  RequestFailure,
} from './keeping-transport.ts';
import type { HttpSpec } from './server-spec.ts';
import { toRefusedMessage } from './too-large.ts';

type SendOptions = Parameters<HttpTransport['send']>[1] & { readonly kept?: KeptCall };
type Id = string | number;

interface Pending {
  fail(error: Error): void;
  onStreamEnd?: (() => void) | undefined;
}

export interface KeptHttpOptions extends HttpTransportOptions {
  /** Finds or starts the keeper; `undefined` when there can be none, which is reported. */
  openKeeper(): Promise<KeeperLink | undefined>;
}

export class KeptHttpTransport extends HttpTransport implements KeepingTransport {
  onagain?: NonNullable<KeepingTransport['onagain']>;
  readonly #spec: HttpSpec;
  readonly #openKeeper: KeptHttpOptions['openKeeper'];
  readonly #pending = new Map<Id, Pending>();
  readonly #asked = new Set<Id>();
  #link: KeeperLink | undefined;
  #opening: Promise<void> | undefined;
  #isClosing = false;

  constructor(spec: HttpSpec, { openKeeper, ...options }: KeptHttpOptions) {
    super(spec, options);
    this.#spec = spec;
    this.#openKeeper = openKeeper;
  }

  get keeper(): string | undefined {
    return this.#link?.keeper;
  }

  /** Sends calls through the keeper from now on, if there can be one. */
  keepCalls(): Promise<void> {
    this.#opening ??= this.#attach();
    return this.#opening;
  }

  async #attach(): Promise<void> {
    const link = await this.#openKeeper();
    if (!link) return;
    if (this.#isClosing) return link.close();
    link.onmessage = (message) => this.#take(message);
    link.onrefused = (id, failure) => this.#refuse(id, failure);
    link.onagain = (callId, message) => this.onagain?.(callId, message);
    link.onclose = () => this.#lose();
    this.#link = link;
  }

  override send(message: JSONRPCMessage | JSONRPCMessage[], options?: SendOptions): Promise<void> {
    const link = this.#link;
    if (!link || Array.isArray(message)) return super.send(message, options);
    if (options?.kept && 'id' in message) return this.#sendKept(link, message, options);
    if (this.#isOfKeeper(message)) return link.send(message);
    return super.send(message, options);
  }

  join(callId: string, wantsAnswer: boolean, onJoined: (joined: Joined) => void): void {
    if (this.#link) this.#link.join(callId, wantsAnswer, onJoined);
    else onJoined({ word: 'lost', callId });
  }

  onFailed(id: number, fail: (error: Error) => void): void {
    this.#pending.set(id, { fail });
  }

  cancelKept(callId: string): void {
    this.#link?.cancelKept(callId);
  }

  async neverReceived(keeper: string, callId: string): Promise<boolean> {
    return this.#link ? this.#link.neverReceived(keeper, callId) : false;
  }

  done(callId: string): void {
    this.#link?.done(callId);
  }

  override async close(): Promise<void> {
    // Requests that are aborted while the host closes must not be cancelled.
    this.#isClosing = true;
    await super.close();
    await this.#opening?.catch(() => {});
    await this.#link?.close();
  }

  #sendKept(link: KeeperLink, message: JSONRPCMessage & { id?: Id | undefined }, options: SendOptions): Promise<void> {
    const { id = 0 } = message;
    const { kept, requestSignal, onRequestStreamEnd } = options;
    const http = this.#toRequest(message, options);
    return new Promise((_resolve, reject) => {
      this.#pending.set(id, { fail: reject, onStreamEnd: onRequestStreamEnd });
      requestSignal?.addEventListener('abort', () => this.#giveUp(id, http), { once: true });
      link.send(message, { kept: { callId: '', ...kept, http } }).catch(reject);
    });
  }

  #toRequest(message: JSONRPCMessage, { headers: paramHeaders }: SendOptions): KeptHttpRequest {
    const { url, headers } = this.#spec;
    const { sessionId: id, protocolVersion } = this;
    const session = id === undefined ? {} : { session: { id, protocolVersion: protocolVersion ?? '', origin: '' } };
    return {
      url,
      ...(headers && { headers: { ...headers } }),
      ...(id !== undefined && session),
      ...(protocolVersion !== undefined && { protocolVersion }),
      endsByStream: isModern(message),
      ...(paramHeaders && { paramHeaders: { ...paramHeaders } }),
    };
  }

  /** Cancels a request where closing its stream does that; elsewhere a notification is sent separately. */
  #giveUp(requestId: Id, { endsByStream }: KeptHttpRequest): void {
    if (this.#isClosing || !endsByStream || !this.#pending.delete(requestId)) return;
    const params = { requestId, reason: 'not needed any more' };
    this.#link?.send({ jsonrpc: '2.0', method: 'notifications/cancelled', params }).catch(() => {});
  }

  /** Whether a message belongs to a call that the keeper has sent. */
  #isOfKeeper(message: JSONRPCMessage): boolean {
    if (!('method' in message)) return this.#asked.delete(('id' in message && message.id) || 0);
    const { requestId } = (message.params ?? {}) as { readonly requestId?: Id };
    return message.method === 'notifications/cancelled' && requestId !== undefined && this.#pending.has(requestId);
  }

  #take(message: JSONRPCMessage): void {
    const id = 'id' in message ? message.id : undefined;
    if (id !== undefined && 'method' in message) this.#asked.add(id);
    else if (id !== undefined) this.#pending.delete(id);
    this.onmessage?.(message);
  }

  #refuse(id: number, failure: RequestFailure): void {
    const pending = this.#pending.get(id);
    this.#pending.delete(id);
    const { message, tooLarge: data } = failure;
    if (data)
      this.onmessage?.(toRefusedMessage(id, new TaskError('RESULT_TOO_LARGE', message, { data: data as never })));
    else if (failure.isStreamEnd && pending?.onStreamEnd) pending.onStreamEnd();
    else pending?.fail(toError(failure));
  }

  #lose(): void {
    const pending = [...this.#pending.values()];
    this.#pending.clear();
    for (const { fail } of pending) fail(new Error('the keeper of the call was lost'));
    // The next connection finds or starts another keeper.
    if (!this.#isClosing) this.close().catch(() => {});
  }
}

function isModern(message: JSONRPCMessage): boolean {
  const { params } = message as { readonly params?: { readonly _meta?: unknown } };
  return isObject(params?._meta) && typeof params._meta[PROTOCOL_VERSION_META_KEY] === 'string';
}

/** Builds the error that the transport itself would have thrown. */
function toError({ message, status, text, isUnreachable }: RequestFailure): Error {
  const data = status === undefined ? {} : { data: { status, text } };
  return Object.assign(new Error(message || 'its stream ended without an answer'), {
    ...data,
    ...(isUnreachable && { code: 'ECONNREFUSED', syscall: 'connect' }),
  });
}
