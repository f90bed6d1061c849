import type { Clock } from '../../clock.ts';

/**
 * Measures the execution time of an attempt, and calls `onLimit` when it is too long.
 *
 * It is paused while the attempt waits for an answer: the time people take is not execution time.
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

  /** Restarts the count towards the limit, as after a sign of life. */
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
