import { type CallUpdate, isLineFailure } from '../../dialects/host-port.ts';
import { HOST_MAX_REFUSAL_CHARS } from '../../limits.ts';
import { cutText } from '../../text/cut-text.ts';

/** The absence of a call's server: how often it was tried to reach it, and why in vain. Whoever waits is told. */
export class Absence {
  readonly #server: string;
  readonly #update: (update: CallUpdate) => void;
  #tries = 0;
  #reason = '';
  /** A request is out, and has not failed yet. */
  #isAsking = false;

  constructor(server: string, update: (update: CallUpdate) => void) {
    this.#server = server;
    this.#update = update;
  }

  /** Tried in vain. Told less and less often: who waits for hours wants no list of it. */
  failed(error: unknown): void {
    this.#tries += 1;
    this.#isAsking = false;
    this.#reason = cutText(error instanceof Error ? error.message : String(error), HOST_MAX_REFUSAL_CHARS);
    const isTold = Number.isInteger(Math.log2(this.#tries));
    if (isTold) this.#update({ type: 'unreachable', server: this.#server, tries: this.#tries, reason: this.#reason });
  }

  /** It is there. */
  over(): void {
    this.#tries = 0;
  }

  /** A request for work that goes on: what becomes of it says whether the server is there. */
  async watch<T>(ask: (onFailed: (error: unknown) => void) => Promise<T>): Promise<T> {
    this.#isAsking = true;
    try {
      const reply = await ask((error) => this.failed(error));
      this.over();
      return reply;
    } catch (error) {
      if (isLineFailure(error)) this.failed(error);
      throw error;
    }
  }

  /** For whoever has waited long enough; nothing when the server is there. */
  explain(): string | undefined {
    if (this.#tries === 0 || this.#isAsking) return undefined;
    return `${this.#reason}; tried ${this.#tries === 1 ? 'once' : `${this.#tries} times`}`;
  }
}
