import type { Clock } from '../../clock.ts';

/**
 * Measures how long an attempt really ran, and ends it when that is too long.
 *
 * It stands still while the attempt waits for an answer: people are not part of the execution time.
 */
export class Stopwatch {
  readonly #clock: Clock;
  readonly #limitMs: number;
  readonly #onLimit: () => void;
  #ranMs = 0;
  #since: number | undefined;
  #cancel: (() => void) | undefined;

  constructor(clock: Clock, limitMs: number, onLimit: () => void) {
    this.#clock = clock;
    this.#limitMs = limitMs;
    this.#onLimit = onLimit;
    this.resume();
  }

  get ranMs(): number {
    return this.#ranMs + (this.#since === undefined ? 0 : this.#clock.monotonic() - this.#since);
  }

  /** Starts the measure of the limit anew, as after a sign of life. */
  reset(): void {
    const running = this.#since !== undefined;
    this.pause();
    this.#ranMs = 0;
    if (running) this.resume();
  }

  pause(): void {
    this.#ranMs = this.ranMs;
    this.#since = undefined;
    this.#cancel?.();
  }

  resume(): void {
    if (this.#since !== undefined) return;
    this.#since = this.#clock.monotonic();
    if (Number.isFinite(this.#limitMs)) {
      this.#cancel = this.#clock.after(Math.max(0, this.#limitMs - this.#ranMs), this.#onLimit);
    }
  }
}
