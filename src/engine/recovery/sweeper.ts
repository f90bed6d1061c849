import type { Clock } from '../../clock.ts';
import type { Store } from '../../store/contract.ts';

export interface SweeperOptions {
  readonly store: Store;
  readonly clock: Clock;
  readonly everyMs: number;
  /** How long the tombstone of an expired task is kept. */
  readonly tombstoneMs: number;
  report(error: unknown): void;
}

const BATCH = 500;

/** Keeps the store small: expired tasks become tombstones, old tombstones are deleted. */
export class Sweeper {
  readonly #options: SweeperOptions;
  #cancel: (() => void) | undefined;
  #stopped = false;
  #pass: Promise<void> = Promise.resolve();

  constructor(options: SweeperOptions) {
    this.#options = options;
  }

  start(): void {
    if (this.#stopped) return;
    // Processes that started together should not sweep at the same time.
    const waitMs = this.#options.everyMs * (0.5 + Math.random());
    this.#cancel = this.#options.clock.after(waitMs, () => {
      this.#pass = this.sweep()
        .catch((error) => this.#options.report(error))
        .finally(() => this.start());
    });
  }

  /** Sweeps until nothing remains to be done. */
  async sweep(): Promise<void> {
    const { store, tombstoneMs } = this.#options;
    for (;;) {
      const { now } = store.time();
      const swept = await store.tasks.sweep({
        expiresBefore: now,
        tombstonesBefore: now - tombstoneMs,
        limit: BATCH,
      });
      if (this.#stopped || (swept.expired < BATCH && swept.forgotten < BATCH)) return;
    }
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    this.#cancel?.();
    await this.#pass;
  }
}
