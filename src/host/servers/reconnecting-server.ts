/**
 * One server, whatever happens to the connections to it.
 *
 * A lost connection is opened again when somebody needs it: a request, or a call that waits to be told something.
 */
import type { PriorDiscovery } from '@modelcontextprotocol/client';
import type { JsonObject, Notification, Reply } from '../../dialects/host-port.ts';
import { isHoldfast } from '../../dialects/shared/holdfast-server.ts';
import { TaskError } from '../../errors.ts';
import type { HttpSession } from '../transports/http-session.ts';
import type { EndedServer } from '../transports/keeping-transport.ts';
import { isStdio, type ServerSpec } from '../transports/server-spec.ts';
import { EarlierSessions } from './earlier-sessions.ts';
import { passingError } from './passing-failure.ts';
import type { NotificationListener } from './raw-requests.ts';
import { type ConnectionOptions, ServerConnection } from './server-connection.ts';
import { unlessAborted, whenAborted } from './when-aborted.ts';

export type ReconnectOptions = Omit<ConnectionOptions, 'prior' | 'hello' | 'onClosed' | 'session'>;

export interface ServerRequestOptions {
  readonly signal: AbortSignal;
  /** The session that the call was made in; it is gone on with for as long as the server knows it. */
  readonly session?: HttpSession | undefined;
  /** Hears of each time that there is no connection. */
  readonly onFailed?: (error: unknown) => void;
}

const FIRST_DELAY_MS = 200;
const MAX_DELAY_MS = 30_000;
// A server that falls at once again and again is not helped by haste.
const STEADY_MS = 5000;

export class ReconnectingServer {
  readonly name: string;
  readonly isStdio: boolean;
  readonly #options: ReconnectOptions;
  readonly #listeners = new Set<NotificationListener>();
  readonly #onConnected = new Set<() => void>();
  readonly #closing = new AbortController();
  readonly #earlier: EarlierSessions;
  #connection: Promise<ServerConnection> | undefined;
  #prior: PriorDiscovery | undefined;
  #hello: JsonObject | undefined;
  #current: ServerConnection | undefined;
  #connections = 0;
  /** Connections in a row that did not come about, or did not last. */
  #failures = 0;
  /** Pauses in a row without an answer: over HTTP a connection is no sign that somebody is there. */
  #pauses = 0;
  #nextTry: Promise<void> | undefined;
  #isKeepingUp = false;

