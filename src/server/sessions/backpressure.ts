/**
 * Keeps a stream from running ahead of its reader.
 *
 * Sent frames stay in memory until the reader takes them. Beyond a limit, senders that can wait do so until the reader
 * has caught up or is gone.
 */
export class Backpressure {
  readonly #limit: number;
  readonly #waiting = new Set<() => void>();
  #behind = 0;

  constructor(limit: number) {
    this.#limit = limit;
  }

  /** Counts a frame as sent. */
  sent(): void {
    this.#behind += 1;
  }

  /** Counts a frame as taken by the reader. */
  taken(): void {
    this.#behind = Math.max(0, this.#behind - 1);
    if (this.#behind < this.#limit) this.#release();
  }

  /** Forgets the sent frames: their reader is gone. */
  reset(): void {
    this.#behind = 0;
    this.#release();
  }

  /** Resolves when the reader is less than the limit behind. */
  async ready(): Promise<void> {
    while (this.#behind >= this.#limit) await new Promise<void>((resolve) => this.#waiting.add(resolve));
  }

  #release(): void {
    const waiting = [...this.#waiting];
    this.#waiting.clear();
    for (const resolve of waiting) resolve();
  }
}
