/**
 * Plain calls that are waited for on an open line.
 *
 * Whether somebody waits is kept with the task, so that any process can take up a call that was left, and give up one
 * whose client never came back.
 */
import { currentProcess, type ProcessRef } from '../../process/process-ref.ts';
import type { Store } from '../../store/contract.ts';
import type { Hold } from '../../store/contracts/hold-contract.ts';
import { isOver, type StoreTime } from '../../store/store-clock.ts';
import type { HoldReleases } from './hold-releases.ts';
import { createLossCheck } from './lost-holders.ts';

/**
 * A task that its caller waits for on an open line. Each of these ends the wait; the first one counts. They resolve when the
 * store has been asked once: what it did not take is tried again until it does.
 */
export interface HeldTask {
  /** Finds it among the store's holds. */
  readonly key?: string;
  /** The caller went away: the task is cancelled after the grace time, unless somebody takes it up. */
  leave(graceMs?: number): Promise<void>;
  /** The caller has its id and may come back for it whenever it likes. */
  handOver(): Promise<void>;
  /** The caller was answered, and may not have got the answer: the same call takes it up for so long. */
  doubt(joinMs: number): Promise<void>;
  /** The caller has its result, or wants none: then what ends the work is done first. */
  close(first?: () => Promise<unknown>): Promise<void>;
}

/** How a call is held. */
export interface HoldOptions {
  /** Calls with the same key ask for the same thing: one that nobody waits for any more is taken up. */
  readonly key: string;
  /**
   * The same for calls that were answered and may not have got the answer; narrower, because most of them did.
   *
   * @default the key
   */
  readonly answeredKey?: string;
  /** How long it lives when its caller went away. */
  readonly graceMs: number;
  /** Whether its caller went away before it was written: the same call then waits until it has been left. */
  readonly isGone?: () => boolean;
}

/** Names one wait of this process. */
export function makeHolder(): string {
  self ??= currentProcess();
  return JSON.stringify([self.host, self.pid, self.startTime, ++waits]);
}

let self: ProcessRef | undefined;
let waits = 0;

/** How a task is held, and by whom. */
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

/** Gives up held calls that nobody came back for. Any process does it for the whole store. */
export class HoldKeeper {
  readonly #options: HoldKeeperOptions;

  constructor(options: HoldKeeperOptions) {
    this.#options = options;
  }

  async pass(): Promise<void> {
    const { store, report } = this.#options;
    const isLost = createLossCheck(store);
    for (const hold of await store.holds.list()) {
      try {
        if (hold.by !== undefined && (await isLost(hold.by))) await releaseLost(store, hold);
        else if (isLeft(hold, store.time())) await giveUp(this.#options, hold);
      } catch (error) {
        report(error);
      }
    }
  }
}

/** Whether nobody came back in time. */
function isLeft({ cancelAt, graceMs }: Hold, time: StoreTime): boolean {
  return cancelAt !== undefined && isOver(time, { from: cancelAt - graceMs, until: cancelAt });
}

export async function releaseLost(store: Store, hold: Hold): Promise<void> {
  const { taskId, by = '', graceMs, endedAt } = hold;
  // Who died after the end may have answered: what it gave is not given again for ever.
  const leftMs = endedAt === undefined ? graceMs : Math.max(0, endedAt + graceMs - store.time().now);
  await store.holds.release(taskId, by, { how: 'leave', graceMs: leftMs });
}

async function giveUp({ store, releases }: HoldParts, { taskId }: Hold): Promise<void> {
  const by = makeHolder();
  // Whoever came back since the list was read has the task, and keeps it.
  if (!(await store.holds.attend(taskId, by))) return;
  const reason = 'its client went away and did not come back';
  await releases.end(by, async () => {
    await store.tasks.settle({ taskId }, { outcome: { kind: 'cancelled', reason } });
    await store.holds.remove(taskId);
  });
}
