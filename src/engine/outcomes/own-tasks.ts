import type { Outcome } from '../../task/outcome.ts';
import { OPERATOR, type Principal } from '../principal.ts';

/** A task that this process has submitted, and whose end it has not been notified of. */
export interface OwnTask {
  readonly principal: string;
  readonly since: number;
  /** Set while this process ends the task: resolves to the outcome, or to `undefined` if another process was faster. */
  settling?: Promise<Outcome | undefined>;
}

/** How many tasks are tracked; the ends of further ones are polled. */
const MAX_OWN = 10_000;

/**
 * The open tasks of this process.
 *
 * If a process gets every change from before a task was written, and no end of it, it need not read whether the task has
 * ended; and it knows an outcome that it writes itself before that could be read.
 */
export class OwnTasks {
  readonly #open = new Map<string, OwnTask>();

  /** Called when a task is about to be written, and every change is received from now on. */
  expect(taskId: string, own: OwnTask): void {
    if (this.#open.size < MAX_OWN) this.#open.set(taskId, own);
  }

  /** Called when the task was not written, or has ended. */
  forget(taskId: string): void {
    this.#open.delete(taskId);
  }

  /** Called when changes are not received any more. */
  clear(): void {
    this.#open.clear();
  }

  find(taskId: string, principal: Principal): OwnTask | undefined {
    const own = this.#open.get(taskId);
    return own && (principal === OPERATOR || principal === own.principal) ? own : undefined;
  }

  /** Called when this process is about to end a task: `settled` says whether it has. */
  settle(taskId: string, outcome: Outcome, settled: Promise<boolean>): void {
    const own = this.#open.get(taskId);
    if (own) own.settling = settled.then((isOurs) => (isOurs ? outcome : undefined)).catch(() => undefined);
  }
}
