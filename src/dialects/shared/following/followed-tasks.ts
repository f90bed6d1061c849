import { setMaxListeners } from 'node:events';
import type { Task } from '../../../task/record.ts';

/** How a task ended, for whoever tells it. */
export interface FollowedOutcome<Told> {
  /** As it was when it began to be followed. */
  readonly task: Task;
  /** The client knows it from an earlier stream or connection, and not from a call that is being answered. */
  readonly isKnown: boolean;
  /** What there is to tell. */
  read(): Promise<Told>;
  /** Tells it. */
  send(told: Told): Promise<void>;
}

// More than are ever taken up again at once.
const MAX_ENDED = 10_000;

/**
 * What one client is being told of: each story once at a time, and those that it knows not again when they were told
 * to their end. Closing stops the telling, never the work.
 */
export class FollowedTasks {
  readonly #report: (error: unknown) => void;
  readonly #closing = new AbortController();
  readonly #followed = new Set<string>();
  readonly #ended = new Set<string>();

  constructor(report: (error: unknown) => void) {
    this.#report = report;
    // Each story listens, and there may be hundreds.
    setMaxListeners(0, this.#closing.signal);
  }

  /** Begins a story, unless it is being told, or with `isKnown` has been told. */
  begin(key: string, tell: (signal: AbortSignal) => Promise<void>, { isKnown = false } = {}): void {
    const { signal } = this.#closing;
    if (signal.aborted || this.#followed.has(key) || (isKnown && this.#ended.has(key))) return;
    this.#followed.add(key);
    this.#tell(tell)
      .then(() => this.#end(key))
      .catch((error: unknown) => {
        // A connection that breaks while it is closed has nothing more to say.
        if (!signal.aborted) this.#report(error);
      })
      .finally(() => this.#followed.delete(key));
  }

  close(): void {
    this.#closing.abort();
  }

  #end(key: string): void {
    this.#ended.add(key);
    const [oldest] = this.#ended;
    if (this.#ended.size > MAX_ENDED && oldest !== undefined) this.#ended.delete(oldest);
  }

  async #tell(tell: (signal: AbortSignal) => Promise<void>): Promise<void> {
    // The answer that names the task goes first.
    await new Promise((resolve) => setImmediate(resolve));
    await tell(this.#closing.signal);
  }
}
