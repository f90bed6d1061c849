/**
 * One server, across all connections to it.
 *
 * A lost connection is reopened when it is needed: by a request, or by a call that waits for notifications.
 */
import type { PriorDiscovery } from '@modelcontextprotocol/client';
import type { JsonObject, Notification, Reply } from '../../dialects/host-port.ts';
import { isHoldfast } from '../../dialects/shared/holdfast-server.ts';
import { TaskError } from '../../errors.ts';
import type { HttpSession } from '../transports/http-session.ts';
import type { EndedServer } from '../transports/keeping-transport.ts';
import { isStdio, type ServerSpec } from '../transports/server-spec.ts';
import { EarlierSessions } from './earlier-sessions.ts';
import type { NotificationListener } from './raw-requests.ts';
import { type ConnectionOptions, ServerConnection } from './server-connection.ts';
import { transientError } from './transient-failure.ts';
import { unlessAborted, whenAborted } from './when-aborted.ts';

export type ReconnectOptions = Omit<ConnectionOptions, 'prior' | 'handshakeResult' | 'onClosed' | 'session'>;

export interface ServerRequestOptions {
  readonly signal: AbortSignal;
  /** The session that the call was made in; it is used for as long as the server knows it. */
  readonly session?: HttpSession | undefined;
  /** Called each time there is no connection. */
  readonly onFailed?: (error: unknown) => void;
}

const FIRST_DELAY_MS = 200;
const MAX_DELAY_MS = 30_000;
// A connection that lasted less than this counts as a failure: reconnecting fast does not help a server that keeps crashing.
const STEADY_MS = 5000;

export class ReconnectingServer {
  readonly name: string;
  readonly isStdio: boolean;
  readonly #options: ReconnectOptions;
  readonly #listeners = new Set<NotificationListener>();
  readonly #onConnected = new Set<() => void>();
  readonly #closing = new AbortController();
  readonly #earlierSessions: EarlierSessions;
  #connection: Promise<ServerConnection> | undefined;
  #prior: PriorDiscovery | undefined;
  #handshakeResult: JsonObject | undefined;
  #current: ServerConnection | undefined;
  #connections = 0;
  /** Consecutive connections that failed, or did not last. */
  #failures = 0;
  /** Consecutive pauses without a response: over HTTP a connection does not prove that the server is there. */
  #pauses = 0;
  #nextTry: Promise<void> | undefined;
  #isReconnecting = false;

