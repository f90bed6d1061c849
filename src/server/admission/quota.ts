/** Counts how much of a resource each key uses, and lets no key exceed its maximum. */
export class Quota {
  readonly max: number;
  readonly #used = new Map<string, number>();

  constructor(max: number) {
    this.max = max;
  }

  /** Takes `amount`; returns false and takes nothing when not enough is left. */
  take(key: string, amount = 1): boolean {
    const used = (this.#used.get(key) ?? 0) + amount;
    if (used > this.max) return false;
    this.#used.set(key, used);
    return true;
  }

  release(key: string, amount = 1): void {
    const used = (this.#used.get(key) ?? 0) - amount;
    if (used > 0) this.#used.set(key, used);
    else this.#used.delete(key);
  }
}

/** The single key of a quota that all share. */
export const ALL = '';
