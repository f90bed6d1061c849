import type { Clock } from '../clock.ts';
import type { Change, Changes } from '../store/contract.ts';
import type { EventType } from '../task/event.ts';
import { type OwnTask, OwnTasks } from './outcomes/own-tasks.ts';

/** Wakes its waiter when the task has changed since the last wait; several changes in between count as one. */
export interface ChangeWaiter {
  /**
   * Resolves on the next change, on abort, or after `withinMs`, which defaults to about two minutes for the case of a
   * lost hint.
   */
  wait(signal?: AbortSignal, withinMs?: number): Promise<void>;
  close(): void;
}

// Announcements are hints. A reader that missed one finds out after about this long, with jitter so that not all read at once.
const MAX_WAIT_MS = 120_000;
const KNOWN_OPEN_MS = 2000;

/**
 * Distributes one feed of changes to many listeners.
 *
 * With 10,000 waiting readers a change must wake one of them, not all. The store is subscribed to only while there are
 * listeners, because a subscription costs the process its polling.
 */
export class ChangeRouter {
  readonly #own = new OwnTasks();
  readonly #changes: Changes;
  readonly #clock: Clock;
  readonly #byTask = new Map<string, Set<(change: Change) => void>>();
  readonly #all = new Set<(changes: readonly Change[]) => void>();
  readonly #wakers = new Set<() => void>();
  #unsubscribe: (() => void) | undefined;

  constructor(changes: Changes, clock: Clock) {
    this.#changes = changes;
    this.#clock = clock;
  }

  /** Tasks of this process that have not ended; for the code that ends them, or waits for their end. */
  get own(): Pick<OwnTasks, 'find' | 'settle' | 'forget'> {
    return this.#own;
  }

  /** Registers a task that is about to be written. Only while the feed is subscribed: otherwise its end would be missed. */
  expect(taskId: string, principal: string): void {
    if (this.#unsubscribe) this.#own.expect(taskId, { principal, since: this.#clock.monotonic() });
  }

  /**
   * For how many ms it is known without a read that a task of this process has not ended: it was submitted just now.
   * Older tasks are read, because a hint may be lost, and a store that fails gives none.
   */
  knownOpenForMs({ since }: OwnTask): number {
    return Math.max(0, KNOWN_OPEN_MS - (this.#clock.monotonic() - since));
  }

  /** Calls the listener for every change of one task. */
  onTask(taskId: string, listener: (change: Change) => void): () => void {
    const listeners = this.#byTask.get(taskId) ?? new Set();
    this.#byTask.set(taskId, listeners.add(listener));
    this.#subscribe();
    return () => {
      listeners.delete(listener);
      if (listeners.size === 0 && this.#byTask.get(taskId) === listeners) this.#byTask.delete(taskId);
      this.#unsubscribeIfUnused();
    };
  }

  /** Calls the listener for every batch of changes. */
  onAny(listener: (changes: readonly Change[]) => void): () => void {
    this.#all.add(listener);
    this.#subscribe();
    return () => {
      this.#all.delete(listener);
      this.#unsubscribeIfUnused();
    };
  }

  /** Opens a waiter for every change of a task, or for one type of event only. */
  openChangeWaiter(taskId: string, only?: EventType): ChangeWaiter {
    let hasChanged = false;
    let resume: () => void = () => {};
    const wake = () => {
      hasChanged = true;
      resume();
    };
    const stopListening = this.onTask(taskId, ({ type }) => {
      if (only === undefined || type === only) wake();
    });
    this.#wakers.add(wake);
    const close = () => {
      this.#wakers.delete(wake);
      stopListening();
    };
    const wait = async (signal?: AbortSignal, withinMs = MAX_WAIT_MS * (0.5 + Math.random())) => {
      if (!hasChanged && !signal?.aborted) {
        await new Promise<void>((resolve) => {
          const done = () => {
            cancel();
            signal?.removeEventListener('abort', done);
            resolve();
          };
          const cancel = this.#clock.after(withinMs, done);
          signal?.addEventListener('abort', done);
          resume = done;
        });
      }
      hasChanged = false;
    };
    return { wait, close };
  }

  /** Wakes every waiter: the store is closed, and all of them must find that out now. */
  wakeAll(): void {
    for (const wake of [...this.#wakers]) wake();
  }

  #subscribe(): void {
    this.#unsubscribe ??= this.#changes.subscribe((changes) => this.#route(changes));
  }

  #unsubscribeIfUnused(): void {
    if (this.#byTask.size > 0 || this.#all.size > 0) return;
    this.#unsubscribe?.();
    this.#unsubscribe = undefined;
    this.#own.clear();
  }

  #route(changes: readonly Change[]): void {
    for (const listener of [...this.#all]) listener(changes);
    for (const change of changes) {
      if (change.type === 'ended') this.#own.forget(change.taskId);
      const listeners = this.#byTask.get(change.taskId);
      if (listeners) for (const listener of [...listeners]) listener(change);
    }
  }
}
