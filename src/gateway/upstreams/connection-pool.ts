/**
 * The connections to one upstream that calls are spread over.
 *
 * The first is there for everything. Others are opened for calls that must not share one, as many as are needed and allowed,
 * used again by later calls, and closed when nobody has needed them for a while.
 */
export interface ConnectionPoolOptions {
  /** How many there may be, the first included. */
  readonly limit: number;
  open(connection: string): Promise<void>;
  close(connection: string): Promise<void>;
  report(error: unknown): void;
}

/** A place for one call. */
export interface PooledConnection {
  readonly connection: string;
  give(): void;
}

const IDLE_MS = 60_000;

export class ConnectionPool {
  readonly #upstream: string;
  readonly #options: ConnectionPoolOptions;
  /** How many calls are on each. */
  readonly #calls = new Map<string, number>();
  readonly #idle = new Map<string, NodeJS.Timeout>();
  readonly #closing = new Map<string, Promise<void>>();

  constructor(upstream: string, options: ConnectionPoolOptions) {
    this.#upstream = upstream;
    this.#options = options;
  }

  /** A place for a call: alone on a connection if it can be, or on the first with all others. */
  async take(isAlone: boolean): Promise<PooledConnection> {
    const connection = isAlone ? this.#findLeast() : this.#upstream;
    if (connection === this.#upstream) return this.takeOn(connection);
    return this.takeOn(connection).catch((error: unknown) => {
      this.#options.report(error);
      return this.takeOn(this.#upstream);
    });
  }

  /** A place on a connection of this name, where a call was before. */
  async takeOn(connection: string): Promise<PooledConnection> {
    this.#count(connection, 1);
    clearTimeout(this.#idle.get(connection));
    let isGiven = false;
    const give = () => {
      if (!isGiven) this.#count(connection, -1);
      isGiven = true;
      if (connection !== this.#upstream && this.#calls.get(connection) === 0) this.#closeLater(connection);
    };
    try {
      await this.#closing.get(connection);
      await this.#options.open(connection);
      return { connection, give };
    } catch (error) {
      give();
      throw error;
    }
  }

  close(): void {
    for (const timer of this.#idle.values()) clearTimeout(timer);
  }

  /** The first that nobody uses, else the one that fewest do. */
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
