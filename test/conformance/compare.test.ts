import { describe, expect, it } from 'vitest';
import type { Check } from '../../scripts/fetched/conformance-suite.mjs';
import { compareChecks } from './compare.js';

describe('the comparison with what is expected', () => {
  const check = (id: string, status: Check['status'], message = ''): Check => ({ scenario: 's', id, status, message });
  const excuse = { scenario: 's', id: 'b', status: 'SKIPPED', why: 'it is optional' } as const;

  it('is content with passing, informing and excused checks', () => {
    const checks = [check('a', 'SUCCESS'), check('b', 'SKIPPED'), check('c', 'INFO')];
    expect(compareChecks(checks, { s: 1 }, [excuse])).toEqual([]);
  });

  it('tells of checks that fail, warn or are skipped without an excuse', () => {
    const checks = [check('a', 'FAILURE', 'no'), check('b', 'WARNING', 'hm'), check('c', 'SKIPPED', 'later')];
    expect(compareChecks(checks, { s: 0 }, [])).toEqual([
      's: a is FAILURE: no',
      's: b is WARNING: hm',
      's: c is SKIPPED: later',
    ]);
  });

  it('tells of checks and scenarios that are missing', () => {
    expect(compareChecks([check('a', 'SUCCESS')], { s: 2, t: 1 }, [])).toEqual([
      's: passed 1, expected 2',
      't: passed nothing, expected 1',
    ]);
  });

  it('tells of excuses that excuse nothing', () => {
    const checks = [check('a', 'SUCCESS'), check('b', 'SUCCESS')];
    expect(compareChecks(checks, { s: 2 }, [excuse])).toEqual(['s: b is excused for nothing']);
  });
});
