import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { toMinJsonBytes } from '../../../src/server/frames/json-size.ts';

describe('the least size of a JSON text', () => {
  it('is never more than the text really has, and near to it', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const bytes = Buffer.byteLength(JSON.stringify(value));
        expect(toMinJsonBytes(value)).toBeLessThanOrEqual(bytes + 1);
      }),
    );
    expect(toMinJsonBytes({ text: 'x'.repeat(1000) })).toBeGreaterThan(1000);
    expect(toMinJsonBytes(Array(1000).fill('ab'))).toBeGreaterThan(4000);
  });

  it('has an end for a value that contains itself', () => {
    const knot: { text: string; left?: unknown; right?: unknown } = { text: 'x'.repeat(100) };
    knot.left = [knot, knot];
    knot.right = { knot };
    expect(toMinJsonBytes(knot)).toBeGreaterThan(100);
  });

  it('goes to any depth', () => {
    let deep: unknown = 'end';
    for (let level = 0; level < 100_000; level++) deep = [deep];
    expect(toMinJsonBytes(deep)).toBeGreaterThan(100_000);
  });
});
