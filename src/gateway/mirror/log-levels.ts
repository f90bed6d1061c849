import type { RelayClient } from '../../index.ts';

const LEVELS = ['debug', 'info', 'notice', 'warning', 'error', 'critical', 'alert', 'emergency'];

export interface LogLevelsOptions {
  /** Sets the lowest level that any client wants on the upstreams. */
  set(level: string): Promise<void>;
  report(error: unknown): void;
}

/** The log level that each client wants; upstreams are asked for the lowest of them. */
export class LogLevels {
  readonly #options: LogLevelsOptions;
  readonly #levels = new Map<RelayClient, number>();
  #requestedLevel: number | undefined;

  constructor(options: LogLevelsOptions) {
    this.#options = options;
  }

  set(client: RelayClient, level: string): void {
    this.#levels.set(client, LEVELS.indexOf(level));
    this.#requestLowest();
  }

  forget(client: RelayClient): void {
    this.#levels.delete(client);
  }

  /** Returns a filter for clients that want lines of this level; a client that has set no level gets all lines. */
  toFilter(level: string): (client: RelayClient) => boolean {
    const severity = LEVELS.indexOf(level);
    return (client) => severity < 0 || severity >= (this.#levels.get(client) ?? 0);
  }

  /** Sets the level again after an upstream was restarted. */
  async renew(): Promise<void> {
    const level = this.#requestedLevel === undefined ? undefined : LEVELS[this.#requestedLevel];
    if (level !== undefined) await this.#options.set(level);
  }

  #requestLowest(): void {
    const least = Math.min(...this.#levels.values());
    if (least === this.#requestedLevel) return;
    this.#requestedLevel = least;
    const level = LEVELS[least];
    if (level !== undefined) this.#options.set(level).catch(this.#options.report);
  }
}
