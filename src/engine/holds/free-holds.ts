import type { Clock } from '../../clock.ts';
import { ANSWER_OUTLIVED_MS, LEAVE_HEARD_MS, OWN_LEAVE_HEARD_MS } from '../../limits.ts';
import type { Store } from '../../store/contract.ts';
import type { Hold } from '../../store/contracts/hold-contract.ts';
import { hearBreaks } from './hear-breaks.ts';
import { type HoldOptions, releaseLost } from './held-task.ts';
import { isReleasing, takeRelease } from './hold-releases.ts';
import { createLossCheck, isOurs } from './lost-holders.ts';

const LOOK_MS = 20;

export interface FreeHoldsParts {
  readonly store: Store;
  readonly clock: Clock;
}

/**
 * Makes free what the same call may take up: calls whose holder is dead, those that this process has left and the store
 * has not taken yet, and those whose holder is just learning that they were left or that their answer was lost. A
 * connection that broke is heard of at once there, and written a commit later; the client may be faster.
 *
 * Throws when the store does not take what was left here: whoever went on would begin the same work again.
 */
export async function freeHolds(
  parts: FreeHoldsParts,
  { key, answeredKey }: Pick<HoldOptions, 'key' | 'answeredKey'>,
): Promise<void> {
  await freeLost(parts.store, key);
  if (answeredKey === undefined) return;
  for (let waitedMs = 0; ; waitedMs += LOOK_MS) {
    const held = await freeLost(parts.store, answeredKey);
    if (held.some((hold) => mayBeHeardOf(hold, waitedMs))) {
      await new Promise<void>((resolve) => void parts.clock.after(LOOK_MS, resolve));
    } else if (held.some(isAnsweredHere)) {
      await hearBreaks();
      return void (await freeLost(parts.store, answeredKey));
    } else return;
  }
}

function isAnsweredHere({ by, endedAt }: Hold): boolean {
  return by !== undefined && endedAt !== undefined && isOurs(by);
}

/** Frees calls with this key whose holder is dead or has gone; the others. */
export async function freeLost(store: Store, key: string): Promise<readonly Hold[]> {
  const isLost = createLossCheck(store);
  const others: Hold[] = [];
  for (const hold of await store.holds.list(key)) {
    if (hold.by !== undefined && isReleasing(hold.by)) await takeRelease(hold.by);
    else if (hold.by !== undefined && (await isLost(hold.by))) await releaseLost(store, hold);
    else others.push(hold);
  }
  return others;
}

/**
 * Whether its holder may still be learning what became of the line. Of an answer that was given here the next request on its
 * connection tells, which may be this very call.
 */
function mayBeHeardOf({ by, endedAt }: Hold, waitedMs: number): boolean {
  if (by === undefined) return false;
  if (isOurs(by)) return endedAt === undefined && waitedMs <= OWN_LEAVE_HEARD_MS;
  return waitedMs <= (endedAt === undefined ? LEAVE_HEARD_MS : ANSWER_OUTLIVED_MS);
}
