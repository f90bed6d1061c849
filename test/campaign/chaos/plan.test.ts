import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { faultKinds, getFault } from '../../../src/campaign/chaos/fault.ts';
import { countFaults, createPlan, parseKinds, parsePlan } from '../../../src/campaign/chaos/plan.ts';

const seeds = fc.integer({ min: 0, max: 2 ** 31 - 1 });

describe('a plan of faults', () => {
  it('[BAD-550] is the same for the same seed, and survives being kept as JSON', () => {
    fc.assert(
      fc.property(seeds, (seed) => {
        const plan = createPlan({ seed, ms: 60_000 });
        expect(createPlan({ seed, ms: 60_000 })).toEqual(plan);
        expect(parsePlan(JSON.parse(JSON.stringify(plan)))).toEqual(plan);
      }),
      { numRuns: 10 },
    );
  });

  it('[BAD-550] has other faults for another seed', () => {
    expect(createPlan({ seed: 1, ms: 60_000 }).faults).not.toEqual(createPlan({ seed: 2, ms: 60_000 }).faults);
  });

  it('[BAD-550] keeps to its time, its kinds and its targets, in order', () => {
    fc.assert(
      fc.property(seeds, (seed) => {
        const { faults } = createPlan({
          seed,
          ms: 10_000,
          kinds: ['kill', 'stop', 'lock'],
          targets: ['worker', 'host'],
        });
        expect(faults).toHaveLength(12);
        expect(faults.map(({ atMs }) => atMs)).toEqual(faults.map(({ atMs }) => atMs).toSorted((a, b) => a - b));
        for (const { kind, target, atMs } of faults) {
          expect(['kill', 'stop']).toContain(kind);
          expect(['worker', 'host']).toContain(target);
          expect(atMs).toBeLessThanOrEqual(9000);
        }
      }),
      { numRuns: 10 },
    );
  });

  it('[BAD-550] of a long time has every kind of fault, on every target it can have', () => {
    const { faults } = createPlan({ seed: 3, ms: 3_600_000 });
    expect(Object.keys(countFaults(faults)).toSorted()).toEqual([...faultKinds].toSorted());
    for (const kind of faultKinds) {
      const targets = new Set(faults.filter((fault) => fault.kind === kind).map(({ target }) => target));
      expect([...targets].toSorted(), kind).toEqual([...getFault(kind).targets].toSorted());
    }
  });

  it.each([
    [{ version: 2 }, 'version is 2; expected 1'],
    [{ version: 1, seed: -1, ms: 1, faults: [] }, 'seed is -1; expected a whole number from 0 up'],
    [{ version: 1, seed: 1, ms: 1, faults: {} }, 'faults is {}; expected a list'],
    [
      { version: 1, seed: 1, ms: 1, faults: [{ atMs: 0, kind: 'flood', target: 'disk' }] },
      'faults[0].kind is "flood"; expected one of kill, term, stop',
    ],
    [
      { version: 1, seed: 1, ms: 1, faults: [{ atMs: 0, kind: 'kill', target: 'disk' }] },
      'faults[0].target is "disk"; expected one of server, worker, submitter, host',
    ],
    [
      { version: 1, seed: 1, ms: 1, faults: [{ atMs: 0, kind: 'poison', target: 'queue' }] },
      'faults[0].poison is undefined; expected segfault, exit, block, huge',
    ],
    [[], 'the plan is []; expected an object'],
  ])('[BAD-550] that is not one is refused by name: %j', (value, message) => {
    expect(() => parsePlan(value)).toThrow(message);
  });

  it('names the kinds there are to whoever asks for another', () => {
    expect(parseKinds('kill, stop', '--faults')).toEqual(['kill', 'stop']);
    expect(() => parseKinds('kill,flood', '--faults')).toThrow('--faults is "flood"; expected some of kill,term,stop');
  });
});