  constructor(options: ReconnectOptions) {
    this.name = options.name;
    this.isStdio = isStdio(options.spec);
    this.#options = options;
    const { clock, connectMs } = options;
    this.#earlierSessions = new EarlierSessions({
      clock,
      connectMs,
      open: (session, onClosed) => this.#resumeSession(session, onClosed),
    });
  }

  /** How the server is reached, and its other settings. */
  get spec(): ServerSpec {
    return this.#options.spec;
  }

  /** The keeper of the current connection, if it has one. */
  get keeper(): string | undefined {
    return this.#current?.keeper;
  }

  /** Whether calls will go through a keeper that is not started yet. */
  get isToBeKept(): boolean {
    return this.#current?.isToBeKept ?? false;
  }

  /** Everything about a call is on disk; a keeper need not hold it any longer. */
  done(callId: string): void {
    this.#current?.done(callId);
  }

  /**
   * The handle of a call is on disk. The keeper goes on holding the call only on stdio and when the server is not Holdfast's:
   * then only the server process itself reports the work.
   */
  handedOver(callId: string): void {
    if (!this.isStdio || (this.#current && isHoldfast(this.#current))) this.done(callId);
  }

  /** Ends the program that runs now, unless it works on calls other than this one; the next connection starts a new one. */
  async endServer(callId: string, hasOthers: () => boolean): Promise<EndedServer> {
    return this.#current ? this.#current.endServer(callId, hasOthers) : 'none';
  }

  /** How many connections there have been: notifications of an earlier one are not sent again. */
  get connections(): number {
    return this.#connections;
  }

  /** Returns the current connection, or opens one; rejects when that fails now, or when `signal` fires. */
  async connection(signal?: AbortSignal): Promise<ServerConnection> {
    if (this.#closing.signal.aborted) throw hostClosedError(this.name);
    this.#connection ??= this.#open();
    // The handshake may take long; an aborted caller does not wait for its end.
    return signal ? unlessAborted(this.#connection, signal) : this.#connection;
  }

  /** Like `connection`, but retried until it succeeds. */
  async patientConnection(
    signal: AbortSignal,
    onFailed: (error: unknown) => void = () => {},
  ): Promise<ServerConnection> {
    for (;;) {
      signal.throwIfAborted();
      try {
        return await this.connection(signal);
      } catch (error) {
        if (this.#closing.signal.aborted || signal.aborted) throw error;
        onFailed(error);
        await this.pause(signal);
      }
    }
  }

  async request(method: string, params: JsonObject, options: ServerRequestOptions): Promise<Reply> {
    const { signal, session, onFailed } = options;
    const connection = await this.patientConnection(signal, onFailed);
    const own = session && (await unlessAborted(this.#connectionOf(session, connection), signal));
    const reply = await (own ?? connection).request(method, params, { signal });
    this.reached();
    return reply;
  }

  /** The server has responded: the back-off starts again from its first delay. */
  reached(): void {
    this.#pauses = 0;
  }

  /** Subscribes to notifications. A replayed notification only reaches listeners for its call. */
  onNotification(listener: (notification: Notification) => void, callId?: string): () => void {
    const forward: NotificationListener = (notification, againFor) => {
      if (againFor === undefined || againFor === callId) listener(notification);
    };
    this.#listeners.add(forward);
    return () => this.#listeners.delete(forward);
  }

  /** Calls the listener on each new connection; while there is a listener, a lost connection is reopened. */
  onConnected(listener: () => void): () => void {
    this.#onConnected.add(listener);
    this.#reconnectForListeners();
    return () => this.#onConnected.delete(listener);
  }

  /** Waits until the next attempt: longer after each failure, and for all waiting callers together. */
  async pause(signal: AbortSignal): Promise<void> {
    this.#nextTry ??= this.#backOff();
    const { promise, stop } = whenAborted(signal);
    await Promise.race([this.#nextTry, promise]);
    stop();
  }

  /** Closes the connection; work on the server goes on. */
  async close(): Promise<void> {
    this.#closing.abort();
    const connection = await this.#connection?.catch(() => undefined);
    await connection?.close();
    await this.#earlierSessions.close();
  }

  /** Returns the connection of a session, if it is a session with this server that the server still knows. */
  async #connectionOf(session: HttpSession, current: ServerConnection): Promise<ServerConnection | undefined> {
    const { spec } = this.#options;
    if (!('url' in spec) || new URL(spec.url).origin !== session.origin) return undefined;
    return current.session?.id === session.id ? current : this.#earlierSessions.find(session);
  }

  async #resumeSession(session: HttpSession, onClosed: () => void): Promise<ServerConnection> {
    const connection = await ServerConnection.resume({ ...this.#options, session, onClosed });
    connection.onNotification(this.#notifyListeners);
    return connection;
  }

  readonly #notifyListeners: NotificationListener = (...args) => {
    for (const listener of [...this.#listeners]) listener(...args);
  };

  async #open(): Promise<ServerConnection> {
    const openedAt = this.#options.clock.monotonic();
    let isClosed = false;
    const onClosed = () => {
      isClosed = true;
      this.#handleClose(openedAt);
    };
    try {
      const connection = await ServerConnection.open({
        ...this.#options,
        prior: this.#prior,
        handshakeResult: this.#handshakeResult,
        onClosed,
      });
      if (isClosed) throw transientError(`server ${this.name} closed the connection at once`);
      this.#connections += 1;
      this.#current = connection;
      this.#prior = connection.prior;
      this.#handshakeResult = connection.handshakeResult;
      connection.onNotification(this.#notifyListeners);
      for (const listener of [...this.#onConnected]) queueMicrotask(listener);
      return connection;
    } catch (error) {
      this.#connection = undefined;
      this.#failures += 1;
      throw error;
    }
  }

  async #backOff(): Promise<void> {
    const failures = Math.max(this.#failures, this.#pauses);
    const delayMs = Math.min(MAX_DELAY_MS, FIRST_DELAY_MS * 2 ** Math.min(failures, 10));
    this.#pauses += 1;
    const { clock } = this.#options;
    const { promise, stop } = whenAborted(this.#closing.signal);
    const slept = new Promise<void>((resolve) => {
      const cancelTimer = clock.after(delayMs * (0.5 + Math.random() / 2), resolve);
      promise.then(cancelTimer, cancelTimer);
    });
    await Promise.race([slept, promise]);
    stop();
    this.#nextTry = undefined;
  }

  #handleClose(openedAt: number): void {
    this.#connection = undefined;
    this.#current = undefined;
    this.#failures = this.#options.clock.monotonic() - openedAt < STEADY_MS ? this.#failures + 1 : 0;
    this.#reconnectForListeners();
  }

  #reconnectForListeners(): void {
    const { signal } = this.#closing;
    if (this.#connection || this.#isReconnecting || this.#onConnected.size === 0 || signal.aborted) return;
    this.#isReconnecting = true;
    this.pause(signal)
      .then(() => (this.#onConnected.size > 0 ? this.patientConnection(signal) : undefined))
      // The retries end only when this is closed.
      .catch(() => {})
      .finally(() => {
        this.#isReconnecting = false;
      });
  }
}

function hostClosedError(name: string): TaskError {
  return new TaskError('HOST_CLOSED', `the host has closed its connection to server ${name}`);
}
