/**
 * Notifies open streams that serving stops here, so that they end cleanly.
 *
 * A listener unsubscribes when its stream has ended; `stop` waits for all to do so, but not for long.
 */
export class Stopping {
  readonly #listeners = new Set<() => void>();
  #onEmpty = () => {};

  /** Calls back when serving is to stop; returns a function that unsubscribes. */
  onStop(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => {
      if (this.#listeners.delete(listener) && this.#listeners.size === 0) this.#onEmpty();
    };
  }

  /** Resolves when all notified listeners have unsubscribed, or after `ms`. */
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
