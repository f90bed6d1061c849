/**
 * Puts numbered events in order.
 *
 * - in order: given on at once.
 * - early:    held until what is missing comes, for a short time and a small number of events.
 * - missing:  what has not come by then is reported once as a hole, and dropped if it comes later.
 */
import type { Clock } from '../../clock.ts';

export interface EventOrderOptions<T> {
  readonly clock: Clock;
  release(event: T): void;
  /** Numbers `from` to `to`, both included, will not come. */
  miss(from: number, to: number): void;
}

interface Held<T> {
  readonly event: T;
  /** The last number it stands for. */
  readonly to: number;
}

const MAX_HELD = 64;
const MAX_HOLD_MS = 500;

export class EventOrder<T> {
  readonly #options: EventOrderOptions<T>;
  /** By the first number that they stand for. */
  readonly #held = new Map<number, Held<T>>();
  /** The number that comes next; unknown until a run's first events are there. */
  #next: number | undefined;
  #stopTimer: (() => void) | undefined;

  constructor(options: EventOrderOptions<T>) {
    this.#options = options;
  }

  /** An event that stands for the numbers `from` to `seq`, most often one. */
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

  /** The sender says itself that these are lost. */
  skip(from: number, to: number): void {
    const first = Math.max(from, this.#next ?? from);
    if (to < first) return;
    // What comes before the hole was sent before it.
    while (this.#held.size > 0 && Math.min(...this.#held.keys()) < first) this.#giveUp();
    this.#options.miss(first, to);
    this.#next = Math.max(to + 1, this.#next ?? 0);
    this.#drain();
    this.#arm();
  }

  /** Gives on all there is: nothing more will come. */
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

  /** The one that comes next. What has become past by one that stands for many is let go. */
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

  /** Does without what stands before the first that is held. */
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
