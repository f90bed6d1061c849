/**
 * What every store must do, as cases that any test runner can run.
 *
 * Store authors run these against their store; ours run them too. Each case opens a fresh store with a clock of its own,
 * asserts with `node:assert`, and closes the store.
 */

import { artifactsCases } from './contract/artifacts.ts';
import { changesCases } from './contract/changes.ts';
import { deadlinesCases } from './contract/deadlines.ts';
import { holdsCases } from './contract/holds.ts';
import { outboxCases } from './contract/outbox.ts';
import { programsCases } from './contract/programs.ts';
import { type ContractCase, type OpenStore, Scene } from './contract/scene.ts';
import { sessionsCases } from './contract/sessions.ts';
import { actorsCases } from './contract/tasks/actors.ts';
import { answerCases } from './contract/tasks/answer.ts';
import { claimCases } from './contract/tasks/claim.ts';
import { createCases } from './contract/tasks/create.ts';
import { fenceCases } from './contract/tasks/fence.ts';
import { queuesCases } from './contract/tasks/queues.ts';
import { readCases } from './contract/tasks/read.ts';
import { releaseCases } from './contract/tasks/release.ts';
import { rerunsCases } from './contract/tasks/reruns.ts';
import { settleCases } from './contract/tasks/settle.ts';
import { sharesCases } from './contract/tasks/shares.ts';
import { sweepCases } from './contract/tasks/sweep.ts';
import { writeCases } from './contract/tasks/write.ts';
import { timeCases } from './contract/time.ts';
import { groupsCases } from './contract/workers/groups.ts';
import { recoverCases } from './contract/workers/recover.ts';
import { workersCases } from './contract/workers/registry.ts';
import { reserveCases } from './contract/workers/reserve.ts';
import { silenceCases } from './contract/workers/silence.ts';
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

const AREAS: Readonly<Record<string, readonly ContractCase[]>> = {
  create: createCases,
  'runs again': rerunsCases,
  'get, list and events': readCases,
  claim: claimCases,
  queues: queuesCases,
  write: writeCases,
  'ask and answer': answerCases,
  artifacts: artifactsCases,
  release: releaseCases,
  settle: settleCases,
  fences: fenceCases,
  recover: recoverCases,
  sweep: sweepCases,
  shares: sharesCases,
  actors: actorsCases,
  'reserve and register': reserveCases,
  workers: workersCases,
  'process groups': groupsCases,
  'silent workers': silenceCases,
  outbox: outboxCases,
  holds: holdsCases,
  sessions: sessionsCases,
  changes: changesCases,
  time: timeCases,
  deadlines: deadlinesCases,
  programs: programsCases,
};

/** Every case of the contract. */
export const storeContract: readonly StoreCase[] = Object.entries(AREAS).flatMap(([area, cases]) =>
  cases.map(({ title, run }) => ({ area, title, run: (open) => runInScene(open, run) })),
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

async function runInScene(open: OpenStore, run: ContractCase['run']): Promise<void> {
  const clock = createFakeClock();
  const store = await open(clock);
  try {
    await run(new Scene(store, clock));
  } finally {
    await store.close();
  }
}
