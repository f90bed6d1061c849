/**
 * Puts numbered events in order.
 *
 * - in order: released at once.
 * - early:    held until the missing events arrive, for a short time and up to a small number of events.
 * - missing:  reported once as a gap if not there by then, and dropped if it arrives later.
 */
import type { Clock } from '../../clock.ts';

export interface EventOrderOptions<T> {
  readonly clock: Clock;
  release(event: T): void;
  /** Reports that numbers `from` to `to`, both included, will not arrive. */
  miss(from: number, to: number): void;
}

interface Held<T> {
  readonly event: T;
  /** The last number that the event covers. */
  readonly to: number;
}

const MAX_HELD = 64;
const MAX_HOLD_MS = 500;

export class EventOrder<T> {
  readonly #options: EventOrderOptions<T>;
  /** By the first number that each event covers. */
  readonly #held = new Map<number, Held<T>>();
  /** The number that comes next; unknown until a run's first events have arrived. */
  #next: number | undefined;
  #stopTimer: (() => void) | undefined;

  constructor(options: EventOrderOptions<T>) {
    this.#options = options;
  }

  /** Adds an event that covers the numbers `from` to `seq`, most often one. */
  add(seq: number, event: T, from = seq): void {
    // A run's log may begin anywhere, but nothing comes before its first number.
    if (this.#next === undefined && from <= 1) this.#next = from;
    if (this.#isPast(seq)) return;
    const first = Math.max(from, this.#next ?? from);
    if (this.#held.has(first)) return;
    this.#held.set(first, { event, to: seq });
    this.#drain();
    if (this.#held.size > MAX_HELD) this.#giveUp();
    this.#arm();
  }

  /** Skips numbers that the sender itself reports as lost. */
  skip(from: number, to: number): void {
    const first = Math.max(from, this.#next ?? from);
    if (to < first) return;
    // Held events before the gap were sent before it.
    while (this.#held.size > 0 && Math.min(...this.#held.keys()) < first) this.#giveUp();
    this.#options.miss(first, to);
    this.#next = Math.max(to + 1, this.#next ?? 0);
    this.#drain();
    this.#arm();
  }

  /** Releases all held events: no more will arrive. */
  end(): void {
    while (this.#held.size > 0) this.#giveUp();
    this.#arm();
  }

  #isPast(seq: number): boolean {
    return this.#next !== undefined && seq < this.#next;
  }

  #drain(): void {
    for (let due = this.#takeDue(); due; due = this.#takeDue()) {
      this.#next = due.to + 1;
      this.#options.release(due.event);
    }
  }

  /** Returns the next event in order. Held events that an event covering several numbers has replaced are dropped. */
  #takeDue(): Held<T> | undefined {
    const next = this.#next;
    if (next === undefined) return undefined;
    for (const [first, held] of this.#held) {
      if (first > next) continue;
      this.#held.delete(first);
      if (!this.#isPast(held.to)) return held;
    }
    return undefined;
  }

  /** Reports the numbers before the first held event as missing, and continues from that event. */
  #giveUp(): void {
    const first = Math.min(...this.#held.keys());
    if (this.#next !== undefined && first > this.#next) this.#options.miss(this.#next, first - 1);
    this.#next = first;
    this.#drain();
  }

  #arm(): void {
    if (this.#held.size === 0) {
      this.#stopTimer?.();
      this.#stopTimer = undefined;
    } else {
      this.#stopTimer ??= this.#options.clock.after(MAX_HOLD_MS, () => {
        this.#stopTimer = undefined;
        if (this.#held.size > 0) this.#giveUp();
        this.#arm();
      });
    }
  }
}
