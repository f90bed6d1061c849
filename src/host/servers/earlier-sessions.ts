/**
 * Connections that continue earlier HTTP sessions with one server: sessions of hosts that are gone, and of lost connections.
 *
 * They need no handshake. A session is tested with a `ping` before it is used, and discarded only when the server can be reached
 * and refuses it.
 */
import type { Clock } from '../../clock.ts';
import { TaskError } from '../../errors.ts';
import type { HttpSession } from '../transports/http-session.ts';
import type { ServerConnection } from './server-connection.ts';

export interface EarlierSessionsOptions {
  readonly clock: Clock;
  /** How long the server may take to say whether it knows a session. */
  readonly connectMs: number;
  /** Opens a connection that continues a session. */
  open(session: HttpSession, onClosed: () => void): Promise<ServerConnection>;
}

export class EarlierSessions {
  readonly #options: EarlierSessionsOptions;
  readonly #connections = new Map<string, Promise<ServerConnection | undefined>>();
  readonly #refused = new Set<string>();
  readonly #closing = new AbortController();

  constructor(options: EarlierSessionsOptions) {
    this.#options = options;
  }

  /**
   * Returns the connection of a session; `undefined` when the server does not know the session any more. Rejects when that cannot
   * be determined now.
   */
  find(session: HttpSession): Promise<ServerConnection | undefined> {
    const { id } = session;
    if (this.#refused.has(id)) return Promise.resolve(undefined);
    const connection = this.#connections.get(id) ?? this.#open(session);
    this.#connections.set(id, connection);
    return connection;
  }

  async close(): Promise<void> {
    this.#closing.abort(new TaskError('HOST_CLOSED', 'the host has closed its connections to the server'));
    const connections = await Promise.allSettled(this.#connections.values());
    await Promise.all(connections.map((one) => (one.status === 'fulfilled' ? one.value?.close() : undefined)));
  }

  async #open(session: HttpSession): Promise<ServerConnection | undefined> {
    const forget = () => void this.#connections.delete(session.id);
    const connection = await this.#options.open(session, forget);
    try {
      await this.#ping(connection);
      return connection;
    } catch (error) {
      forget();
      // The session is lost only if the server responded and refused it; any other error may be temporary.
      if (!connection.isLost) throw error;
      this.#refused.add(session.id);
      return undefined;
    } finally {
      if (connection.isLost) await connection.close().catch(() => {});
    }
  }

  async #ping(connection: ServerConnection): Promise<void> {
    const timeout = new AbortController();
    const { clock, connectMs } = this.#options;
    const error = new TaskError('CONNECT_FAILED', `the server did not answer within ${connectMs} ms`);
    const cancelTimer = clock.after(connectMs, () => timeout.abort(error));
    try {
      await connection.request('ping', {}, { signal: AbortSignal.any([timeout.signal, this.#closing.signal]) });
    } finally {
      cancelTimer();
    }
  }
}
