import type { Clock } from '../../clock.ts';
import type { AttemptBody } from '../../task/event.ts';

const PACE_MS = 10;
const FULL = 500;

/**
 * Collects high-rate events of one attempt and writes them in small batches.
 *
 * A loop may report progress thousands of times a second; a commit for each would make the tool wait for the disk. The
 * first event after a pause is written at once; events within `PACE_MS` of a write, or during it, go into the next batch.
 * A crash loses no more than that, and nothing else is ever delayed here.
 */
export class EventBuffer {
  readonly #write: (events: readonly AttemptBody[]) => Promise<void>;
  readonly #clock: Clock;
  #events: AttemptBody[] = [];
  #cancelTimer: (() => void) | undefined;
  #writing: Promise<void> = Promise.resolve();
  #writtenAt = Number.NEGATIVE_INFINITY;

  constructor(clock: Clock, write: (events: readonly AttemptBody[]) => Promise<void>) {
    this.#clock = clock;
    this.#write = write;
  }

  /** Resolves at once; when the buffer is full, after a write: that slows a runaway tool down to the speed of the disk. */
  async push(event: AttemptBody): Promise<void> {
    this.#events.push(event);
    if (this.#events.length >= FULL) return this.flush();
    this.#cancelTimer ??= this.#schedule(() => void this.flush());
  }

  /** Writes the collected events, after the write that is in progress. */
  flush(): Promise<void> {
    this.#writing = this.#writing.then(() => {
      const events = this.take();
      if (events.length === 0) return undefined;
      this.#writtenAt = this.#clock.monotonic();
      return this.#write(events);
    });
    return this.#writing;
  }

  /** Removes and returns the collected events, to be written together with something else. */
  take(): readonly AttemptBody[] {
    this.#cancelTimer?.();
    this.#cancelTimer = undefined;
    const events = this.#events;
    this.#events = [];
    return events;
  }

  /** Resolves when this buffer has no write in progress. */
  settled(): Promise<void> {
    return this.#writing;
  }

  #schedule(flush: () => void): () => void {
    const waitMs = this.#writtenAt + PACE_MS - this.#clock.monotonic();
    if (waitMs > 0) return this.#clock.after(waitMs, flush);
    // Deferred: everything a tool emits in one go is one write, and its last events are written together with its result.
    const soon = setImmediate(flush);
    return () => clearImmediate(soon);
  }
}
