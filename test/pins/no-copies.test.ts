import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const src = fileURLToPath(new URL('../../src/', import.meta.url));

/** What there is one of, what a copy of it looks like, and the file that has it. */
const ONES: readonly [what: string, copy: RegExp, files: readonly string[]][] = [
  [
    'test for objects',
    /\bfunction (?:isObject|isRecord|isMembers)\b|\bconst (?:isObject|isRecord) =/,
    ['is-object.ts'],
  ],
  [
    'test for objects, written out',
    /\b(\w+) !== null && typeof \1 === 'object' && !Array\.isArray\(\1\)|\btypeof (\w+) === 'object' && \2 !== null && !Array\.isArray\(\2\)|\b(\w+) === null \|\| typeof \3 !== 'object' \|\| Array\.isArray\(\3\)/,
    ['is-object.ts'],
  ],
  ['maker of errors about fields', /\bfunction (?:invalid|invalidField|fieldError)\(/, ['invalid-field.ts']],
  ['text of such an error', /'INVALID_ARGUMENT',\s*`(?:[^`$]|\$\{[^}]*\})* is \$\{toValueText\([^`]*; expected /, []],
  ['reader of lines', /\bclass Line(?:Reader|Splitter|Cutter)\b[^}]*\bindexOf\(/s, []],
];

const files = readdirSync(src, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.ts'));

describe('there is one', () => {
  it.each(ONES)('[ROOMS-307] %s', (_what, copy, allowed) => {
    const found = files.filter((file) => copy.test(readFileSync(join(src, file), 'utf8')));
    expect(found.toSorted()).toEqual(allowed);
  });

  it('[ROOMS-307] and a copy is known when it is seen', () => {
    const copies = [
      'function isRecord(value: unknown): value is Row {',
      "return value !== null && typeof value === 'object' && !Array.isArray(value);",
      'function invalid(field: string, value: unknown, expected: string): TaskError {',
      ["throw new TaskError('INVALID_ARGUMENT', `limit is $", '{toValueText(limit)}; expected more`);'].join(''),
    ];
    expect(copies.map((line) => ONES.findIndex(([, copy]) => copy.test(line)))).toEqual([0, 1, 2, 3]);
  });
});
