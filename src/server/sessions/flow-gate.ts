/**
 * Keeps a stream from running ahead of its reader.
 *
 * Frames that were sent wait in memory until the reader takes them. Beyond a limit those who can wait do, until the
 * reader has caught up or is gone.
 */
export class FlowGate {
  readonly #limit: number;
  readonly #waiting = new Set<() => void>();
  #behind = 0;

  constructor(limit: number) {
    this.#limit = limit;
  }

  /** A frame was sent. */
  sent(): void {
    this.#behind += 1;
  }

  /** The reader has taken a frame. */
  taken(): void {
    this.#behind = Math.max(0, this.#behind - 1);
    if (this.#behind < this.#limit) this.#release();
  }

  /** What was sent is nobody's any more. */
  reset(): void {
    this.#behind = 0;
    this.#release();
  }

  /** Resolves when there is room. */
  async ready(): Promise<void> {
    while (this.#behind >= this.#limit) await new Promise<void>((resolve) => this.#waiting.add(resolve));
  }

  #release(): void {
    const waiting = [...this.#waiting];
    this.#waiting.clear();
    for (const resolve of waiting) resolve();
  }
}
