import type { Clock } from '../../clock.ts';
import type { HeldTask } from '../../engine/holds/held-task.ts';
import type { ServerPort, Submitted } from '../server-port.ts';
import { hasDeliveryMark } from '../shared/following/delivery-mark.ts';

/** Acquires the hold of a task; undefined when another call has it, or the task has none. */
export async function claimHold(
  { settings }: ServerPort,
  { engine, task, holdKey }: Submitted & { readonly holdKey?: string | undefined },
): Promise<HeldTask | undefined> {
  if (hasDeliveryMark(task)) return undefined;
  const { taskId, principal } = task;
  const key = holdKey === undefined ? {} : { key: holdKey };
  return engine.attend(taskId, { principal, graceMs: settings.unattendedMs, ...key });
}

export interface QueuedHoldOptions {
  readonly clock: Clock;
  /** How long a task lives after its holder has disconnected, in ms. */
  readonly graceMs: number;
  /** Whether it resumes a wait that was cut off: the earlier holder may not have noticed the cut yet. */
  readonly isResumed?: boolean;
  attend(): Promise<HeldTask | undefined>;
  report(error: unknown): void;
}

const MIN_MS = 10;
const FIRST_LOOK_MS = 20;

/**
 * The place of a call that waits for a task.
 *
 * A task has one holder. A call that arrives while there is one waits beside it, and becomes the holder when the first
 * has left: otherwise the task would be cancelled as unattended although a call waits for it.
 */
export class QueuedHold implements HeldTask {
  readonly #options: QueuedHoldOptions;
  #hold: HeldTask | undefined;
  #attending: Promise<void> = Promise.resolve();
  #cancel = () => {};
  #isOver = false;
  #lookMs: number;

  constructor(hold: HeldTask | undefined, options: QueuedHoldOptions) {
    this.#hold = hold;
    this.#options = options;
    this.#lookMs = options.isResumed ? FIRST_LOOK_MS : Number.POSITIVE_INFINITY;
    this.#schedule();
  }

  async leave(graceMs?: number): Promise<void> {
    await (await this.#end())?.leave(graceMs);
  }

  async handOver(): Promise<void> {
    await (await this.#end())?.handOver();
  }

  async doubt(joinMs: number): Promise<void> {
    await (await this.#end())?.doubt(joinMs);
  }

  async close(first?: () => Promise<unknown>): Promise<void> {
    const hold = await this.#end();
    if (hold) await hold.close(first);
    else await first?.();
  }

  /** Returns the hold to release; undefined when there is none, or it was released before. */
  async #end(): Promise<HeldTask | undefined> {
    if (this.#isOver) return undefined;
    this.#isOver = true;
    this.#cancel();
    await this.#attending;
    // The wait may end before the next attempt to take the hold; it is taken now so that its release is recorded.
    if (this.#options.isResumed) this.#hold ??= await this.#options.attend();
    return this.#hold;
  }

  #schedule(): void {
    if (this.#hold || this.#isOver) return;
    const { clock, graceMs, report } = this.#options;
    const lookMs = Math.min(this.#lookMs, Math.max(graceMs / 3, MIN_MS));
    this.#lookMs *= 2;
    this.#cancel = clock.after(lookMs, () => {
      this.#attending = this.#attend().catch(report);
    });
  }

  async #attend(): Promise<void> {
    try {
      this.#hold = await this.#options.attend();
    } finally {
      this.#schedule();
    }
  }
}
