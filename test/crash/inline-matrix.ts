/** The kills of an inline engine at each of its durable writes, and their verdict. The same on every store. */
import { until } from 'holdfast/testing';
import { describe, expect, it } from 'vitest';
import { type Choose, dieAt, onBothSides, readNotes, runAt, SIDES, type ToEnv, withSite } from './crash-site.ts';
import { type CrashSite, judge, startProgram } from './judge.ts';

/**
 * Every durable write, and where in the story it has something to write.
 *
 * In an order in which two of three lines have a write of each row: the third is left out where a part is tried.
 */
const PHASES = {
  'worker-register': ['start'],
  submit: ['pay', 'build'],
  claim: ['pay', 'build', 'answer'],
  progress: ['pay', 'hang'],
  step: ['build'],
  ask: ['build'],
  answer: ['answer'],
  retry: ['flaky'],
  park: ['build'],
  settle: ['pay', 'answer'],
  cancel: ['hang'],
  sweep: ['brief'],
  'outbox-postpone': ['pay'],
  'outbox-take': ['pay', 'hang'],
  'outbox-done': ['build'],
  'worker-track': ['hang'],
  'hand-back': ['long'],
  'worker-untrack': ['hang'],
  'worker-retire': ['long'],
  'program-announce': ['start'],
  'program-leave': ['long'],
} as const;

/** Written only by one that has another to look after. */
const OF_OTHERS = ['worker-drain', 'recover'] as const;

export interface InlineMatrixOptions {
  /** The rows that a kill at a write proves, as they stand in a title. */
  toRow(write: keyof typeof PHASES | 'of another'): string;
  /** The rows of which it is a part that no write is left out. */
  readonly allRow: string;
  /** Where the store of one test is. @default a file in its folder */
  readonly toEnv?: ToEnv;
  /** @default all of them */
  readonly choose?: Choose;
}

export function describeInlineMatrix(
  name: string,
  { toRow, allRow, toEnv, choose = (cases) => cases }: InlineMatrixOptions,
): void {
  const all = Object.entries(PHASES) as [keyof typeof PHASES, readonly string[]][];
  const kills = choose(onBothSides(all.flatMap(([write, phases]) => phases.map((phase) => ({ write, phase })))));
  describe.concurrent(name, () => {
    for (const { write, phase, side } of kills) {
      it(`${toRow(write)} ${side} the write of ${write} (${phase}) loses and repeats nothing`, async () => {
        await withSite(toEnv, async (site) => {
          await dieAt(site, 'crash-victim', `${write}:${side}`, phase);
          await judge(site);
        });
      });
    }

    for (const side of SIDES) {
      for (const write of OF_OTHERS) {
        const title = `${side} the write of ${write}, when it buries another dead one, loses and repeats nothing`;
        it(`${toRow('of another')} ${title}`, async () => {
          await withSite(toEnv, async (site) => {
            await dieAt(site, 'crash-seed');
            await dieAt(site, 'crash-victim', `${write}:${side}`);
            await judge(site);
          });
        });
      }

      it(`${toRow('of another')} ${side} it notes that another one is silent loses and repeats nothing`, async () => {
        await withSite(toEnv, (site) => dieBesideSilent(site, side));
      });
    }

    it(`${allRow} is tried at every crash point that the engine passes`, async () => {
      await withSite(toEnv, async (site) => {
        expect(await runAt(site, 'crash-victim', 'none')).toMatchObject({ code: 0 });
        const passed = readNotes(site, 'point').flat();
        const tried = Object.keys(PHASES).flatMap((write) => SIDES.map((side) => `${write}:${side}`));
        // Written only on a busy machine: when a heartbeat is late, or its thread takes so long to load that the main thread renews.
        const usual = passed.filter((name) => !/^worker-(observe|renew):/.test(name));
        expect(usual.sort()).toEqual(tried.sort());
        await judge(site);
      });
    });
  });
}

async function dieBesideSilent(site: CrashSite, side: string): Promise<void> {
  const silent = startProgram('crash-seed', [site.dir, 'stop'], site.env);
  try {
    await until(() => readNotes(site, 'seeded')[0], { timeoutMs: 60_000 });
    await dieAt(site, 'crash-victim', `worker-observe:${side}`);
    await judge(site);
  } finally {
    silent.child.kill('SIGKILL');
    await silent.ended;
  }
}
