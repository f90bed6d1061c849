/**
 * Tells whoever listens to stop, once.
 *
 * The signal is made when somebody first asks for it: many attempts never do, and it costs more than the rest of them.
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

  /** The first reason counts. */
  stop(reason: Error): void {
    this.#reason ??= reason;
    this.#controller?.abort(this.#reason);
  }
}
