/**
 * What a store must do that several processes or machines use at once, as cases that any test runner can run.
 *
 * Each case opens two stores on one fresh database and makes them race many times, because races fail only now and then. Run
 * it in addition to `describeStore`, which tests one store at a time.
 */
import type { Store } from '../store/contract.ts';
import { changeNotificationCases } from './contract/shared/change-notifications.ts';
import { type HoldTask, Pair, type SharedContractCase } from './contract/shared/pair.ts';
import { raceCases } from './contract/shared/races.ts';
import { createFakeClock, type FakeClock } from './fake-clock.ts';
import type { TestRunner } from './store-contract.ts';

/**
 * Opens two stores on one fresh and empty database; both use `clock`. If several processes can write at once, the third
 * element locks a task, like a transaction that is changing it, and returns a function that releases the lock.
 */
export type OpenTwo = (clock: FakeClock) => Promise<readonly [Store, Store, HoldTask?]>;

const CASES: readonly SharedContractCase[] = [...changeNotificationCases, ...raceCases];

/** Defines the contract of shared stores as tests of one store. */
export function describeSharedStore(name: string, openTwo: OpenTwo, { describe, it }: TestRunner): void {
  describe(name, () => {
    for (const { title, run } of CASES) it(title, () => runWithTwo(openTwo, run));
  });
}

async function runWithTwo(openTwo: OpenTwo, run: SharedContractCase['run']): Promise<void> {
  const clock = createFakeClock();
  const [one, other, holdTask] = await openTwo(clock);
  try {
    await run(new Pair([one, other], clock, holdTask));
  } finally {
    await Promise.all([one.close(), other.close()]);
  }
}
