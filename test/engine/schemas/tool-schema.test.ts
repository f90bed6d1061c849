import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import * as mini from 'zod/mini';
import { z as z3 } from 'zod/v3';
import { toRequest } from '../../../src/engine/attempts/question-form.ts';
import type { StandardSchema } from '../../../src/engine/schemas/standard-schema.ts';
import { parseSchema } from '../../../src/engine/schemas/tool-schema.ts';
import { parseServerTool } from '../../../src/server/tools/server-tool.ts';

const parse = (schema: unknown) => parseSchema('report', 'input', schema as never);
const refusal = (message: string) => expect.objectContaining({ code: 'INVALID_ARGUMENT', message });

/** A schema of a library that is not zod. */
function toForeign(jsonSchema?: object): StandardSchema<{ n: string }, { n: number }> {
  const validate = (value: unknown) => {
    const n = Number((value as { n?: unknown } | null)?.n);
    return Number.isNaN(n) ? { issues: [{ message: 'no number', path: [{ key: 'n' }] }] } : { value: { n } };
  };
  const convert = { input: () => jsonSchema, output: () => jsonSchema };
  return { '~standard': { version: 1, vendor: 'acme', validate, ...(jsonSchema && { jsonSchema: convert }) } };
}

describe('a schema that cannot be used', () => {
  const zod4 = "use zod 4 (npm install zod@4, or import from 'zod/v4' with zod 3.25)";
  it.each([
    ['of zod 3', z3.object({ year: z3.number() }), `this is a zod 3 schema: ${zod4}`],
    [
      'a raw shape',
      { year: z.number(), pages: z.string() },
      'this is a raw shape of zod schemas: put z.object( ) around it: z.object({ year, pages })',
    ],
    [
      'a raw shape of zod 3',
      { year: z3.number() },
      `this is a raw shape of zod 3 schemas: ${zod4}, and put z.object( ) around the shape`,
    ],
    [
      'of another library without JSON Schema',
      toForeign(),
      'this is a schema of acme that gives no JSON Schema; expected zod 4, one that does, or JSON Schema',
    ],
    [
      'no object',
      z.string(),
      "it is not of type object; expected z.object({ … }) or a JSON Schema with type: 'object'",
    ],
    ['empty', {}, "it is not of type object; expected z.object({ … }) or a JSON Schema with type: 'object'"],
    ['nothing', null, "it is not of type object; expected z.object({ … }) or a JSON Schema with type: 'object'"],
  ])('[FIRST-305] %s says what it is and what to write', (_what, schema, why) => {
    expect(() => parse(schema)).toThrow(refusal(`tool report: input cannot be used: ${why}`));
    expect(() => toRequest({ message: 'Really?', schema })).toThrow(
      refusal(`ask: schema cannot be used to check answers: ${why}`),
    );
  });
});

describe('a schema that can be used', () => {
  it('[FIRST-306] is zod, small zod, JSON Schema, or one of another library that gives JSON Schema', () => {
    expect(parse(z.object({ n: z.coerce.number() })).parse({ n: '5' })).toEqual({ n: 5 });
    expect(parse(mini.object({ n: mini.number() })).parse({ n: 5 })).toEqual({ n: 5 });
    const json = { type: 'object', properties: { n: { type: 'number' } } };
    expect(parse(json).parse({ n: 5 })).toEqual({ n: 5 });
    const foreign = parse(toForeign(json));
    expect(foreign.json).toEqual(json);
    expect(foreign.parse({ n: '5' })).toEqual({ n: 5 });
    expect(() => foreign.parse({ n: 'x' })).toThrow('n: no number');
  });

  it('[FIRST-306] keeps what was said of its fields', () => {
    const { json } = parse(z.object({ year: z.number().describe('four digits') }));
    expect(json).toMatchObject({ properties: { year: { description: 'four digits' } } });
  });
});

describe('a value that does not fit the output of its tool', () => {
  const defaults = { name: 'test', inlineMs: 0, joinMs: 0, asyncTask: undefined };

  it('[FIRST-307] names the tool, the field and what is expected', () => {
    const definition = { output: z.object({ pages: z.number() }), run: () => ({ pages: 1 }) };
    const tool = parseServerTool('report', definition as never, defaults);
    expect(() => tool.parseOutput?.({ pages: 'many' })).toThrow(
      expect.objectContaining({
        code: 'TOOL_FAILED',
        message: expect.stringMatching(/^tool report: what it returned does not fit its output: .*number.*pages/s),
      }),
    );
  });
});
