import type { Clock } from '../../clock.ts';
import type { HeldTask } from '../../engine/holds/held-task.ts';
import type { ServerPort, Submitted } from '../server-port.ts';
import { hasEndMark } from '../shared/following/session-end.ts';

/** Becomes the holder of a task; nothing when somebody else is, or it has none. */
export async function attendTask(
  { settings }: ServerPort,
  { engine, task, holdKey }: Submitted & { readonly holdKey?: string | undefined },
): Promise<HeldTask | undefined> {
  if (hasEndMark(task)) return undefined;
  const { taskId, principal } = task;
  const key = holdKey === undefined ? {} : { key: holdKey };
  return engine.attend(taskId, { principal, graceMs: settings.unattendedMs, ...key });
}

export interface WaitingPlaceOptions {
  readonly clock: Clock;
  /** How long a task lives that its holder has left. */
  readonly graceMs: number;
  /** It goes on with a wait that was cut off; whoever it was that waited may not have heard of it yet. */
  readonly isResumed?: boolean;
  attend(): Promise<HeldTask | undefined>;
  report(error: unknown): void;
}

const MIN_MS = 10;
const FIRST_LOOK_MS = 20;

/**
 * The place of one who waits for a task.
 *
 * A task has one holder. Who comes while it has one waits beside it, and takes its place when it has left: else the task
 * would be given up although somebody waits.
 */
export class WaitingPlace implements HeldTask {
  readonly #options: WaitingPlaceOptions;
  #hold: HeldTask | undefined;
  #attending: Promise<void> = Promise.resolve();
  #cancel = () => {};
  #isOver = false;
  #lookMs: number;

  constructor(hold: HeldTask | undefined, options: WaitingPlaceOptions) {
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

  /** The hold to let go of; nothing when there is none, or it has been let go of. */
  async #end(): Promise<HeldTask | undefined> {
    if (this.#isOver) return undefined;
    this.#isOver = true;
    this.#cancel();
    await this.#attending;
    // The end may have come before the next look; what is let go of must be known to be over.
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
