import { setMaxListeners } from 'node:events';
import type { Task } from '../../../task/record.ts';

/** How a task ended, for the code that reports it to the client. */
export interface UnsentOutcome<Content> {
  /** The task as it was when following began. */
  readonly task: Task;
  /** Whether the client knows it from an earlier stream or connection, and not from a call that is being answered. */
  readonly isKnown: boolean;
  /** Reads what is to be sent. */
  read(): Promise<Content>;
  /** Sends it to the client. */
  send(content: Content): Promise<void>;
}

// More than are ever resumed at once.
const MAX_ENDED = 10_000;

/**
 * Runs what notifies one client of its tasks: each story (the notifications of one key) only once at a time, and a
 * story that ended is not repeated for tasks the client knows. Closing stops the notifications, never the work.
 */
export class TaskNotifiers {
  readonly #report: (error: unknown) => void;
  readonly #closing = new AbortController();
  readonly #followed = new Set<string>();
  readonly #ended = new Set<string>();

  constructor(report: (error: unknown) => void) {
    this.#report = report;
    // Each story adds a listener, and there may be hundreds.
    setMaxListeners(0, this.#closing.signal);
  }

  /** Starts a story, unless it is running or, with `isKnown`, has ended before. */
  begin(key: string, notify: (signal: AbortSignal) => Promise<void>, { isKnown = false } = {}): void {
    const { signal } = this.#closing;
    if (signal.aborted || this.#followed.has(key) || (isKnown && this.#ended.has(key))) return;
    this.#followed.add(key);
    this.#run(notify)
      .then(() => this.#end(key))
      .catch((error: unknown) => {
        // Errors after the close are those of the connection, and are not reported.
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

  async #run(notify: (signal: AbortSignal) => Promise<void>): Promise<void> {
    // The answer that names the task goes first.
    await new Promise((resolve) => setImmediate(resolve));
    await notify(this.#closing.signal);
  }
}