  constructor(options: ReconnectOptions) {
    this.name = options.name;
    this.isStdio = isStdio(options.spec);
    this.#options = options;
    const { clock, connectMs } = options;
    this.#earlier = new EarlierSessions({
      clock,
      connectMs,
      open: (session, onClosed) => this.#goOn(session, onClosed),
    });
  }

  /** How it is reached, and what was said of it. */
  get spec(): ServerSpec {
    return this.#options.spec;
  }

  /** The keeper of the connection there is, if it has one. */
  get keeper(): string | undefined {
    return this.#current?.keeper;
  }

  /** Whether calls will go through a keeper that is not there yet. */
  get isToBeKept(): boolean {
    return this.#current?.isToBeKept ?? false;
  }

  /** What there is to know of a call is on disk; a keeper need not hold it any longer. */
  done(callId: string): void {
    this.#current?.done(callId);
  }

  /** The handle of a call is on disk. Only of a program that is not ours is the work told by its process. */
  handedOver(callId: string): void {
    if (!this.isStdio || (this.#current && isHoldfast(this.#current))) this.done(callId);
  }

  /** Ends the program that runs now, unless it works at calls other than this one; the next connection starts another. */
  async endServer(callId: string, hasOthers: () => boolean): Promise<EndedServer> {
    return this.#current ? this.#current.endServer(callId, hasOthers) : 'none';
  }

  /** How many connections there have been: what was told on an earlier one is not told again. */
  get connections(): number {
    return this.#connections;
  }

  /** The connection there is, or a new one; fails when there cannot be one now, or when nobody waits any longer. */
  async connection(signal?: AbortSignal): Promise<ServerConnection> {
    if (this.#closing.signal.aborted) throw hostClosedError(this.name);
    this.#connection ??= this.#open();
    // Shaking hands may take long; who has had enough does not wait for its end.
    return signal ? unlessAborted(this.#connection, signal) : this.#connection;
  }

  /** The same, tried again until it is there. */
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

  /** The server has answered: the next failure is a first one. */
  reached(): void {
    this.#pauses = 0;
  }

  /** What is told again for one call is heard by those who listen for that call. */
  onNotification(listener: (notification: Notification) => void, callId?: string): () => void {
    const hear: NotificationListener = (notification, againFor) => {
      if (againFor === undefined || againFor === callId) listener(notification);
    };
    this.#listeners.add(hear);
    return () => this.#listeners.delete(hear);
  }

  /** Calls back at each new connection; while somebody listens, a lost one is opened again. */
  onConnected(listener: () => void): () => void {
    this.#onConnected.add(listener);
    this.#keepUp();
    return () => this.#onConnected.delete(listener);
  }

  /** Until it is time to try again: longer after each failure, and the same time for all who wait. */
  async pause(signal: AbortSignal): Promise<void> {
    this.#nextTry ??= this.#sleep();
    const { promise, stop } = whenAborted(signal);
    await Promise.race([this.#nextTry, promise]);
    stop();
  }

  /** Ends the connection; whatever runs on the server runs on. */
  async close(): Promise<void> {
    this.#closing.abort();
    const connection = await this.#connection?.catch(() => undefined);
    await connection?.close();
    await this.#earlier.close();
  }

  /** The connection of a session, if it is one with this server and still known there. */
  async #connectionOf(session: HttpSession, current: ServerConnection): Promise<ServerConnection | undefined> {
    const { spec } = this.#options;
    if (!('url' in spec) || new URL(spec.url).origin !== session.origin) return undefined;
    return current.session?.id === session.id ? current : this.#earlier.find(session);
  }

  async #goOn(session: HttpSession, onClosed: () => void): Promise<ServerConnection> {
    const connection = await ServerConnection.resume({ ...this.#options, session, onClosed });
    connection.onNotification(this.#tell);
    return connection;
  }

  readonly #tell: NotificationListener = (...told) => {
    for (const listener of [...this.#listeners]) listener(...told);
  };

  async #open(): Promise<ServerConnection> {
    const openedAt = this.#options.clock.monotonic();
    let isClosed = false;
    const onClosed = () => {
      isClosed = true;
      this.#lose(openedAt);
    };
    try {
      const connection = await ServerConnection.open({
        ...this.#options,
        prior: this.#prior,
        hello: this.#hello,
        onClosed,
      });
      if (isClosed) throw passingError(`server ${this.name} closed the connection at once`);
      this.#connections += 1;
      this.#current = connection;
      this.#prior = connection.prior;
      this.#hello = connection.hello;
      connection.onNotification(this.#tell);
      for (const listener of [...this.#onConnected]) queueMicrotask(listener);
      return connection;
    } catch (error) {
      this.#connection = undefined;
      this.#failures += 1;
      throw error;
    }
  }

  async #sleep(): Promise<void> {
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

  #lose(openedAt: number): void {
    this.#connection = undefined;
    this.#current = undefined;
    this.#failures = this.#options.clock.monotonic() - openedAt < STEADY_MS ? this.#failures + 1 : 0;
    this.#keepUp();
  }

  #keepUp(): void {
    const { signal } = this.#closing;
    if (this.#connection || this.#isKeepingUp || this.#onConnected.size === 0 || signal.aborted) return;
    this.#isKeepingUp = true;
    this.pause(signal)
      .then(() => (this.#onConnected.size > 0 ? this.patientConnection(signal) : undefined))
      // Only closing ends the trying.
      .catch(() => {})
      .finally(() => {
        this.#isKeepingUp = false;
      });
  }
}

function hostClosedError(name: string): TaskError {
  return new TaskError('HOST_CLOSED', `the host has closed its connection to server ${name}`);
}
