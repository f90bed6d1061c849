/**
 * What a store must do that several processes or machines use at once, as cases that any test runner can run.
 *
 * Each case opens two stores on one fresh database and makes them race many times, because races fail only now and then. Run
 * it in addition to `describeStore`, which tests one store at a time.
 */
import type { Store } from '../store/contract.ts';
import { meetingClaims } from './contract/shared/meetings.ts';
import { noticeClaims } from './contract/shared/notices.ts';
import { type HoldTask, Pair, type SharedClaim } from './contract/shared/pair.ts';
import { createFakeClock, type FakeClock } from './fake-clock.ts';
import type { TestRunner } from './store-contract.ts';

/**
 * Opens two stores on one fresh and empty database; both use `clock`. If several processes can write at once, the third
 * element locks a task, like a transaction that is changing it, and returns a function that releases the lock.
 */
export type OpenTwo = (clock: FakeClock) => Promise<readonly [Store, Store, HoldTask?]>;

const CLAIMS: readonly SharedClaim[] = [...noticeClaims, ...meetingClaims];

/** Defines the contract of shared stores as tests of one store. */
export function describeSharedStore(name: string, openTwo: OpenTwo, { describe, it }: TestRunner): void {
  describe(name, () => {
    for (const { title, tell } of CLAIMS) it(title, () => runWithTwo(openTwo, tell));
  });
}

async function runWithTwo(openTwo: OpenTwo, tell: SharedClaim['tell']): Promise<void> {
  const clock = createFakeClock();
  const [one, other, holdTask] = await openTwo(clock);
  try {
    await tell(new Pair([one, other], clock, holdTask));
  } finally {
    await Promise.all([one.close(), other.close()]);
  }
}
