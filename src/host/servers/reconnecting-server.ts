/**
 * The way to one server, whatever happens to its connections.
 *
 * A lost connection is opened again when somebody needs it: a request, or a call that waits to be told something.
 */
import type { PriorDiscovery } from '@modelcontextprotocol/client';
import type { JsonObject, Notification, Reply } from '../../dialects/host-port.ts';
import { TaskError } from '../../errors.ts';
import type { HttpSession } from '../transports/http-session.ts';
import { unlessAborted, whenAborted } from '../when-aborted.ts';
import { EarlierSessions } from './earlier-sessions.ts';
import { toPassing } from './passing-failure.ts';
import { type LineOptions, ServerConnection } from './server-connection.ts';
import { isStdio, type ServerSpec } from './server-spec.ts';

export type LinkOptions = Omit<LineOptions, 'prior' | 'onClosed' | 'session'>;

export interface LinkRequestOptions {
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
  readonly #options: LinkOptions;
  readonly #listeners = new Set<(notification: Notification) => void>();
  readonly #onConnected = new Set<() => void>();
  readonly #closing = new AbortController();
  readonly #earlier: EarlierSessions;
  #line: Promise<ServerConnection> | undefined;
  #prior: PriorDiscovery | undefined;
  #connections = 0;
  /** Connections in a row that did not come about, or did not last. */
  #failures = 0;
  /** Pauses in a row without an answer: over HTTP a connection is no sign that somebody is there. */
  #pauses = 0;
  #nextTry: Promise<void> | undefined;
  #isKeepingUp = false;

  constructor(options: LinkOptions) {
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

  /** What every call to the server carries. */
  get callMeta(): JsonObject | undefined {
    return this.#options.spec.callMeta;
  }

  /** Which of its tools stream, as far as that was said. */
  get stream(): ServerSpec['stream'] {
    return this.#options.spec.stream;
  }

  /** How many connections there have been: what was told on an earlier one is not told again. */
  get connections(): number {
    return this.#connections;
  }

  /** The connection there is, or a new one; fails when there cannot be one now, or when nobody waits any longer. */
  async connection(signal?: AbortSignal): Promise<ServerConnection> {
    if (this.#closing.signal.aborted) throw toClosed(this.name);
    this.#line ??= this.#open();
    // Shaking hands may take long; who has had enough does not wait for its end.
    return signal ? unlessAborted(this.#line, signal) : this.#line;
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

  async request(method: string, params: JsonObject, options: LinkRequestOptions): Promise<Reply> {
    const { signal, session, onFailed } = options;
    const line = await this.patientConnection(signal, onFailed);
    const own = session && (await unlessAborted(this.#lineOf(session, line), signal));
    const reply = await (own ?? line).request(method, params, { signal });
    this.reached();
    return reply;
  }

  /** The server has answered: the next failure is a first one. */
  reached(): void {
    this.#pauses = 0;
  }

  onNotification(listener: (notification: Notification) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
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
    const line = await this.#line?.catch(() => undefined);
    await line?.close();
    await this.#earlier.close();
  }

  /** The connection of a session, if it is one with this server and still known there. */
  async #lineOf(session: HttpSession, current: ServerConnection): Promise<ServerConnection | undefined> {
    const { spec } = this.#options;
    if (!('url' in spec) || new URL(spec.url).origin !== session.origin) return undefined;
    return current.session?.id === session.id ? current : this.#earlier.find(session);
  }

  async #goOn(session: HttpSession, onClosed: () => void): Promise<ServerConnection> {
    const line = await ServerConnection.resume({ ...this.#options, session, onClosed });
    line.onNotification(this.#tell);
    return line;
  }

  readonly #tell = (notification: Notification): void => {
    for (const listener of [...this.#listeners]) listener(notification);
  };

  async #open(): Promise<ServerConnection> {
    const openedAt = this.#options.clock.monotonic();
    let isClosed = false;
    const onClosed = () => {
      isClosed = true;
      this.#lose(openedAt);
    };
    try {
      const line = await ServerConnection.open({ ...this.#options, prior: this.#prior, onClosed });
      if (isClosed) throw toPassing(`server ${this.name} closed the connection at once`);
      this.#connections += 1;
      this.#prior = line.prior;
      line.onNotification(this.#tell);
      for (const listener of [...this.#onConnected]) queueMicrotask(listener);
      return line;
    } catch (error) {
      this.#line = undefined;
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
    this.#line = undefined;
    this.#failures = this.#options.clock.monotonic() - openedAt < STEADY_MS ? this.#failures + 1 : 0;
    this.#keepUp();
  }

  #keepUp(): void {
    const { signal } = this.#closing;
    if (this.#line || this.#isKeepingUp || this.#onConnected.size === 0 || signal.aborted) return;
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

function toClosed(name: string): TaskError {
  return new TaskError('HOST_CLOSED', `the host has closed its way to server ${name}`);
}
