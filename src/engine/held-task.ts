/**
 * Plain calls that are waited for on an open line.
 *
 * Whether somebody waits is kept with the task, so that any process can take up a call that was left, and give up one
 * whose client never came back.
 */
import type { Clock } from '../clock.ts';
import { currentProcess, isAlive, type ProcessRef } from '../process/process-ref.ts';
import type { Store } from '../store/contract.ts';
import type { Hold } from '../store/hold-contract.ts';

/** A task that its caller waits for on an open line. Each of these ends the wait; the first one counts. */
export interface HeldTask {
  /** The caller went away: the task is cancelled after the grace time, unless somebody takes it up. */
  leave(graceMs?: number): Promise<void>;
  /** The caller has its id and may come back for it whenever it likes. */
  handOver(): Promise<void>;
  /** The caller has its result. */
  close(): Promise<void>;
}

/** How a call is held. */
export interface HoldOptions {
  /** Calls with the same key ask for the same thing: one that nobody waits for any more is taken up. */
  readonly key: string;
  /** How long it lives when its caller went away. */
  readonly graceMs: number;
}

/** Names one wait of this process. */
export function makeHolder(): string {
  self ??= currentProcess();
  return JSON.stringify([self.host, self.pid, self.startTime, ++waits]);
}

let self: ProcessRef | undefined;
let waits = 0;

export function toHeldTask(store: Store, held: { taskId: string; by: string; graceMs: number }): HeldTask {
  const { taskId, by } = held;
  return {
    async leave(graceMs = held.graceMs) {
      await store.holds.release(taskId, by, { how: 'leave', graceMs });
    },
    async handOver() {
      await store.holds.release(taskId, by, { how: 'hand-over' });
    },
    close: () => store.holds.remove(taskId),
  };
}

export interface HoldKeeperOptions {
  readonly store: Store;
  readonly clock: Clock;
  report(error: unknown): void;
}

/** Gives up held calls that nobody came back for. Any process does it for the whole store. */
export class HoldKeeper {
  readonly #options: HoldKeeperOptions;

  constructor(options: HoldKeeperOptions) {
    this.#options = options;
  }

  async pass(): Promise<void> {
    const { store, clock, report } = this.#options;
    const isLost = createLossCheck();
    for (const hold of await store.holds.list()) {
      try {
        if (hold.by !== undefined && isLost(hold.by)) await releaseLost(store, hold, hold.by);
        else if (hold.cancelAt !== undefined && hold.cancelAt <= clock.now()) await giveUp(store, hold);
      } catch (error) {
        report(error);
      }
    }
  }
}

/** Frees calls with this key whose holder is dead, so that the same call finds them at once. */
export async function freeLostHolds(store: Store, key: string): Promise<void> {
  const isLost = createLossCheck();
  for (const hold of await store.holds.list(key)) {
    if (hold.by !== undefined && isLost(hold.by)) await releaseLost(store, hold, hold.by);
  }
}

/** Many calls are held by few processes: each is looked at once. */
function createLossCheck(): (by: string) => boolean {
  const known = new Map<string, boolean>();
  return (by) => {
    const [host, pid, startTime] = JSON.parse(by) as [string, number, string];
    const name = `${pid} ${startTime} ${host}`;
    const lost = known.get(name) ?? isAlive({ host, pid, startTime }) === false;
    known.set(name, lost);
    return lost;
  };
}

async function releaseLost(store: Store, { taskId, graceMs }: Hold, by: string): Promise<void> {
  await store.holds.release(taskId, by, { how: 'leave', graceMs });
}

async function giveUp(store: Store, { taskId }: Hold): Promise<void> {
  // Whoever came back since the list was read has the task, and keeps it.
  if (!(await store.holds.attend(taskId, makeHolder()))) return;
  const reason = 'its client went away and did not come back';
  await store.tasks.settle({ taskId }, { outcome: { kind: 'cancelled', reason } });
  await store.holds.remove(taskId);
}
