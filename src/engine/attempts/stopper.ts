/**
 * Aborts its signal, once.
 *
 * The signal is created on first use: many attempts never use it, and it costs more than the rest of an attempt.
 */
export class Stopper {
  #controller: AbortController | undefined;
  #reason: Error | undefined;

  get isStopped(): boolean {
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
  stop(reason: Error): void {
    this.#reason ??= reason;
    this.#controller?.abort(this.#reason);
  }
}
