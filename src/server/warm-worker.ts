/**
 * Starts the detached worker before the first call, for a client that has asked which tools there are.
 *
 * Whoever lists tools is most often an agent whose first call is a few seconds away; the worker loads meanwhile. Others
 * list and leave: probes that are killed within a tenth of a second, doctors that look and go. So it is started when the
 * client is still there a moment later, once in the life of a connection, and ends when it has been idle as usual: a
 * person who types for minutes finds no worker, and costs none.
 */
import type { Clock } from '../clock.ts';
import type { Engine } from '../engine/engine.ts';

export interface WarmWorkerOptions {
  readonly clock: Clock;
  readonly openEngine: () => Promise<Engine>;
  report(error: unknown): void;
}

/** Longer than those stay who only look, shorter than a model takes to choose a tool. */
const STAY_MS = 500;

export class WarmWorker {
  readonly #options: WarmWorkerOptions;
  #callOff: (() => void) | undefined;

  constructor(options: WarmWorkerOptions) {
    this.#options = options;
  }

  /** Looks at every message that comes in. */
  see(message: object): void {
    if (!('method' in message) || message.method !== 'tools/list') return;
    this.#callOff ??= this.#options.clock.after(STAY_MS, () => {
      this.#start().catch(this.#options.report);
    });
  }

  /** The client has gone. */
  stop(): void {
    this.#callOff?.();
  }

  async #start(): Promise<void> {
    (await this.#options.openEngine()).warm();
  }
}
