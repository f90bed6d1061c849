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
  /** Whether no call can take this one up any more, even if the store has not recorded it yet. */
  readonly isForGood: boolean;
  /** Writes the end to the store; may be repeated. */
  write(): Promise<unknown>;
  flushing: Promise<void> | undefined;
}

const FIRST_WAIT_MS = 50;

/** The owner of each end: engines of one process see each other's. */
const owners = new Map<string, HoldReleases>();

/** Whether this wait has ended here so that the same call may take it up, but the store has not recorded it yet. */
export function isReleasePending(by: string): boolean {
  return owners.get(by)?.isPending(by) ?? false;
}

/** Writes the end of this wait to the store now; throws when the store does not accept it. */
export async function flushRelease(by: string): Promise<void> {
  await owners.get(by)?.flush(by);
}

/**
 * Ends of waits, kept until the store has accepted them.
 *
 * The store records who waits for a call. While it cannot be written, it still names a holder whose connection is gone
 * and whose process lives: no call could take up the work, and the same call would be worked on twice. So each end is
 * kept and retried, until the store accepts it or the engine is closed. There are never more than the calls that were
 * held when the store failed, because it accepts no new ones meanwhile.
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

  /** Ends the wait `by`. Resolves when the store has been tried once. */
  async end(by: string, write: () => Promise<unknown>, { isForGood = false } = {}): Promise<void> {
    if (!this.#pending.has(by)) this.#pending.set(by, { write, isForGood, flushing: undefined });
    owners.set(by, this);
    await this.#tryFlush(by);
    this.#schedule();
  }

  isPending(by: string): boolean {
    return this.#pending.get(by)?.isForGood === false;
  }

  /** Tries now; throws when the store does not accept it. */
  async flush(by: string): Promise<void> {
    const ending = this.#pending.get(by);
    if (!ending) return;
    ending.flushing ??= this.#write(by, ending).finally(() => {
      ending.flushing = undefined;
    });
    await ending.flushing;
  }

  /** Tries once more. Ends that the store does not accept now are decided by others when this process has exited. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#cancel?.();
    await Promise.all([...this.#pending.keys()].map((by) => this.#tryFlush(by)));
  }

  async #write(by: string, { write }: Release): Promise<void> {
    try {
      await write();
      this.#forget(by);
    } catch (error) {
      if (this.#isClosed || isPermanent(error)) this.#forget(by);
      throw error;
    }
  }

  #forget(by: string): void {
    this.#pending.delete(by);
    owners.delete(by);
  }

  /** Returns `false` when the store did not accept it. */
  async #tryFlush(by: string): Promise<boolean> {
    try {
      await this.flush(by);
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
      const isFlushed = await this.#tryFlush(by);
      this.#waitMs = isFlushed ? FIRST_WAIT_MS : Math.min(this.#waitMs * 2, MAX_RELEASE_WAIT_MS);
      if (isFlushed) continue;
      // An end that is refused for a reason of its own must not block the others: it goes to the end of the queue.
      if (this.#pending.delete(by)) this.#pending.set(by, ending);
      break;
    }
    this.#cancel = undefined;
    this.#schedule();
  }
}

/** Whether a retry is useless: the store refuses this process for good, or there is nothing left to end. */
function isPermanent(error: unknown): boolean {
  if (!isTaskError(error)) return false;
  const { code } = error;
  return code === 'STORE_CLOSED' || !code.startsWith('STORE_') || isFinalRefusal(error);
}
