import { describe, expect, it, onTestFinished } from 'vitest';
import { listSharedTests } from '../../scripts/gate/shared-tests.mjs';
// By another name: this file is no such table.
import { share as choose } from '../share.ts';

const WHOLE = 'HOLDFAST_TEST_WHOLE';

describe('a long table of cases', () => {
  it('[ROOMS-206] is tried in part here, and whole with the real tests', () => {
    const cases = [0, 1, 2, 3, 4, 5, 6];
    expect(choose(cases, { every: 3 })).toEqual([0, 3, 6]);
    process.env[WHOLE] = '1';
    onTestFinished(() => void delete process.env[WHOLE]);
    expect(choose(cases, { every: 3 })).toEqual(cases);
  });

  it('[ROOMS-206] is found by its import, so that nobody keeps a list', () => {
    expect(listSharedTests()).toContain('test/crash/detached.test.ts');
    expect(listSharedTests()).not.toContain('test/crash/fence-check.test.ts');
  });
});
