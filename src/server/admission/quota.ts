/** Counts what each of several senders uses of something, and lets none use more than its share. */
export class Quota {
  readonly max: number;
  readonly #used = new Map<string, number>();

  constructor(max: number) {
    this.max = max;
  }

  /** False when there is not so much left; nothing is taken then. */
  take(key: string, amount = 1): boolean {
    const used = (this.#used.get(key) ?? 0) + amount;
    if (used > this.max) return false;
    this.#used.set(key, used);
    return true;
  }

  give(key: string, amount = 1): void {
    const used = (this.#used.get(key) ?? 0) - amount;
    if (used > 0) this.#used.set(key, used);
    else this.#used.delete(key);
  }
}

/** The one key of a quota that is everybody's. */
export const ALL = '';
