/**
 * Progress on the open line of a call: what the tool tells, and a sign of life when it tells nothing for long.
 *
 * MCP wants every notification to be higher than the one before, so a sign of life adds very little, and never so much
 * that the tool's own next number is lost in it.
 */
import type { Clock } from '../../clock.ts';
import type { Json } from '../../task/json.ts';

export interface HeartbeatProgressOptions {
  readonly progressToken: string | number;
  readonly clock: Clock;
  readonly everyMs: number;
  /** The last that was told on an earlier line of the same call. */
  readonly last?: number | undefined;
  /** How long ago the call came. */
  readonly elapsedMs?: number;
  notify(method: string, params: { readonly [key: string]: Json }): Promise<void>;
}

/** Smaller than what tools tell; beside large numbers, the least that makes a difference. */
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

  /** What the tool tells. A number that is not higher than before waits, with its words, for the next sign of life. */
  async tell(value: number, message: string | undefined): Promise<void> {
    this.#message = message;
    if (value > this.#last) await this.#send(value, message);
  }

  /** Nothing is sent any more when this resolves: progress must not follow the answer. */
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
    // A line that is gone is noticed by whoever holds it.
    this.#sending = notify('notifications/progress', params).catch(() => {});
    return this.#sending;
  }
}
