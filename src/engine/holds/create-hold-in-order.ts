import { setImmediate as nextTurn } from 'node:timers/promises';
import { awaitPendingDisconnects } from './await-pending-disconnects.ts';

/** A held call that is being written. */
interface PendingHold {
  /** Whether its caller has disconnected meanwhile. */
  isGone(): boolean;
  readonly done: Promise<unknown>;
}

/** By key; shared by all engines of the process. */
const pendingHolds = new Map<string, Set<PendingHold>>();

/**
 * Writes a held call, after those with the same key that began before it and whose callers have disconnected.
 *
 * A client may disconnect and call again before its first call is on disk. The hold of that call cannot end yet, and the
 * second call would find it waited for.
 */
export async function createHoldInOrder<T>(
  { key, isGone = () => false }: { readonly key: string; isGone?(): boolean },
  write: () => Promise<T>,
): Promise<T> {
  const all = pendingHolds.get(key) ?? new Set();
  const earlier = [...all];
  const done = waitForEarlierHolds(all, earlier).then(write);
  const pending = { isGone, done };
  pendingHolds.set(key, all.add(pending));
  try {
    return await done;
  } finally {
    all.delete(pending);
    if (all.size === 0) pendingHolds.delete(key);
  }
}

async function waitForEarlierHolds(all: ReadonlySet<PendingHold>, earlier: readonly PendingHold[]): Promise<void> {
  if (earlier.length > 0) await awaitPendingDisconnects();
  for (;;) {
    const abandoned = earlier.filter((one) => all.has(one) && one.isGone());
    if (abandoned.length === 0) return;
    await Promise.allSettled(abandoned.map(({ done }) => done));
    // The code that awaits the write continues first, and ends the hold.
    await nextTurn();
  }
}
