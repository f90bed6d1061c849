import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { invalidField } from '../src/invalid-field.ts';
import { isObject } from '../src/is-object.ts';
import { RPC_CODES } from '../src/rpc-codes.ts';
import { cutText, shorten } from '../src/text/cut-text.ts';
import { toValueText } from '../src/text/value-text.ts';

describe('the leaves', () => {
  it('[ROOMS-253] an object has members: no list, not null, no function', () => {
    const values = [{}, { a: 1 }, Object.create(null), [], null, undefined, 'text', () => {}];
    expect(values.map((value) => isObject(value))).toEqual([true, true, true, false, false, false, false, false]);
  });

  it.each([
    ['a', 'field is "a"; expected a number'],
    [Number.NaN, 'field is NaN; expected a number'],
    [undefined, 'field is undefined; expected a number'],
    [null, 'field is null; expected a number'],
    [{ a: ['b'] }, "field is { a: [ 'b' ] }; expected a number"],
    [10n, 'field is 10n; expected a number'],
    ['x'.repeat(300), `field is "${'x'.repeat(200)}…"; expected a number`],
  ])('[ROOMS-254] a field that cannot be used is named with its value and what is expected: %#', (value, message) => {
    expect(invalidField('field', value, 'a number')).toMatchObject({ code: 'INVALID_ARGUMENT', message });
  });

  it('[ROOMS-254] what JSON cannot write is shown all the same', () => {
    const loop: Record<string, unknown> = {};
    loop.self = loop;
    expect(toValueText(loop)).toContain('Circular');
    expect(toValueText({ n: 1n })).toBe('{ n: 1n }');
  });

  it('[ROOMS-255] a text is never cut within a character, and may show that it was', () => {
    expect(cutText('a😀b', 2)).toBe('a');
    expect(shorten('a😀b', 2)).toBe('a…');
    expect(shorten('ab', 2)).toBe('ab');
  });

  it('[ROOMS-256] no code of JSON-RPC is a bare number outside their file and the apps', () => {
    const src = new URL('../src', import.meta.url).pathname;
    const files = readdirSync(src, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.ts'));
    const isCode = new RegExp(`^(?!\\s*(?:\\*|//|/\\*))[^'\`]*(?:${Object.values(RPC_CODES).join('|')})\\b`, 'm');
    const bare = files.filter((file) => isCode.test(readFileSync(join(src, file), 'utf8')));
    expect(bare.filter((file) => file !== 'rpc-codes.ts' && !file.startsWith('apps/'))).toEqual([]);
  });
});
