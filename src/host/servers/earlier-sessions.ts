/**
 * Connections of earlier sessions with one server: those of hosts that are gone, and of connections that were lost.
 *
 * None of them shakes hands. A session is tried before it is used, and given up only when the server, which can be reached,
 * refuses it.
 */
import type { Clock } from '../../clock.ts';
import { TaskError } from '../../errors.ts';
import type { HttpSession } from '../transports/http-session.ts';
import type { ServerConnection } from './server-connection.ts';

export interface SessionLinesOptions {
  readonly clock: Clock;
  /** How long the server may take to say whether it knows a session. */
  readonly connectMs: number;
  /** A connection that goes on with a session. */
  open(session: HttpSession, onClosed: () => void): Promise<ServerConnection>;
}

export class EarlierSessions {
  readonly #options: SessionLinesOptions;
  readonly #lines = new Map<string, Promise<ServerConnection | undefined>>();
  readonly #refused = new Set<string>();
  readonly #closing = new AbortController();

  constructor(options: SessionLinesOptions) {
    this.#options = options;
  }

  /** The connection of a session; nothing when the server does not know it any more. Fails when that cannot be told now. */
  find(session: HttpSession): Promise<ServerConnection | undefined> {
    const { id } = session;
    if (this.#refused.has(id)) return Promise.resolve(undefined);
    const line = this.#lines.get(id) ?? this.#open(session);
    this.#lines.set(id, line);
    return line;
  }

  async close(): Promise<void> {
    this.#closing.abort(new TaskError('HOST_CLOSED', 'the host has closed its ways to the server'));
    const lines = await Promise.allSettled(this.#lines.values());
    await Promise.all(lines.map((line) => (line.status === 'fulfilled' ? line.value?.close() : undefined)));
  }

  async #open(session: HttpSession): Promise<ServerConnection | undefined> {
    const forget = () => void this.#lines.delete(session.id);
    const line = await this.#options.open(session, forget);
    try {
      await this.#try(line);
      return line;
    } catch (error) {
      forget();
      // The server was there and would not have it; anything else says something of the moment.
      if (!line.isLost) throw error;
      this.#refused.add(session.id);
      return undefined;
    } finally {
      if (line.isLost) await line.close().catch(() => {});
    }
  }

  async #try(line: ServerConnection): Promise<void> {
    const late = new AbortController();
    const { clock, connectMs } = this.#options;
    const error = new TaskError('CONNECT_FAILED', `the server did not answer within ${connectMs} ms`);
    const cancelTimer = clock.after(connectMs, () => late.abort(error));
    try {
      await line.request('ping', {}, { signal: AbortSignal.any([late.signal, this.#closing.signal]) });
    } finally {
      cancelTimer();
    }
  }
}
