import fc from 'fast-check';
import { it } from 'vitest';
import { createFakeClock } from '../../../src/testing/fake-clock.ts';
import { checkNothingLeaks } from '../history-agreement.ts';
import { commands, register } from '../history-commands.ts';
import { expire } from '../history-expire.ts';
import { Model } from '../history-model.ts';
import { PostgresScratch } from './scratch.ts';

const scratch = new PostgresScratch();

// Few here: the other stores go through thousands of commands, and a round trip costs more than they all. More with
// HOLDFAST_HISTORIES.
const RUNS = Number(process.env.HOLDFAST_HISTORIES ?? 5);
const SEED = 20_301_117;

it('[PG-102] random histories agree with a simple model in everything that can be read', async () => {
  const property = fc.asyncProperty(
    fc.commands([...commands, expire], { maxCommands: 80, size: 'max' }),
    async (history) => {
      const clock = createFakeClock();
      const store = await scratch.openEmpty({ clock });
      try {
        const model = new Model(clock.now());
        await register(model, { store });
        await fc.asyncModelRun(() => ({ model, real: { store, clock, seen: new Set<string>() } }), history);
        await checkNothingLeaks(model, { store, clock });
      } finally {
        await store.close();
      }
    },
  );
  await fc.assert(property, { seed: SEED, numRuns: RUNS, endOnFailure: true });
});
