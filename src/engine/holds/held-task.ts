/**
 * Held calls: plain calls whose client waits on an open connection.
 *
 * Whether a client waits is stored with the task, so that any process can take up an unattended call, and cancel one
 * whose client never came back.
 */
import { currentProcess, type ProcessRef } from '../../process/process-ref.ts';
import type { Store } from '../../store/contract.ts';
import type { Hold } from '../../store/contracts/hold-contract.ts';
import { isOver, type StoreTime } from '../../store/store-clock.ts';
import type { HoldReleases } from './hold-releases.ts';
import { createLostHolderCheck } from './lost-holders.ts';

/**
 * A task that its caller waits for on an open connection. Each of these methods ends the wait; the first one counts. They
 * resolve when the store has been tried once: a write that it refuses is retried until it is accepted.
 */
export interface HeldTask {
  /** The key by which the store finds the hold. */
  readonly key?: string;
  /** The caller went away: the task is cancelled after the grace time, unless a caller takes it up. */
  leave(graceMs?: number): Promise<void>;
  /** The caller has the task's id and may come back for it at any time. */
  handOver(): Promise<void>;
  /** The caller was answered, and may not have received the answer: for `joinMs`, the same call takes up the task. */
  doubt(joinMs: number): Promise<void>;
  /** The caller has its result, or no longer wants it: in that case `first` ends the work before the hold is removed. */
  close(first?: () => Promise<unknown>): Promise<void>;
}

/** How a call is held. */
export interface HoldOptions {
  /** Calls with the same key ask for the same thing: a new one takes up an old one that no client waits for any more. */
  readonly key: string;
  /**
   * The key for calls that were answered and may not have received the answer; narrower, because most of them did.
   *
   * @default the key
   */
  readonly answeredKey?: string;
  /** How long the task lives after its caller went away. */
  readonly graceMs: number;
  /** Whether its caller went away before it was written: the same call then waits until this hold has ended. */
  readonly isGone?: () => boolean;
}

/** Returns a name for one wait of this process. */
export function createHolderId(): string {
  self ??= currentProcess();
  return JSON.stringify([self.host, self.pid, self.startTime, ++waits]);
}

let self: ProcessRef | undefined;
let waits = 0;

/** How a task is held, and by which wait. */
interface HeldBy {
  readonly taskId: string;
  readonly by: string;
  readonly graceMs: number;
  readonly key?: string;
}

interface HoldParts {
  readonly store: Store;
  readonly releases: HoldReleases;
}

export function toHeldTask({ store: { holds }, releases }: HoldParts, held: HeldBy): HeldTask {
  const { taskId, by, key } = held;
  return {
    ...(key !== undefined && { key }),
    leave: (graceMs = held.graceMs) => releases.end(by, () => holds.release(taskId, by, { how: 'leave', graceMs })),
    handOver: () => releases.end(by, () => holds.release(taskId, by, { how: 'hand-over' })),
    doubt: (joinMs) => releases.end(by, () => holds.release(taskId, by, { how: 'answered', joinMs })),
    close: (first) => {
      const write = async () => {
        await first?.();
        await holds.remove(taskId);
      };
      return releases.end(by, write, { isForGood: first === undefined });
    },
  };
}

export interface HoldKeeperOptions extends HoldParts {
  report(error: unknown): void;
}

/** Cancels held calls whose client did not come back. Any process does it for the whole store. */
export class HoldKeeper {
  readonly #options: HoldKeeperOptions;

  constructor(options: HoldKeeperOptions) {
    this.#options = options;
  }

  async pass(): Promise<void> {
    const { store, report } = this.#options;
    const isLost = createLostHolderCheck(store);
    for (const hold of await store.holds.list()) {
      try {
        if (hold.by !== undefined && (await isLost(hold.by))) await releaseLost(store, hold);
        else if (isGraceOver(hold, store.time())) await cancelAbandoned(this.#options, hold);
      } catch (error) {
        report(error);
      }
    }
  }
}

/** Whether the client did not come back in time. */
function isGraceOver({ cancelAt, graceMs }: Hold, time: StoreTime): boolean {
  return cancelAt !== undefined && isOver(time, { from: cancelAt - graceMs, until: cancelAt });
}

export async function releaseLost(store: Store, hold: Hold): Promise<void> {
  const { taskId, by = '', graceMs, endedAt } = hold;
  // A holder that died after the task's end may have answered: the time to take it up again counts from that end.
  const remainingMs = endedAt === undefined ? graceMs : Math.max(0, endedAt + graceMs - store.time().now);
  await store.holds.release(taskId, by, { how: 'leave', graceMs: remainingMs });
}

async function cancelAbandoned({ store, releases }: HoldParts, { taskId }: Hold): Promise<void> {
  const by = createHolderId();
  // A client that came back since the list was read waits for the task, and keeps it.
  if (!(await store.holds.attend(taskId, by))) return;
  const reason = 'its client went away and did not come back';
  await releases.end(by, async () => {
    await store.tasks.settle({ taskId }, { outcome: { kind: 'cancelled', reason } });
    await store.holds.remove(taskId);
  });
}
