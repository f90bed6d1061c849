import { type CallUpdate, isLineFailure } from '../../dialects/host-port.ts';
import { HOST_MAX_REFUSAL_CHARS } from '../../limits.ts';
import { cutText } from '../../text/cut-text.ts';

/** Tracks that the server of a call is unreachable: the number of failed attempts and the last error. Emits updates about it. */
export class Reachability {
  readonly #server: string;
  readonly #update: (update: CallUpdate) => void;
  #tries = 0;
  #reason = '';
  /** Whether a request is in progress and has not failed yet. */
  #isAsking = false;

  constructor(server: string, update: (update: CallUpdate) => void) {
    this.#server = server;
    this.#update = update;
  }

  /**
   * Records a failed attempt. Emits an update after 1, 2, 4, 8… attempts only: a caller that waits for hours needs no longer
   * list.
   */
  failed(error: unknown): void {
    this.#tries += 1;
    this.#isAsking = false;
    this.#reason = cutText(error instanceof Error ? error.message : String(error), HOST_MAX_REFUSAL_CHARS);
    const isTold = Number.isInteger(Math.log2(this.#tries));
    if (isTold) this.#update({ type: 'unreachable', server: this.#server, tries: this.#tries, reason: this.#reason });
  }

  /** The server was reached. */
  reached(): void {
    this.#tries = 0;
  }

  /** Sends a request, and records from its result whether the server can be reached. */
  async watch<T>(ask: (onFailed: (error: unknown) => void) => Promise<T>): Promise<T> {
    this.#isAsking = true;
    try {
      const reply = await ask((error) => this.failed(error));
      this.reached();
      return reply;
    } catch (error) {
      if (isLineFailure(error)) this.failed(error);
      throw error;
    }
  }

  /** Returns why the call has not ended, for a caller whose wait has timed out; `undefined` when the server can be reached. */
  explain(): string | undefined {
    if (this.#tries === 0 || this.#isAsking) return undefined;
    return `${this.#reason}; tried ${this.#tries === 1 ? 'once' : `${this.#tries} times`}`;
  }
}
