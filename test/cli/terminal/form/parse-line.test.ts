import { describe, expect, it } from 'vitest';
import { toForm } from '../../../../src/cli/terminal/form/form-field.ts';
import { parseLine, toExpected } from '../../../../src/cli/terminal/form/parse-line.ts';

/** The only field of a form, and what becomes of a line that is typed for it. */
function open(schema: object, root: object = {}) {
  const { shape } = toForm({ type: 'object', properties: { field: schema }, ...root });
  const [field] = shape.kind === 'group' ? shape.fields : [];
  if (!field || field.shape.kind === 'group') return expect.unreachable();
  const line = field.shape;
  return { field, expected: toExpected(line), parse: (text: string) => parseLine(text, line) };
}

describe('a line', () => {
  it.each([
    [{ type: 'string', minLength: 3 }, 'ab', 'expected at least 3 characters'],
    [{ type: 'string', maxLength: 1 }, 'ab', 'expected at most 1 characters'],
    [{ type: 'number', minimum: 2 }, '1.5', 'expected 2 or more'],
    [{ type: 'number', maximum: 2 }, '3', 'expected 2 or less'],
    [{ type: 'number', exclusiveMinimum: 0 }, '0', 'expected more than 0'],
    [{ type: 'number', exclusiveMaximum: 9 }, '9', 'expected less than 9'],
    [{ type: 'number' }, '1e999', 'expected a number'],
    [{ type: 'integer' }, '1.5', 'expected a whole number'],
    [{ type: 'boolean' }, 'maybe', 'expected yes or no'],
    [{ enum: ['a', 1] }, 'b', 'expected one of a, 1'],
    [{ type: 'array', items: { type: 'number' }, minItems: 2 }, '1', 'expected at least 2, with commas'],
    [{ type: 'array', items: { type: 'number' }, maxItems: 1 }, '1,2', 'expected at most 1'],
  ])('[FIRST-401] for %j, %j is wrong: %s', (schema, text, wrong) => {
    expect(open(schema).parse(text)).toEqual({ wrong });
  });

  it.each([
    [{ type: 'string' }, ' kept as it is ', ' kept as it is '],
    [{ type: 'string', minLength: 2, maxLength: 2 }, '👍👍', '👍👍'],
    [{ type: 'array', items: { type: 'integer' } }, '1, 2', [1, 2]],
    [{ type: 'string', oneOf: [{ const: 's', title: 'Small one' }] }, 'small ONE', 's'],
    [{ type: 'string', enum: ['x', 'y'], enumNames: ['First', 'Second'] }, 'second', 'y'],
    [{ type: 'array', items: { anyOf: [{ const: 'v', title: 'V' }] } }, 'v', ['v']],
    [{ enum: ['a', 1, null] }, '1', 1],
    [{ const: 'only' }, 'only', 'only'],
    [{ type: ['integer', 'null'] }, '4', 4],
    [{ anyOf: [{ type: 'boolean' }, { type: 'null' }] }, 'y', true],
    [{ anyOf: [{ type: 'string' }, { type: 'number' }] }, '"text"', 'text'],
    [{ type: 'object', additionalProperties: { type: 'string' } }, '{"any":"one"}', { any: 'one' }],
  ])('[FIRST-402] for %j, %j is %j', (schema, text, value) => {
    expect(open(schema).parse(text)).toEqual({ value });
  });
});

describe('a form of a stranger', () => {
  it('[FIRST-402] is followed into its own definitions, and not round and round', () => {
    const $defs = { size: { enum: ['s', 'm'] }, tree: { $ref: '#/$defs/tree' } };
    expect(open({ $ref: '#/$defs/size' }, { $defs }).expected).toBe('s, m');
    expect(open({ $ref: '#/$defs/tree' }, { $defs }).expected).toBe('JSON such as null');
    expect(open({ $ref: 'https://example.com/schema' }).field.shape.kind).toBe('json');
  });

  it('[FIRST-402] that is too deep or too wide is asked for as JSON', () => {
    const deep = (levels: number): object =>
      levels === 0 ? { type: 'string' } : { type: 'object', properties: { in: deep(levels - 1) } };
    const text = JSON.stringify(toForm(deep(20)));
    expect(text).toContain('"kind":"json"');
    const properties = Object.fromEntries(Array.from({ length: 500 }, (_, n) => [`f${n}`, { type: 'string' }]));
    expect(toForm({ type: 'object', properties }).shape.kind).toBe('json');
  });

  it('[FIRST-402] shows thirty of its choices', () => {
    const { expected } = open({ enum: Array.from({ length: 1000 }, (_, n) => `c${n}`) });
    expect(expected).toMatch(/^c0, c1, .*, c29, 970 more$/);
  });

  it.each([undefined, null, 7, [], {}, { type: 'object', properties: 5 }])('%j is no failure', (schema) => {
    expect(['json', 'group']).toContain(toForm(schema).shape.kind);
  });
});
