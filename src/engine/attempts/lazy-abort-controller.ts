/**
 * Aborts its signal, once.
 *
 * The signal is created on first use: many attempts never use it, and it costs more than the rest of an attempt.
 */
export class LazyAbortController {
  #controller: AbortController | undefined;
  #reason: Error | undefined;

  get isAborted(): boolean {
    return this.#reason !== undefined;
  }

  get signal(): AbortSignal {
    if (!this.#controller) {
      this.#controller = new AbortController();
      if (this.#reason) this.#controller.abort(this.#reason);
    }
    return this.#controller.signal;
  }

  /** Aborts the signal. Only the first reason counts. */
  abort(reason: Error): void {
    this.#reason ??= reason;
    this.#controller?.abort(this.#reason);
  }
}
