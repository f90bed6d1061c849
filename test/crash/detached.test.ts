import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { share } from '../share.ts';
import { judge, pick, readRecords, runProgram, runUntilKilled, withDirectory } from './judge.ts';

/** What the serving process writes, and what the worker writes. */
const WRITES = {
  server: ['submit', 'worker-reserve', 'answer', 'cancel'],
  worker: [
    'worker-register',
    'claim',
    'progress',
    'step',
    'ask',
    'settle',
    'worker-track',
    'worker-untrack',
    'worker-retire',
  ],
} as const;

const SIDES = ['before', 'after'] as const;

// An odd number, so that both sides are among them.
const EVERY = 3;

/** Every write of a process, on both sides of its commit. */
function listPoints(role: keyof typeof WRITES) {
  return share(
    WRITES[role].flatMap((write) => SIDES.map((side) => ({ write, side }))),
    { every: EVERY },
  );
}

describe.concurrent('with a detached worker, kill -9', () => {
  for (const { write, side } of listPoints('server')) {
    it(`[CRASH-11] of the server ${side} the write of ${write} loses and repeats nothing`, async () => {
      await withDirectory(async (dir) => {
        await runUntilKilled('crash-detached', dir, 'server', `${write}:${side}`);
        await judge(dir, 'detached');
      });
    });
  }

  for (const { write, side } of listPoints('worker')) {
    it(`[CRASH-11] [CRASH-14] of the worker ${side} the write of ${write} is made good by the server`, async () => {
      await withDirectory(async (dir) => {
        const ran = await runProgram('crash-detached', dir, 'worker', `${write}:${side}`);
        expect(ran).toMatchObject({ code: 0, signal: null });
        // The server has waited for everything: whoever judges only reads, and needs no process for it.
        await judge(dir, 'inline');
      });
    });
  }

  it('[CRASH-15] is tried at every crash point of the hand-over', async () => {
    await withDirectory(async (dir) => {
      expect(await runProgram('crash-detached', dir, 'server', 'none')).toMatchObject({ code: 0 });
      await judge(dir, 'detached');
      const passed = new Set(pick(readRecords(join(dir, 'journal.txt')), 'point').flat());
      for (const [role, writes] of Object.entries(WRITES)) {
        for (const write of writes) expect(passed).toContain(`${role}/${write}:before`);
      }
    });
  });
});
