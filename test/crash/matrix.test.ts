import { join } from 'node:path';
import { until } from 'holdfast/testing';
import { describe, expect, it } from 'vitest';
import { judge, pick, readRecords, runProgram, runUntilKilled, startProgram, withDirectory } from './judge.ts';

/** Every durable write of an inline engine: the row it proves, and where in the story it has something to write. */
const WRITES = {
  'worker-register': { row: '[CRASH-11]', phases: ['start'] },
  submit: { row: '[CRASH-01]', phases: ['pay', 'build'] },
  claim: { row: '[CRASH-02]', phases: ['pay', 'build', 'answer'] },
  progress: { row: '[CRASH-03]', phases: ['pay', 'hang'] },
  step: { row: '[CRASH-03]', phases: ['build'] },
  ask: { row: '[CRASH-04]', phases: ['build'] },
  answer: { row: '[CRASH-05]', phases: ['answer'] },
  park: { row: '[CRASH-06]', phases: ['build'] },
  settle: { row: '[CRASH-07] [CRASH-12]', phases: ['pay', 'answer'] },
  retry: { row: '[CRASH-07]', phases: ['flaky'] },
  'outbox-take': { row: '[CRASH-08]', phases: ['pay', 'hang'] },
  'outbox-postpone': { row: '[CRASH-08]', phases: ['pay'] },
  'outbox-done': { row: '[CRASH-08]', phases: ['build'] },
  cancel: { row: '[CRASH-09]', phases: ['hang'] },
  sweep: { row: '[CRASH-10]', phases: ['brief'] },
  'worker-track': { row: '[CRASH-14]', phases: ['hang'] },
  'worker-untrack': { row: '[CRASH-14]', phases: ['hang'] },
  'hand-back': { row: '[CRASH-11]', phases: ['long'] },
  'worker-retire': { row: '[CRASH-11]', phases: ['long'] },
  'program-announce': { row: '[CRASH-11]', phases: ['start'] },
  'program-leave': { row: '[CRASH-11]', phases: ['long'] },
} as const;

const SIDES = ['before', 'after'] as const;

describe.concurrent('kill -9 of an engine', () => {
  const cases = Object.entries(WRITES).flatMap(([write, { row, phases }]) =>
    phases.flatMap((phase) => SIDES.map((side) => ({ write, row, phase, side }))),
  );
  for (const { write, row, phase, side } of cases) {
    it(`${row} ${side} the write of ${write} (${phase}) loses and repeats nothing`, async () => {
      await withDirectory(async (dir) => {
        await runUntilKilled('crash-victim', dir, `${write}:${side}`, phase);
        await judge(dir);
      });
    });
  }

  for (const side of SIDES) {
    for (const write of ['worker-drain', 'recover']) {
      it(`[CRASH-11] ${side} the write of ${write}, when it buries another dead one, loses and repeats nothing`, async () => {
        await withDirectory(async (dir) => {
          await runUntilKilled('crash-seed', dir);
          await runUntilKilled('crash-victim', dir, `${write}:${side}`);
          await judge(dir);
        });
      });
    }

    it(`[CRASH-11] ${side} it notes that another one is silent loses and repeats nothing`, async () => {
      await withDirectory(async (dir) => {
        const silent = startProgram('crash-seed', [dir, 'stop']);
        try {
          await until(() => pick(readRecords(join(dir, 'journal.txt')), 'seeded')[0], { timeoutMs: 60_000 });
          await runUntilKilled('crash-victim', dir, `worker-observe:${side}`);
          await judge(dir);
        } finally {
          silent.child.kill('SIGKILL');
          await silent.ended;
        }
      });
    });
  }

  it('[CRASH-15] [CRASH-16] is tried at every crash point that the engine passes', async () => {
    await withDirectory(async (dir) => {
      const ran = await runProgram('crash-victim', dir, 'none');
      expect(ran).toMatchObject({ code: 0 });
      const passed = pick(readRecords(join(dir, 'journal.txt')), 'point').flat();
      const tried = Object.keys(WRITES).flatMap((write) => SIDES.map((side) => `${write}:${side}`));
      // Written only of a worker whose heart is late, as its own may be on a busy machine.
      const usual = passed.filter((name) => !name.startsWith('worker-observe:'));
      expect(usual.sort()).toEqual(tried.sort());
      await judge(dir);
    });
  });
});
