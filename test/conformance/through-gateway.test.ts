import { describe, expect, it } from 'vitest';
import type { Check } from '../../scripts/fetched/conformance-suite.mjs';
import { compareRuns } from './through-gateway.js';

describe('the comparison of a server with itself behind a gateway', () => {
  const check = (id: string, status: Check['status'], message = ''): Check => ({ scenario: 's', id, status, message });
  const listed = { scenario: 's', id: 'b', direct: 'SUCCESS', through: 'FAILURE', why: 'it is so' } as const;

  it('[GATE-160] is content with the same marks, and with those that are listed to differ', () => {
    const direct = [check('a', 'SUCCESS'), check('a', 'FAILURE'), check('b', 'SUCCESS')];
    const through = [check('a', 'SUCCESS'), check('a', 'FAILURE'), check('b', 'FAILURE')];
    expect(compareRuns(direct, through, [listed])).toEqual([]);
  });

  it('[GATE-160] tells of marks that differ, of checks that are missing, and of what is listed for nothing', () => {
    const direct = [check('a', 'SUCCESS'), check('b', 'SUCCESS'), check('c', 'SUCCESS')];
    const through = [check('a', 'FAILURE', 'no'), check('b', 'SUCCESS')];
    expect(compareRuns(direct, through, [listed])).toEqual([
      's: a: SUCCESS directly, FAILURE through: no',
      's: c: SUCCESS directly, undefined through: undefined',
      's: b is listed for nothing',
    ]);
  });

  it('[GATE-160] does not take one wrong mark for another', () => {
    const through = [check('b', 'WARNING', 'hm')];
    expect(compareRuns([check('b', 'SUCCESS')], through, [listed])).toEqual([
      's: b: SUCCESS directly, WARNING through: hm',
    ]);
  });
});
