import type { Clock } from '../../clock.ts';
import { isTaskError } from '../../errors.ts';
import { MAX_RELEASE_WAIT_MS } from '../../limits.ts';
import { isFinalRefusal } from '../final-refusal.ts';

export interface HoldReleasesOptions {
  readonly clock: Clock;
  report(error: unknown): void;
}

/** The end of one wait. */
interface Release {
  /** Nobody can take up the call any more, whether the store knows it already or not. */
  readonly isForGood: boolean;
  /** Writes it; may be done again. */
  write(): Promise<unknown>;
  trying: Promise<void> | undefined;
}

const FIRST_WAIT_MS = 50;

/** Whose ends they are: engines of one process know of each other's. */
const owners = new Map<string, HoldReleases>();

/** Whether this wait has ended here so that the same call may take it up, and the store does not know yet. */
export function isReleasing(by: string): boolean {
  return owners.get(by)?.isPassingOn(by) ?? false;
}

/** Tries now to make the store know that this wait has ended; throws when it does not take it. */
export async function takeRelease(by: string): Promise<void> {
  await owners.get(by)?.take(by);
}

/**
 * Ends of waits, until the store has taken them.
 *
 * The store names who waits for a call. As long as it cannot be written it goes on naming one whose line is gone, and
 * whose process lives: nobody would take up the call, and the same call would be worked at twice. So each end is kept and
 * tried again, until the store takes it or the engine is closed. No more are kept than calls were held when the store
 * failed, because it takes no new ones meanwhile.
 */
export class HoldReleases {
  readonly #options: HoldReleasesOptions;
  readonly #pending = new Map<string, Release>();
  #waitMs = FIRST_WAIT_MS;
  #cancel: (() => void) | undefined;
  #isClosed = false;

  constructor(options: HoldReleasesOptions) {
    this.#options = options;
  }

  /** `by` waits no longer. Resolves when the store has been asked once. */
  async end(by: string, write: () => Promise<unknown>, { isForGood = false } = {}): Promise<void> {
    if (!this.#pending.has(by)) this.#pending.set(by, { write, isForGood, trying: undefined });
    owners.set(by, this);
    await this.#insist(by);
    this.#schedule();
  }

  isPassingOn(by: string): boolean {
    return this.#pending.get(by)?.isForGood === false;
  }

  /** Tries now; throws when the store does not take it. */
  async take(by: string): Promise<void> {
    const ending = this.#pending.get(by);
    if (!ending) return;
    ending.trying ??= this.#write(by, ending).finally(() => {
      ending.trying = undefined;
    });
    await ending.trying;
  }

  /** What the store does not take now is decided by others when this process has ended. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#cancel?.();
    await Promise.all([...this.#pending.keys()].map((by) => this.#insist(by)));
  }

  async #write(by: string, { write }: Release): Promise<void> {
    try {
      await write();
      this.#forget(by);
    } catch (error) {
      if (this.#isClosed || isHopeless(error)) this.#forget(by);
      throw error;
    }
  }

  #forget(by: string): void {
    this.#pending.delete(by);
    owners.delete(by);
  }

  /** False when the store did not take it. */
  async #insist(by: string): Promise<boolean> {
    try {
      await this.take(by);
      return true;
    } catch (error) {
      this.#options.report(error);
      return false;
    }
  }

  #schedule(): void {
    if (this.#isClosed || this.#cancel || this.#pending.size === 0) return;
    this.#cancel = this.#options.clock.after(this.#waitMs, () => void this.#pass());
  }

  async #pass(): Promise<void> {
    for (const [by, ending] of [...this.#pending]) {
      if (this.#isClosed) return;
      const isTaken = await this.#insist(by);
      this.#waitMs = isTaken ? FIRST_WAIT_MS : Math.min(this.#waitMs * 2, MAX_RELEASE_WAIT_MS);
      if (isTaken) continue;
      // What is refused for a reason of its own must not hold up the others: it goes to the end of the line.
      if (this.#pending.delete(by)) this.#pending.set(by, ending);
      break;
    }
    this.#cancel = undefined;
    this.#schedule();
  }
}

/** Whether trying again is of no use: the store is done with this process, or there is nothing to be ended any more. */
function isHopeless(error: unknown): boolean {
  if (!isTaskError(error)) return false;
  const { code } = error;
  return code === 'STORE_CLOSED' || !code.startsWith('STORE_') || isFinalRefusal(error);
}
