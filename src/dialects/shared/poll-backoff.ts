/**
 * When to poll again for something that no notification has announced.
 *
 * A call of five minutes costs a few dozen polls at most, however short a poll interval its server names, and jitter
 * keeps many calls that began together from polling together.
 */
import type { Clock } from '../../clock.ts';

const GROWTH = 1.3;
const MAX_MS = 15_000;
const DEFAULT_MS = 1000;
const MIN_MS = 20;

export class PollBackoff {
  readonly #clock: Clock;
  readonly #maxMs: number;
  #delayMs: number;
  #wake: (() => void) | undefined;
  #isWoken = false;

  constructor(clock: Clock, intervalMs: number = DEFAULT_MS, maxMs: number = MAX_MS) {
    this.#clock = clock;
    this.#delayMs = Math.max(MIN_MS, intervalMs);
    this.#maxMs = Math.max(maxMs, this.#delayMs);
  }

  /** Wakes the waiter to poll at once, because a notification arrived. */
  wakeUp(): void {
    this.#isWoken = true;
    this.#wake?.();
  }

  /** Resolves when it is time to poll, after `wakeUp`, or when the signal aborts. */
  async wait(signal: AbortSignal, atLeastMs = 0): Promise<void> {
    const delayMs = Math.max(atLeastMs, this.#delayMs) * (0.9 + Math.random() / 5);
    this.#delayMs = Math.min(this.#maxMs, this.#delayMs * GROWTH);
    if (!this.#isWoken && !signal.aborted) await this.#sleep(signal, delayMs);
    this.#isWoken = false;
  }

  async #sleep(signal: AbortSignal, delayMs: number): Promise<void> {
    await new Promise<void>((resolve) => {
      const wake = () => {
        cancel();
        signal.removeEventListener('abort', wake);
        this.#wake = undefined;
        resolve();
      };
      const cancel = this.#clock.after(delayMs, wake);
      signal.addEventListener('abort', wake, { once: true });
      this.#wake = wake;
    });
  }
}
