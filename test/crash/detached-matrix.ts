/** The kills of a server and of its detached worker at their durable writes, and their verdict. The same on every store. */
import { describe, expect, it } from 'vitest';
import { type Choose, dieAt, onBothSides, readNotes, runAt, type ToEnv, withSite } from './crash-site.ts';
import { judge } from './judge.ts';

/** What the serving process writes, and what the worker writes. */
const WRITES = {
  server: ['submit', 'worker-reserve', 'answer', 'cancel'],
  worker: [
    'worker-register',
    'claim',
    'progress',
    'settle',
    'ask',
    'step',
    'worker-track',
    'worker-untrack',
    'worker-retire',
  ],
} as const;

export interface DetachedMatrixOptions {
  /** The rows that a kill of each of the two proves, as they stand in a title. */
  readonly rows: Readonly<Record<keyof typeof WRITES, string>>;
  /** The rows of which it is a part that no write is left out. */
  readonly allRow: string;
  /** Where the store of one test is. @default a file in its folder */
  readonly toEnv?: ToEnv;
  /** @default all of them */
  readonly choose?: Choose;
}

export function describeDetachedMatrix(
  name: string,
  { rows, allRow, toEnv, choose = (cases) => cases }: DetachedMatrixOptions,
): void {
  const listKills = (role: keyof typeof WRITES) => choose(onBothSides(WRITES[role].map((write) => ({ write }))));
  describe.concurrent(name, () => {
    for (const { write, side } of listKills('server')) {
      it(`${rows.server} of the server ${side} the write of ${write} loses and repeats nothing`, async () => {
        await withSite(toEnv, async (site) => {
          await dieAt(site, 'crash-detached', 'server', `${write}:${side}`);
          await judge(site, 'detached');
        });
      });
    }

    for (const { write, side } of listKills('worker')) {
      it(`${rows.worker} of the worker ${side} the write of ${write} is made good by the server`, async () => {
        await withSite(toEnv, async (site) => {
          const ran = await runAt(site, 'crash-detached', 'worker', `${write}:${side}`);
          expect(ran).toMatchObject({ code: 0, signal: null });
          // The server has waited for everything: whoever judges only reads, and needs no process for it.
          await judge(site, 'inline');
        });
      });
    }

    it(`${allRow} is tried at every crash point of the hand-over`, async () => {
      await withSite(toEnv, async (site) => {
        expect(await runAt(site, 'crash-detached', 'server', 'none')).toMatchObject({ code: 0 });
        await judge(site, 'detached');
        const passed = new Set(readNotes(site, 'point').flat());
        for (const [role, writes] of Object.entries(WRITES)) {
          for (const write of writes) expect(passed).toContain(`${role}/${write}:before`);
        }
      });
    });
  });
}
