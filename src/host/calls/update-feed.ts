import type { CallUpdate } from '../../dialects/host-port.ts';
import { HOST_MAX_KEPT_CHARS } from '../../limits.ts';

// A late reader gets only the latest updates.
const KEPT = 1000;

/** The updates of one call, for any number of readers. */
export class UpdateFeed {
  readonly #updates: CallUpdate[] = [];
  #chars = 0;
  /** Number of the first update that is still buffered. */
  #first = 0;
  #isEnded = false;
  #waiters = new Set<() => void>();

  push(update: CallUpdate): void {
    if (this.#isEnded) return;
    this.#updates.push(update);
    this.#chars += toChars(update);
    if (this.#updates.length > 2 * KEPT) this.#drop(this.#updates.length - KEPT);
    while (this.#chars > HOST_MAX_KEPT_CHARS && this.#updates.length > 1) this.#drop(1);
    this.#wakeReaders();
  }

  end(): void {
    this.#isEnded = true;
    this.#wakeReaders();
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
        await new Promise<void>((resolve) => this.#waiters.add(resolve));
      }
    }
  }

  #drop(count: number): void {
    for (const update of this.#updates.splice(0, count)) this.#chars -= toChars(update);
    this.#first += count;
  }

  #wakeReaders(): void {
    const waiting = this.#waiters;
    this.#waiters = new Set();
    for (const wake of waiting) wake();
  }
}

/** Returns how many characters of server text an update contains. */
function toChars(update: CallUpdate): number {
  if (update.type === 'question') return JSON.stringify(update.request).length;
  if (update.type === 'text') return update.text.length;
  return 'message' in update ? (update.message?.length ?? 0) : 0;
}
