import type { Outcome } from '../../task/outcome.ts';
import { OPERATOR, type Principal } from '../principal.ts';

/** A task that this process has submitted, and that has not ended as far as it has heard. */
export interface OwnTask {
  readonly principal: string;
  readonly since: number;
  /** There while this process ends it: how it ended, or nothing if somebody else was faster. */
  settling?: Promise<Outcome | undefined>;
}

/** More than these wait for their end by reading. */
const MAX_OWN = 10_000;

/**
 * The open tasks of this process.
 *
 * Whoever has heard of every change since before a task was written, and not of its end, need not read whether it has
 * ended; and how this process ended it itself is known before it could be read.
 */
export class OwnTasks {
  readonly #open = new Map<string, OwnTask>();

  /** A task is about to be written, and every change is heard from now on. */
  expect(taskId: string, own: OwnTask): void {
    if (this.#open.size < MAX_OWN) this.#open.set(taskId, own);
  }

  /** It was not written, or has ended. */
  forget(taskId: string): void {
    this.#open.delete(taskId);
  }

  /** Changes are not heard any more. */
  clear(): void {
    this.#open.clear();
  }

  find(taskId: string, principal: Principal): OwnTask | undefined {
    const own = this.#open.get(taskId);
    return own && (principal === OPERATOR || principal === own.principal) ? own : undefined;
  }

  /** This process is about to end a task: `settled` says whether it has. */
  settle(taskId: string, outcome: Outcome, settled: Promise<boolean>): void {
    const own = this.#open.get(taskId);
    if (own) own.settling = settled.then((isOurs) => (isOurs ? outcome : undefined)).catch(() => undefined);
  }
}
