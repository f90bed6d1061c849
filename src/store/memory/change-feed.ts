import type { Change, Changes } from '../contract.ts';

/** Notifies subscribers of changes once the verb that made them has finished. */
export class ChangeFeed implements Changes {
  readonly #listeners = new Set<(changes: readonly Change[]) => void>();
  readonly #onError: (error: unknown) => void;
  #pending: Change[] = [];

  constructor(onError: (error: unknown) => void) {
    this.#onError = onError;
  }

  subscribe(listener: (changes: readonly Change[]) => void): () => void {
    // A separate wrapper, so that a function subscribed twice is called twice and each subscription ends separately.
    const entry = (changes: readonly Change[]) => listener(changes);
    this.#listeners.add(entry);
    return () => this.#listeners.delete(entry);
  }

  announce(changes: readonly Change[]): void {
    if (changes.length === 0 || this.#listeners.size === 0) return;
    if (this.#pending.length === 0) queueMicrotask(() => this.#notifyListeners());
    for (const change of changes) this.#pending.push(change);
  }

  clear(): void {
    this.#listeners.clear();
  }

  #notifyListeners(): void {
    const changes = this.#pending;
    this.#pending = [];
    for (const listener of [...this.#listeners]) {
      try {
        listener(changes);
      } catch (error) {
        this.#onError(error);
      }
    }
  }
}
