/**
 * What every store must do, as cases that any test runner can run.
 *
 * Store authors run these against their store; ours run them too. Each case opens a fresh store with a clock of its own,
 * asserts with `node:assert`, and closes the store.
 */

import { artifactsClaims } from './contract/artifacts.ts';
import { changesClaims } from './contract/changes.ts';
import { deadlinesClaims } from './contract/deadlines.ts';
import { holdsClaims } from './contract/holds.ts';
import { outboxClaims } from './contract/outbox.ts';
import { programsClaims } from './contract/programs.ts';
import { type Claim, type OpenStore, Scene } from './contract/scene.ts';
import { sessionsClaims } from './contract/sessions.ts';
import { actorsClaims } from './contract/tasks/actors.ts';
import { answerClaims } from './contract/tasks/answer.ts';
import { claimClaims } from './contract/tasks/claim.ts';
import { createClaims } from './contract/tasks/create.ts';
import { fenceClaims } from './contract/tasks/fence.ts';
import { queuesClaims } from './contract/tasks/queues.ts';
import { readClaims } from './contract/tasks/read.ts';
import { releaseClaims } from './contract/tasks/release.ts';
import { rerunsClaims } from './contract/tasks/reruns.ts';
import { settleClaims } from './contract/tasks/settle.ts';
import { sharesClaims } from './contract/tasks/shares.ts';
import { sweepClaims } from './contract/tasks/sweep.ts';
import { writeClaims } from './contract/tasks/write.ts';
import { timeClaims } from './contract/time.ts';
import { groupsClaims } from './contract/workers/groups.ts';
import { recoverClaims } from './contract/workers/recover.ts';
import { workersClaims } from './contract/workers/registry.ts';
import { reserveClaims } from './contract/workers/reserve.ts';
import { silenceClaims } from './contract/workers/silence.ts';
import { createFakeClock } from './fake-clock.ts';

export type { OpenStore };

/** One requirement for every store. */
export interface StoreCase {
  /** The part of the contract it belongs to. */
  readonly area: string;
  readonly title: string;
  /** Rejects when the store breaks the contract. */
  readonly run: (open: OpenStore) => Promise<void>;
}

/** The part of a test runner that the suite needs; vitest and node:test provide it. */
export interface TestRunner {
  describe(title: string, define: () => void): unknown;
  it(title: string, run: () => Promise<void>): unknown;
}

const AREAS: Readonly<Record<string, readonly Claim[]>> = {
  create: createClaims,
  'runs again': rerunsClaims,
  'get, list and events': readClaims,
  claim: claimClaims,
  queues: queuesClaims,
  write: writeClaims,
  'ask and answer': answerClaims,
  artifacts: artifactsClaims,
  release: releaseClaims,
  settle: settleClaims,
  fences: fenceClaims,
  recover: recoverClaims,
  sweep: sweepClaims,
  shares: sharesClaims,
  actors: actorsClaims,
  'reserve and register': reserveClaims,
  workers: workersClaims,
  'process groups': groupsClaims,
  'silent workers': silenceClaims,
  outbox: outboxClaims,
  holds: holdsClaims,
  sessions: sessionsClaims,
  changes: changesClaims,
  time: timeClaims,
  deadlines: deadlinesClaims,
  programs: programsClaims,
};

/** Every case of the contract. */
export const storeContract: readonly StoreCase[] = Object.entries(AREAS).flatMap(([area, claims]) =>
  claims.map(({ title, tell }) => ({ area, title, run: (open) => runInScene(open, tell) })),
);

/** Defines the whole contract as tests of one store. */
export function describeStore(name: string, open: OpenStore, runner: TestRunner): void {
  const { describe, it } = runner;
  describe(name, () => {
    for (const area of Object.keys(AREAS)) {
      describe(area, () => {
        for (const one of storeContract.filter((other) => other.area === area)) it(one.title, () => one.run(open));
      });
    }
  });
}

async function runInScene(open: OpenStore, tell: Claim['tell']): Promise<void> {
  const clock = createFakeClock();
  const store = await open(clock);
  try {
    await tell(new Scene(store, clock));
  } finally {
    await store.close();
  }
}
