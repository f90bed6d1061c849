/** The compiler's part of these claims is checked by `tsc -p test`: an expected error that does not come is one. */
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { RefusalParams } from '../../src/options/issue-text.ts';
import { onlyFields, text, whole } from '../../src/options/option-schemas.ts';
import { type OptionsShape, optionsParser } from '../../src/options/options-parser.ts';

const secret = z.custom<string>((given) => typeof given === 'string' && given.length > 3, {
  error: 'a text of 4 or more characters',
  params: { says: 'is not usable' } satisfies RefusalParams,
});

const parse = optionsParser(() =>
  onlyFields({
    name: text(),
    retry: z.object({ delays: z.array(whole(1), 'a list of times') }, 'an object').optional(),
    shown: z.union([z.boolean(), z.object({ as: text() })], 'true, false or { as }').optional(),
    weights: z.record(z.string().regex(/^\./, 'an extension'), z.number('a number'), 'an object').optional(),
    paper: z.number().min(1).optional(),
    secret: secret.optional(),
  }),
);

describe('options that do not fit their schema', () => {
  it.each([
    ['a missing field', {}, 'name is undefined; expected a non-empty text'],
    ['no object', 7, 'the options is 7; expected an object'],
    ['nothing', undefined, 'the options is undefined; expected an object'],
    ['a field in a field', { name: 'a', retry: 5 }, 'retry is 5; expected an object'],
    ['no list', { name: 'a', retry: { delays: '5' } }, 'retry.delays is "5"; expected a list of times'],
    [
      'an element of a list',
      { name: 'a', retry: { delays: [1, 0.5] } },
      'retry.delays[1] is 0.5; expected a whole number from 1 up',
    ],
    ['none of several kinds', { name: 'a', shown: 'yes' }, 'shown is "yes"; expected true, false or { as }'],
    ['a field of one of several kinds', { name: 'a', shown: { as: 7 } }, 'shown.as is 7; expected a non-empty text'],
    ['a key', { name: 'a', weights: { md: 1 } }, 'a key of weights is "md"; expected an extension'],
    ['a member', { name: 'a', weights: { '.md': 'x' } }, 'weights[.md] is "x"; expected a number'],
    [
      'a member whose name is no word',
      { name: 'a', weights: { '. ]': 'x' } },
      'weights[". ]"] is "x"; expected a number',
    ],
    [
      'an unknown field, before what is missing',
      { nane: 'a' },
      'nane is not known (did you mean name?); expected name, retry, shown, weights, paper, secret',
    ],
    ['what zod itself says', { name: 'a', paper: 'x' }, 'paper is "x"; expected number'],
    ['a bound that zod itself tells', { name: 'a', paper: 0 }, 'paper is 0; expected number to be >=1'],
  ])('[ROOMS-300] %s is named with its value and what is expected', (_what, options, message) => {
    expect(() => parse(options)).toThrow(expect.objectContaining({ code: 'INVALID_ARGUMENT', message }));
  });

  it('[ROOMS-301] name whose they are, and the field for programs', () => {
    const refusal = {
      message: 'tool report: retry.name is ""; expected a non-empty text',
      data: { field: 'retry.name' },
    };
    expect(() => parse({ name: '' }, { of: 'tool report', field: 'retry' })).toThrow(expect.objectContaining(refusal));
    expect(() => parse([], { whole: 'the config' })).toThrow('the config is []; expected an object');
  });

  it('[ROOMS-302] are not repeated where they may be secret', () => {
    expect(() => parse({ name: 'a', secret: 'pw1' })).toThrow(
      expect.objectContaining({ message: 'secret is not usable; expected a text of 4 or more characters' }),
    );
  });
});

describe('a schema of options', () => {
  it('[ROOMS-303] is made at its first use, once', () => {
    let made = 0;
    const parseOnce = optionsParser(() => {
      made += 1;
      return z.object({ a: whole(0).default(5) });
    });
    expect(made).toBe(0);
    expect([parseOnce({}), parseOnce({ a: 1 })]).toEqual([{ a: 5 }, { a: 1 }]);
    expect(made).toBe(1);
  });

  it('[ROOMS-304] has every field of the documented type, and no other', () => {
    interface Documented {
      readonly name: string;
      readonly ms?: number;
    }
    const whole0 = whole(0).optional();
    const shape = { name: text(), ms: whole0 } satisfies OptionsShape<Documented>;
    // @ts-expect-error a field is missing
    const lacking = { name: text() } satisfies OptionsShape<Documented>;
    // @ts-expect-error a field is too much
    const excess = { name: text(), ms: whole0, s: whole0 } satisfies OptionsShape<Documented>;
    // @ts-expect-error a field is of another type
    const other = { name: whole(0), ms: whole0 } satisfies OptionsShape<Documented>;
    expect([shape, lacking, excess, other].map((one) => Object.keys(one).length)).toEqual([2, 1, 3, 2]);
  });
});
