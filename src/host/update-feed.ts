import type { CallUpdate } from '../dialects/host-port.ts';

// Somebody who joins late sees what came last; what came long before is history.
const KEPT = 1000;

/** The updates of one call, for any number of readers. */
export class UpdateFeed {
  #updates: CallUpdate[] = [];
  /** Number of the first update that is kept. */
  #first = 0;
  #isEnded = false;
  #wake = new Set<() => void>();

  push(update: CallUpdate): void {
    if (this.#isEnded) return;
    this.#updates.push(update);
    if (this.#updates.length > 2 * KEPT) {
      this.#first += this.#updates.length - KEPT;
      this.#updates = this.#updates.slice(-KEPT);
    }
    this.#ring();
  }

  end(): void {
    this.#isEnded = true;
    this.#ring();
  }

  async *read(): AsyncGenerator<CallUpdate, void, undefined> {
    let next = 0;
    for (;;) {
      if (next < this.#first) {
        const count = this.#first - next;
        next = this.#first;
        yield { type: 'missed', count };
      }
      const update = this.#updates[next - this.#first];
      if (update) {
        next += 1;
        yield update;
      } else if (this.#isEnded) {
        return;
      } else {
        await new Promise<void>((resolve) => this.#wake.add(resolve));
      }
    }
  }

  #ring(): void {
    const waiting = this.#wake;
    this.#wake = new Set();
    for (const wake of waiting) wake();
  }
}
