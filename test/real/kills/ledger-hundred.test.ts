import { describe, it } from 'vitest';
import { killHost, LEDGER_POINTS } from '../../crash/host-judge.ts';

describe('kill -9 of a host in the middle of a hundred calls in every dialect', () => {
  it.each(LEDGER_POINTS)('at %s: every outcome is taken once, and no tool runs twice', async (point) => {
    // All are written down before the first of them has a handle.
    await killHost({ point, count: 13, hit: point.startsWith('call-create') ? 60 : 10 });
  });
});
