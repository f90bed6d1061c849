import type { Clock } from '../../clock.ts';
import { ABANDON_VISIBLE_MS, ANSWER_READ_AFTER_MS, LOCAL_ABANDON_VISIBLE_MS } from '../../limits.ts';
import type { Store } from '../../store/contract.ts';
import type { Hold } from '../../store/contracts/hold-contract.ts';
import { awaitPendingDisconnects } from './await-pending-disconnects.ts';
import { type HoldOptions, releaseLost } from './held-task.ts';
import { flushRelease, isReleasePending } from './hold-releases.ts';
import { createLostHolderCheck, isOurs } from './lost-holders.ts';

const POLL_INTERVAL_MS = 20;

export interface FreeHoldsParts {
  readonly store: Store;
  readonly clock: Clock;
}

/**
 * Frees the held calls that an equal call may take up: calls whose holder is dead, calls whose hold has ended in this
 * process but not yet in the store, and calls whose holder is just learning that its client disconnected or that its
 * answer was lost. A holder sees a broken connection at once and writes it a commit later; the client may be faster.
 *
 * Throws when the store does not accept the end of a hold of this process: continuing would start the same work again.
 */
export async function freeHolds(
  parts: FreeHoldsParts,
  { key, answeredKey }: Pick<HoldOptions, 'key' | 'answeredKey'>,
): Promise<void> {
  await freeLost(parts.store, key);
  if (answeredKey === undefined) return;
  for (let waitedMs = 0; ; waitedMs += POLL_INTERVAL_MS) {
    const held = await freeLost(parts.store, answeredKey);
    if (held.some((hold) => mayStillDisconnect(hold, waitedMs))) {
      await new Promise<void>((resolve) => void parts.clock.after(POLL_INTERVAL_MS, resolve));
    } else if (held.some(isAnsweredHere)) {
      await awaitPendingDisconnects();
      return void (await freeLost(parts.store, answeredKey));
    } else return;
  }
}

function isAnsweredHere({ by, endedAt }: Hold): boolean {
  return by !== undefined && endedAt !== undefined && isOurs(by);
}

/** Frees calls with this key whose holder is dead, or whose hold has ended in this process; returns the others. */
export async function freeLost(store: Store, key: string): Promise<readonly Hold[]> {
  const isLost = createLostHolderCheck(store);
  const others: Hold[] = [];
  for (const hold of await store.holds.list(key)) {
    if (hold.by !== undefined && isReleasePending(hold.by)) await flushRelease(hold.by);
    else if (hold.by !== undefined && (await isLost(hold.by))) await releaseLost(store, hold);
    else others.push(hold);
  }
  return others;
}

/**
 * Whether the holder may still be learning what became of its connection. An answer that was sent from here is not waited
 * for: the next request on its connection shows whether it arrived, and may be this very call.
 */
function mayStillDisconnect({ by, endedAt }: Hold, waitedMs: number): boolean {
  if (by === undefined) return false;
  if (isOurs(by)) return endedAt === undefined && waitedMs <= LOCAL_ABANDON_VISIBLE_MS;
  return waitedMs <= (endedAt === undefined ? ABANDON_VISIBLE_MS : ANSWER_READ_AFTER_MS);
}
