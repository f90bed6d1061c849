/**
 * Stops upstream calls whose tasks have ended.
 *
 * The worker that runs a task stops its call when the task is cancelled. A task can also be cancelled while no worker runs it,
 * because its worker has just died; then the serving process stops the call.
 */
import type { CallRecord } from '../../host/index.ts';
import type { Store } from '../../index.ts';

export interface OrphanedCallsOptions {
  readonly store: Pick<Store, 'tasks' | 'changes' | 'time'>;
  /** Lists the calls that have not ended. */
  find(): Promise<readonly CallRecord[]>;
  /** Stops a call; rejects while another process is handling it. */
  stop(call: CallRecord): Promise<void>;
  report(error: unknown): void;
}

/** Gives the running worker time to notice that the task ended, and to stop the call itself. */
const GRACE_MS = 5000;

export class OrphanedCalls {
  readonly #options: OrphanedCallsOptions;
  readonly #unsubscribe: () => void;
  #timer: NodeJS.Timeout | undefined;
  #isClosed = false;

  constructor(options: OrphanedCallsOptions) {
    this.#options = options;
    this.#unsubscribe = options.store.changes.subscribe((changes) => {
      if (changes.some(({ type }) => type === 'ended')) this.#scheduleCheck();
    });
    this.#scheduleCheck();
  }

  close(): void {
    this.#isClosed = true;
    this.#unsubscribe();
    clearTimeout(this.#timer);
  }

  #scheduleCheck(): void {
    if (this.#timer || this.#isClosed) return;
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      this.#check().catch(this.#options.report);
    }, GRACE_MS);
    this.#timer.unref();
  }

  async #check(): Promise<void> {
    const { find, stop, store } = this.#options;
    for (const call of await find()) {
      const endedAt = await this.#findEnd(call);
      if (this.#isClosed || endedAt === undefined) continue;
      // Its worker may still be stopping it, or may have just died: check again later.
      if (store.time().now - endedAt < GRACE_MS) this.#scheduleCheck();
      else await stop(call).catch(() => this.#scheduleCheck());
    }
  }

  /** When the task of a still running call ended; undefined if the task has not ended or the call has an outcome. */
  async #findEnd({ key, outcome }: CallRecord): Promise<number | undefined> {
    if (key === undefined || outcome) return undefined;
    return (await this.#options.store.tasks.get({ taskId: key }))?.endedAt;
  }
}
