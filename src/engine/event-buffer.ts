import type { Clock } from '../clock.ts';
import type { HighRateBody } from '../task/event.ts';

const FLUSH_MS = 50;
const FULL = 500;

/**
 * Collects high-rate events of one attempt and writes them in small batches.
 *
 * A loop may report progress thousands of times a second; a commit for each would make the tool wait for the disk.
 * At most `FLUSH_MS` worth of progress is lost in a crash; nothing else ever waits here.
 */
export class EventBuffer {
  readonly #write: (events: readonly HighRateBody[]) => Promise<void>;
  readonly #clock: Clock;
  #events: HighRateBody[] = [];
  #cancelTimer: (() => void) | undefined;
  #writing: Promise<void> = Promise.resolve();

  constructor(clock: Clock, write: (events: readonly HighRateBody[]) => Promise<void>) {
    this.#clock = clock;
    this.#write = write;
  }

  /** Resolves at once, or when the buffer is full after a write: that slows a runaway tool down to the disk. */
  async push(event: HighRateBody): Promise<void> {
    this.#events.push(event);
    if (this.#events.length >= FULL) return this.flush();
    this.#cancelTimer ??= this.#clock.after(FLUSH_MS, () => void this.flush());
  }

  /** Writes what has been collected, after what is being written. */
  flush(): Promise<void> {
    this.#writing = this.#writing.then(() => {
      const events = this.take();
      return events.length > 0 ? this.#write(events) : undefined;
    });
    return this.#writing;
  }

  /** Hands over what has been collected, to be written together with something else. */
  take(): readonly HighRateBody[] {
    this.#cancelTimer?.();
    this.#cancelTimer = undefined;
    const events = this.#events;
    this.#events = [];
    return events;
  }

  /** Resolves when no write of this buffer is under way. */
  settled(): Promise<void> {
    return this.#writing;
  }
}
