import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { share } from '../share.ts';
import { CHILD_POINTS, killHost, LEDGER_POINTS, readCalls } from './host-judge.ts';
import { pick, readRecords, runProgram, runUntilKilled, withDirectory } from './judge.ts';

// What was written and told to nobody is the harder half. All points, each with a hundred calls, are tried in test/real.
const AFTER_WRITES = LEDGER_POINTS.filter((point) => point.endsWith(':after'));

describe.concurrent('kill -9 of a host with calls in every dialect', () => {
  it.each(share(AFTER_WRITES, { every: 4 }))(
    '[HOST-13] at %s: every outcome is taken once, and no tool runs twice',
    async (point) => {
      await killHost({ point, count: 2, hit: 2 });
    },
  );

  it('[HOST-13] in the middle of sixteen calls: every outcome is taken once, and no tool runs twice', async () => {
    await killHost({ point: 'call-settle:after', count: 2, hit: 8 });
  });

  it('[HOST-14] is tried at every crash point that a host passes, with calls in every dialect', async () => {
    await withDirectory(async (dir) => {
      await runUntilKilled('host-crash', dir, 'call-handle:after', '1');
      const { code, stderr, stdout } = await runProgram('host-crash', dir, 'none', '1');
      expect({ code, stderr }).toMatchObject({ code: 0 });
      const points = pick(readRecords(join(dir, 'journal.txt')), 'point').flat();
      expect(points.sort()).toEqual([...LEDGER_POINTS, ...CHILD_POINTS].sort());
      // A plain call has no handle.
      const dialects = new Set(readCalls(stdout).map(({ dialect = 'plain' }) => dialect));
      expect([...dialects].sort()).toEqual(['job', 'plain', 'stream', 'tasks-2025', 'tasks-2026', 'ui-prompts']);
    });
  });
});
