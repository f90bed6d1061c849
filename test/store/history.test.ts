import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Store } from '../../src/store/contract.ts';
import { createMemoryStore } from '../../src/store/memory/memory-store.ts';
import { openSqliteStore } from '../../src/store/sqlite/sqlite-store.ts';
import { createFakeClock, type FakeClock } from '../../src/testing/fake-clock.ts';
import { share } from '../share.ts';
import { checkNothingLeaks } from './history-agreement.ts';
import { commands, register } from './history-commands.ts';
import { expire } from './history-expire.ts';
import { Model } from './history-model.ts';
import { writeEmptyStore } from './sqlite/empty-store.ts';

// Fixed, so that a failure here is a failure everywhere; fast-check prints it with the path to the counterexample.
const SEED = 20_300_103;

const RUNS = share([...Array(200).keys()], { every: 2 }).length;

const stores: Record<string, (clock: FakeClock) => Promise<Store>> = {
  memory: async (clock) => createMemoryStore({ clock }),
  SQLite: async (clock) => openSqliteStore({ path: await toFreshPath(), synchronous: 'normal', clock }),
};

let directory: string;
let opened = 0;
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'holdfast-history-'));
});
afterAll(() => rm(directory, { recursive: true }));

describe.each(Object.entries(stores))('random histories of the %s store', (_name, open) => {
  const seen = new Set<string>();

  it('[STORE-05] agree with a simple model in everything that can be read', async () => {
    const property = fc.asyncProperty(
      fc.commands([...commands, expire], { maxCommands: 80, size: 'max' }),
      async (history) => {
        const clock = createFakeClock();
        const store = await open(clock);
        try {
          const model = new Model(clock.now());
          await register(model, { store });
          await fc.asyncModelRun(() => ({ model, real: { store, clock, seen } }), history);
          await checkNothingLeaks(model, { store, clock });
        } finally {
          await store.close();
        }
      },
    );
    await fc.assert(property, { seed: SEED, numRuns: RUNS });
  });

  it('went through every way a verb can turn out', () => {
    const verbs = ['write', 'ask', 'park', 'requeue', 'settle', 'cancel', 'stall'].flatMap((verb) => [
      `${verb} true`,
      `${verb} false`,
    ]);
    const creates = ['created', 'joined', 'conflict', 'full', 'over-share'].map((kind) => `create ${kind}`);
    const answers = ['0', '1', '2', 'undefined'].map((count) => `answer ${count}`);
    const recovers = ['queued', 'input_required', 'failed', 'nothing'].map((kind) => `recover ${kind}`);
    const others = [
      'claim again',
      'claim a suspect',
      'claim for several',
      'delivered',
      'expired',
      'forgotten',
      'wait in a queue',
      'claim from a queue',
      'leave the queue true',
      'expire',
    ];
    const ways = [...verbs, ...creates, ...answers, ...recovers, ...others];
    expect(ways.filter((way) => !seen.has(way))).toEqual([]);
  });
});

async function toFreshPath(): Promise<string> {
  opened += 1;
  const path = join(directory, `${opened}`, 'tasks.db');
  await writeEmptyStore(path);
  return path;
}
