/**
 * The connections to one upstream that its calls are spread over.
 *
 * The first one is always open. More are opened for calls that must not share a connection, as needed and up to the limit; later
 * calls reuse them, and they are closed when idle for a while.
 */
export interface ConnectionPoolOptions {
  /** Maximum number of connections, including the first. */
  readonly limit: number;
  open(connection: string): Promise<void>;
  close(connection: string): Promise<void>;
  report(error: unknown): void;
}

/** A connection reserved for one call. */
export interface PooledConnection {
  readonly connection: string;
  release(): void;
}

const IDLE_MS = 60_000;

export class ConnectionPool {
  readonly #upstream: string;
  readonly #options: ConnectionPoolOptions;
  /** Number of calls by connection. */
  readonly #calls = new Map<string, number>();
  readonly #idle = new Map<string, NodeJS.Timeout>();
  readonly #closing = new Map<string, Promise<void>>();

  constructor(upstream: string, options: ConnectionPoolOptions) {
    this.#upstream = upstream;
    this.#options = options;
  }

  /** Reserves a connection for a call: one of its own if possible, or the first, which all other calls share. */
  async take(isAlone: boolean): Promise<PooledConnection> {
    const connection = isAlone ? this.#findLeast() : this.#upstream;
    if (connection === this.#upstream) return this.takeOn(connection);
    return this.takeOn(connection).catch((error: unknown) => {
      this.#options.report(error);
      return this.takeOn(this.#upstream);
    });
  }

  /** Reserves the connection of this name, which an earlier attempt used. */
  async takeOn(connection: string): Promise<PooledConnection> {
    this.#count(connection, 1);
    clearTimeout(this.#idle.get(connection));
    let isReleased = false;
    const release = () => {
      if (!isReleased) this.#count(connection, -1);
      isReleased = true;
      if (connection !== this.#upstream && this.#calls.get(connection) === 0) this.#closeLater(connection);
    };
    try {
      await this.#closing.get(connection);
      await this.#options.open(connection);
      return { connection, release };
    } catch (error) {
      release();
      throw error;
    }
  }

  close(): void {
    for (const timer of this.#idle.values()) clearTimeout(timer);
  }

  /** Returns the first connection with the fewest calls. */
  #findLeast(): string {
    const { limit } = this.#options;
    const names = Array.from({ length: limit }, (_, at) => (at === 0 ? this.#upstream : `${this.#upstream}#${at + 1}`));
    const count = (connection: string) => this.#calls.get(connection) ?? 0;
    return names.reduce((least, connection) => (count(connection) < count(least) ? connection : least));
  }

  #count(connection: string, by: number): void {
    this.#calls.set(connection, (this.#calls.get(connection) ?? 0) + by);
  }

  #closeLater(connection: string): void {
    const timer = setTimeout(() => {
      if (this.#calls.get(connection) === 0) this.#close(connection);
    }, IDLE_MS);
    timer.unref();
    this.#idle.set(connection, timer);
  }

  #close(connection: string): void {
    const { close, report } = this.#options;
    const closing = close(connection)
      .catch(report)
      .finally(() => this.#closing.delete(connection));
    this.#closing.set(connection, closing);
  }
}
