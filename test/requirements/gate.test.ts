import { readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { readTests, toCoverage } from './coverage.js';
import { requirements } from './requirements.js';

const row = (id: string) => ({ id, source: 'design', claim: 'something holds' }) as const;
const file = (text: string) => ({ file: 'a.test.ts', text });
const published = { file: 'src/testing/suite.ts', title: 'something holds' };

describe('the requirements gate', () => {
  it('finds rows that no test proves', async () => {
    const { unproven } = await toCoverage(
      [row('A-01'), row('A-02'), row('A-03')],
      [file("it('[A-01] [A-03] works', run);\n// '[' A-02 and [A-02] are only mentioned here")],
    );
    expect(unproven).toEqual([row('A-02')]);
  });

  it('finds tests that name an unknown row', async () => {
    const { unknown } = await toCoverage([row('A-01')], [file("it('[A-01] works'); it.each(x)(`[A-9] [B2-1] y`);")]);
    expect(unknown).toEqual(['A-9 in a.test.ts', 'B2-1 in a.test.ts']);
  });

  it('finds ids that two rows share', async () => {
    const { duplicated } = await toCoverage([row('A-01'), row('A-02'), row('A-01')], []);
    expect(duplicated).toEqual(['A-01']);
  });

  it('finds proofs that are not where their row says', async () => {
    const rows = [{ ...row('A-01'), test: published }];
    const at = (text: string) => toCoverage(rows, [], async () => text);
    expect((await at("title: 'something holds',")).missing).toEqual([]);
    expect((await at("title: 'something else',")).missing).toEqual(['A-01: "something holds" in src/testing/suite.ts']);
  });
});

describe('the requirements', () => {
  it('each have a test, and every id in a title has a row', async () => {
    const { unproven, ...wrong } = await toCoverage(requirements, await readTests());
    expect(wrong).toEqual({ unknown: [], duplicated: [], missing: [] });
    expect(unproven.map(({ id, claim }) => `${id} ${claim}`)).toEqual([]);
  });

  it('that are not met on purpose are told in docs/protocol.md', async () => {
    const text = await readFile(new URL('../../docs/protocol.md', import.meta.url), 'utf8');
    const untold = requirements.filter(({ id, deviation }) => deviation !== undefined && !text.includes(id));
    expect(untold.map(({ id }) => id)).toEqual([]);
  });
});
