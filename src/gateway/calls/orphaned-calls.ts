/**
 * Calls that run upstream for tasks that have ended.
 *
 * Whoever works at a task stops its call when the task is cancelled. A task can also be cancelled while nobody is at it,
 * because its worker has just died; then the serving process stops the call.
 */
import type { CallRecord } from '../../host/index.ts';
import type { Store } from '../../index.ts';

export interface OrphanedCallsOptions {
  /** Opens the store of the tasks; asked for when there are calls. */
  open(): Promise<OpenStore>;
  /** The calls that have not ended. */
  find(): Promise<readonly CallRecord[]>;
  /** Stops one; fails while somebody else is at it. */
  stop(call: CallRecord): Promise<void>;
  report(error: unknown): void;
}

/** The store, and how to let go of it. */
export interface OpenStore {
  readonly store: Pick<Store, 'tasks' | 'changes' | 'time'>;
  close(): Promise<void>;
}

/** How often the ledger is looked at for calls, until there were some. */
const IDLE_LOOK_MS = 10_000;

/** Whoever is at work has had time to hear of the end and to stop the call. */
const GRACE_MS = 5000;

export class OrphanedCalls {
  readonly #options: OrphanedCallsOptions;
  #open: OpenStore | undefined;
  #unsubscribe = () => {};
  #timer: NodeJS.Timeout | undefined;
  #looking: Promise<void> = Promise.resolve();
  #isClosed = false;

  constructor(options: OrphanedCallsOptions) {
    this.#options = options;
    this.#lookLater();
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    await this.#looking;
    this.#unsubscribe();
    await this.#open?.close();
  }

  #lookLater(ms = GRACE_MS): void {
    if (this.#timer || this.#isClosed) return;
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      this.#looking = this.#look().catch(this.#options.report);
    }, ms);
    this.#timer.unref();
  }

  async #look(): Promise<void> {
    const calls = (await this.#options.find()).filter(({ key, outcome }) => key !== undefined && !outcome);
    // A gateway that has made no call yet has no need of its store.
    if (calls.length === 0 && !this.#open) return this.#lookLater(IDLE_LOOK_MS);
    const { store } = await this.#openStore();
    for (const call of calls) {
      const endedAt = (await store.tasks.get({ taskId: call.key ?? '' }))?.endedAt;
      if (this.#isClosed || endedAt === undefined) continue;
      // Its worker is at it, or has just died over it: the next look tells.
      if (store.time().now - endedAt < GRACE_MS) this.#lookLater();
      else await this.#options.stop(call).catch(() => this.#lookLater());
    }
  }

  async #openStore(): Promise<OpenStore> {
    if (this.#open) return this.#open;
    const open = await this.#options.open();
    this.#open = open;
    this.#unsubscribe = open.store.changes.subscribe((changes) => {
      if (changes.some(({ type }) => type === 'ended')) this.#lookLater();
    });
    return open;
  }
}
