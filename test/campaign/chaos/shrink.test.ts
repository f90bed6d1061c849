import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { shrink } from '../../../src/campaign/chaos/shrink.ts';

const upTo = (count: number) => Array.from({ length: count }, (_, at) => at);
const needs = (...wanted: number[]) => ({
  fails: async (list: readonly number[]) => wanted.every((one) => list.includes(one)),
});

describe('shrinking', () => {
  it('[BAD-560] finds exactly the entries that are needed to fail', async () => {
    await fc.assert(
      fc.asyncProperty(fc.uniqueArray(fc.nat(39), { minLength: 1, maxLength: 4 }), async (wanted) => {
        const { list, isShortest } = await shrink(upTo(40), { ...needs(...wanted), maxTries: 2000 });
        expect(list).toEqual(wanted.toSorted((a, b) => a - b));
        expect(isShortest).toBe(true);
      }),
      { numRuns: 40 },
    );
  });

  it('[BAD-560] takes few tries when one entry is enough', async () => {
    expect(await shrink(upTo(64), needs(37))).toMatchObject({ list: [37], isShortest: true });
    expect((await shrink(upTo(64), needs(37))).tries).toBeLessThan(30);
  });

  it('[BAD-560] finds nothing where nothing is needed', async () => {
    expect(await shrink(upTo(8), needs())).toMatchObject({ list: [], isShortest: true });
  });

  it('[BAD-560] stops when its tries are used up, with what failed last', async () => {
    const tried: boolean[] = [];
    const shrunk = await shrink(upTo(64), {
      ...needs(1, 60),
      maxTries: 5,
      onTry: ({ failed }) => tried.push(failed),
    });
    expect(tried).toHaveLength(5);
    expect(shrunk).toMatchObject({ tries: 5, isShortest: false });
    expect(shrunk.list).toEqual(expect.arrayContaining([1, 60]));
  });
});
