import type { Clock } from '../clock.ts';

export interface UnattendedOptions {
  readonly clock: Clock;
  readonly graceMs: number;
  cancel(taskId: string): Promise<unknown>;
  report(error: unknown): void;
}

/**
 * Held calls whose clients have gone away without saying why.
 *
 * Each runs on for a grace time, in which its client may come back and join it, and is then cancelled.
 */
export class Unattended {
  readonly #options: UnattendedOptions;
  readonly #timers = new Map<string, () => void>();

  constructor(options: UnattendedOptions) {
    this.#options = options;
  }

  has(taskId: string): boolean {
    return this.#timers.has(taskId);
  }

  leave(taskId: string, graceMs = this.#options.graceMs): void {
    const { clock, cancel, report } = this.#options;
    this.attend(taskId);
    const stop = clock.after(graceMs, () => {
      this.#timers.delete(taskId);
      cancel(taskId).catch(report);
    });
    this.#timers.set(taskId, stop);
  }

  /** Somebody waits for it again, or it has ended. */
  attend(taskId: string): void {
    this.#timers.get(taskId)?.();
    this.#timers.delete(taskId);
  }
}
