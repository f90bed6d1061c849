import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { toCanonicalJson, toFingerprint } from '../../src/task/json.ts';

/** The same value with the names of every object in reverse order. */
function reversed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(reversed);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .reverse()
      .map(([name, part]) => [name, reversed(part)]),
  );
}

describe('canonical JSON', () => {
  it('sorts the names of objects at every depth and leaves lists in order', () => {
    expect(toCanonicalJson({ b: [{ d: 1, c: 2 }, 3], a: null })).toBe('{"a":null,"b":[{"c":2,"d":1},3]}');
  });

  it('is the same text for equal values', () => {
    fc.assert(fc.property(fc.jsonValue(), (value) => toCanonicalJson(value) === toCanonicalJson(reversed(value))));
  });

  it('is still the same value', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        expect(JSON.parse(toCanonicalJson(value))).toEqual(JSON.parse(JSON.stringify(value)));
      }),
    );
  });

  it('keeps a name such as __proto__', () => {
    const value: unknown = JSON.parse('{"b":1,"__proto__":{"x":1}}');
    expect(toCanonicalJson(value)).toBe('{"__proto__":{"x":1},"b":1}');
  });
});

describe('a fingerprint', () => {
  it('does not depend on the order of names', () => {
    expect(toFingerprint({ a: 1, b: { c: 2, d: 3 } })).toBe(toFingerprint({ b: { d: 3, c: 2 }, a: 1 }));
  });

  it('differs for values that differ', () => {
    const values = [
      null,
      0,
      '0',
      '',
      false,
      [],
      {},
      [0],
      { a: 0 },
      { a: '0' },
      { a: [0] },
      [[]],
      [{}],
      'null',
      undefined,
    ];
    expect(new Set(values.map(toFingerprint)).size).toBe(values.length);
    fc.assert(
      fc.property(fc.jsonValue(), fc.jsonValue(), (one, other) => {
        const isSame = toCanonicalJson(one) === toCanonicalJson(other);
        expect(toFingerprint(one) === toFingerprint(other)).toBe(isSame);
      }),
    );
  });

  it('is short and safe in a name', () => {
    expect(toFingerprint({ text: 'x'.repeat(100_000) })).toMatch(/^[\w-]{43}$/);
  });
});
