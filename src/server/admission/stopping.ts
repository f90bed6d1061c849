/**
 * Tells open streams that no more is served here, so that they end in good order.
 *
 * Whoever listens takes itself off when its stream has ended; who stops waits for that, but not for long.
 */
export class Stopping {
  readonly #listeners = new Set<() => void>();
  #onEmpty = () => {};

  /** Calls back when serving is to stop, until called off. */
  onStop(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => {
      if (this.#listeners.delete(listener) && this.#listeners.size === 0) this.#onEmpty();
    };
  }

  /** Resolves when all who were told have ended, or after `ms`. */
  async stop(ms: number): Promise<void> {
    for (const listener of [...this.#listeners]) listener();
    if (this.#listeners.size === 0) return;
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, ms);
      this.#onEmpty = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }
}
