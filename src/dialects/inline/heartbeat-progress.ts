/**
 * Progress during a call: what the tool reports, and a keep-alive when it reports nothing for long.
 *
 * MCP requires every progress value to be higher than the one before, so a keep-alive adds very little, and never so
 * much that it exceeds the tool's own next value.
 */
import type { Clock } from '../../clock.ts';
import type { Json } from '../../task/json.ts';

export interface HeartbeatProgressOptions {
  readonly progressToken: string | number;
  readonly clock: Clock;
  readonly everyMs: number;
  /** The last value that was sent on an earlier stream of the same call. */
  readonly last?: number | undefined;
  /** How long ago the call arrived, in ms. */
  readonly elapsedMs?: number;
  notify(method: string, params: { readonly [key: string]: Json }): Promise<void>;
}

/** What a keep-alive adds: less than tools report; for large numbers, the smallest difference that changes the value. */
const STEP = 1e-7;
const MIN_SHARE = 2 ** -51;

export class HeartbeatProgress {
  readonly #options: HeartbeatProgressOptions;
  readonly #startedAt: number;
  #last: number;
  #message: string | undefined;
  #cancel: (() => void) | undefined;
  #isStopped = false;
  #sending: Promise<void> = Promise.resolve();

  constructor(options: HeartbeatProgressOptions) {
    this.#options = options;
    this.#last = options.last ?? -1;
    this.#startedAt = options.clock.monotonic() - (options.elapsedMs ?? 0);
    this.#schedule();
  }

  /** Sends the tool's progress. Without a rise nothing is sent: the message then goes out with the next keep-alive. */
  async report(value: number, message: string | undefined): Promise<void> {
    this.#message = message;
    if (value > this.#last) await this.#send(value, message);
  }

  /** Nothing is sent after this resolves: progress must not follow the answer. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#cancel?.();
    await this.#sending;
  }

  #schedule(): void {
    const { clock, everyMs } = this.#options;
    this.#cancel?.();
    this.#cancel = clock.after(everyMs, () => {
      const seconds = Math.round((clock.monotonic() - this.#startedAt) / 1000);
      const alive = `still running after ${seconds} s`;
      const last = Math.max(this.#last, 0);
      const value = last + Math.max(STEP, last * MIN_SHARE);
      void this.#send(value, this.#message === undefined ? alive : `${this.#message} (${alive})`);
    });
  }

  #send(value: number, message: string | undefined): Promise<void> {
    if (this.#isStopped) return this.#sending;
    const { progressToken, notify } = this.#options;
    this.#last = value;
    this.#schedule();
    const params: { [key: string]: Json } = { progressToken, progress: value };
    if (value <= 1) params.total = 1;
    if (message !== undefined) params.message = message;
    // A failed notification is ignored: the code that holds the call notices the broken connection.
    this.#sending = notify('notifications/progress', params).catch(() => {});
    return this.#sending;
  }
}
