/**
 * Starts the detached worker before the first call, for a client that has listed the tools.
 *
 * A client that lists tools is most often an agent whose first call follows within seconds; the worker loads meanwhile.
 * Other clients list and leave: probes that are killed within a tenth of a second, health checks. So the worker is
 * started when the client is still connected a moment later, once per connection, and exits when idle as usual: a
 * person who types for minutes finds no worker, and costs none.
 */
import type { Clock } from '../clock.ts';
import type { Engine } from '../engine/engine.ts';

export interface WarmWorkerOptions {
  readonly clock: Clock;
  readonly openEngine: () => Promise<Engine>;
  report(error: unknown): void;
}

/** Longer than probes stay connected, shorter than a model takes to choose a tool. */
const STAY_MS = 500;

export class WarmWorker {
  readonly #options: WarmWorkerOptions;
  #cancelStart: (() => void) | undefined;

  constructor(options: WarmWorkerOptions) {
    this.#options = options;
  }

  /** Inspects every incoming message. */
  observe(message: object): void {
    if (!('method' in message) || message.method !== 'tools/list') return;
    this.#cancelStart ??= this.#options.clock.after(STAY_MS, () => {
      this.#start().catch(this.#options.report);
    });
  }

  /** Cancels the start: the client has disconnected. */
  stop(): void {
    this.#cancelStart?.();
  }

  async #start(): Promise<void> {
    (await this.#options.openEngine()).warm();
  }
}
