import { TaskError } from '../../errors.ts';
import type { ReconnectingServer } from './reconnecting-server.ts';

/** The servers of a host, by name. */
export class ServerRegistry {
  readonly #servers = new Map<string, ReconnectingServer>();
  readonly #claimed = new Set<string>();
  readonly #onAdded = new Set<() => void>();

  /** Opens a server under a free name; the name resolves once the server is open. */
  async add(name: string, open: () => Promise<ReconnectingServer>): Promise<void> {
    if (this.#claimed.has(name)) {
      throw new TaskError('INVALID_ARGUMENT', `there is a server ${JSON.stringify(name)} already`);
    }
    this.#claimed.add(name);
    try {
      this.#servers.set(name, await open());
    } catch (error) {
      this.#claimed.delete(name);
      throw error;
    }
    for (const listener of [...this.#onAdded]) listener();
  }

  get(name: string): ReconnectingServer {
    const server = this.#servers.get(name);
    if (server) return server;
    const names = [...this.#servers.keys()];
    const expected = names.length > 0 ? `connected are ${names.join(', ')}` : 'none is connected';
    throw new TaskError('SERVER_NOT_FOUND', `there is no server ${JSON.stringify(name)}; ${expected}`);
  }

  /** Closes a server; its name is free again once its connection is closed. */
  async remove(name: string): Promise<void> {
    const server = this.get(name);
    this.#servers.delete(name);
    await server.close();
    this.#claimed.delete(name);
  }

  has(name: string): boolean {
    return this.#servers.has(name);
  }

  /** Waits for a server to be connected: after a restart, calls are resumed before their servers are connected again. */
  async whenAdded(name: string, signal: AbortSignal): Promise<ReconnectingServer> {
    for (;;) {
      signal.throwIfAborted();
      const server = this.#servers.get(name);
      if (server) return server;
      await new Promise<void>((resolve) => {
        const done = () => {
          this.#onAdded.delete(done);
          signal.removeEventListener('abort', done);
          resolve();
        };
        this.#onAdded.add(done);
        signal.addEventListener('abort', done, { once: true });
      });
    }
  }

  async close(): Promise<void> {
    await Promise.all([...this.#servers.values()].map((server) => server.close()));
  }
}
