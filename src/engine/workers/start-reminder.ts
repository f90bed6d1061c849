import type { Clock } from '../../clock.ts';
import { TaskError } from '../../errors.ts';
import type { Store } from '../../store/contract.ts';

export interface StartReminderOptions {
  readonly name: string;
  readonly identity: string;
  readonly store: Store;
  readonly clock: Clock;
  report(error: unknown): void;
}

const PATIENCE_MS = 1000;

/**
 * Warns once when an outcome is waited for and no process runs tasks: neither this engine, which was never started, nor
 * another process of the same program. Without it, a caller that forgot `start` would wait for ever, without a message.
 */
export class StartReminder {
  readonly #options: StartReminderOptions;
  #isDone = false;

  constructor(options: StartReminderOptions) {
    this.#options = options;
  }

  /** Called when no reminder is needed any more. */
  stop(): void {
    this.#isDone = true;
  }

  /** Returns the same promise, and warns if it takes too long. */
  watch<T>(waiting: Promise<T>): Promise<T> {
    if (this.#isDone) return waiting;
    const { clock, report } = this.#options;
    const cancel = clock.after(PATIENCE_MS, () => void this.#remind().catch(report));
    return waiting.finally(cancel);
  }

  async #remind(): Promise<void> {
    const { store, identity, name, report } = this.#options;
    if (this.#isDone || (await store.workers.list(identity)).length > 0 || this.#isDone) return;
    this.#isDone = true;
    const message = `the engine ${JSON.stringify(name)} was never started, and no other process runs its tasks; call engine.start(), or what is waited for never ends`;
    report(new TaskError('NOT_STARTED', message));
  }
}
