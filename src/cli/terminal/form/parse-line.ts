/**
 * Parses a typed line into the value of a field, or into a message about what is wrong.
 *
 * Patterns and formats are left to the server: an untrusted regular expression may take for ever.
 */
import type { Json } from '../../../task/json.ts';
import type { Parsed } from '../ask-field.ts';
import type { Choice, Scalar, Shape } from './form-field.ts';

type Limits = Readonly<Record<string, unknown>>;
type LineShape = Exclude<Shape, { readonly kind: 'group' }>;

// A server may list thousands of choices; its documentation is the place for all of them.
const SHOWN_CHOICES = 30;

/** A description of what is expected on the line. */
export function toExpected(shape: LineShape): string | undefined {
  switch (shape.kind) {
    case 'list': {
      const one = toExpected(shape.of);
      return one === undefined ? 'several, with commas' : `some of ${one}, with commas`;
    }
    case 'choice':
      return toChoicesText(shape.choices);
    case 'json':
      return `JSON such as ${JSON.stringify(shape.example)}`;
    case 'text':
    case 'boolean':
    case 'number':
    case 'integer':
      return EXPECTED[shape.kind];
  }
}

const EXPECTED = { text: undefined, boolean: 'yes or no', number: 'a number', integer: 'a whole number' } as const;

export function parseLine(line: string, shape: LineShape): Parsed<Json> {
  if (shape.kind === 'list') return parseList(line, shape);
  return shape.kind === 'json' ? parseJson(line) : parseScalar(line, shape);
}

function parseList(line: string, { of, limits }: Extract<Shape, { kind: 'list' }>): Parsed<Json> {
  const parts = line.split(',').map((part) => parseScalar(part.trim(), of));
  const wrong = parts.find((part) => 'wrong' in part);
  if (wrong) return wrong;
  const value = parts.flatMap((part) => ('value' in part ? [part.value] : []));
  return check(value, [
    [isBelow(value.length, limits.minItems), `at least ${limits.minItems}, with commas`],
    [isAbove(value.length, limits.maxItems), `at most ${limits.maxItems}`],
  ]);
}

export function parseJson(text: string): Parsed<Json> {
  try {
    return { value: JSON.parse(text) as Json };
  } catch (error) {
    return { wrong: `this is no JSON: ${(error as Error).message}` };
  }
}

function parseScalar(line: string, shape: Scalar): Parsed<Json> {
  const text = line.trim();
  switch (shape.kind) {
    case 'choice':
      return parseChoice(text, shape.choices);
    case 'boolean':
      return /^(y|yes|true|n|no|false)$/i.test(text) ? { value: /^[yt]/i.test(text) } : expected('yes or no');
    case 'number':
    case 'integer':
      return parseNumber(text, shape);
    case 'text':
      return check(line, [
        [isBelow(toLength(line), shape.limits.minLength), `at least ${shape.limits.minLength} characters`],
        [isAbove(toLength(line), shape.limits.maxLength), `at most ${shape.limits.maxLength} characters`],
      ]);
  }
}

function parseNumber(text: string, { kind, limits }: { kind: string; limits: Limits }): Parsed<Json> {
  const value = text === '' ? Number.NaN : Number(text);
  if (kind === 'integer' && !Number.isSafeInteger(value)) return expected('a whole number');
  if (!Number.isFinite(value)) return expected('a number');
  const { minimum, maximum, exclusiveMinimum: above, exclusiveMaximum: below } = limits;
  return check(value, [
    [isBelow(value, minimum), `${minimum} or more`],
    [isAbove(value, maximum), `${maximum} or less`],
    [typeof above === 'number' && value <= above, `more than ${above}`],
    [typeof below === 'number' && value >= below, `less than ${below}`],
  ]);
}

/** Matches by value or title; case is ignored unless that matches several. */
function parseChoice(text: string, choices: readonly Choice[]): Parsed<Json> {
  const exact = choices.find(({ value }) => toChoiceText(value) === text);
  if (exact) return { value: exact.value };
  const isMeant = (name: string) => name.trim().toLowerCase() === text.toLowerCase();
  const meant = choices.filter(({ value, title = '' }) => isMeant(toChoiceText(value)) || isMeant(title));
  const [only] = meant;
  return only && meant.length === 1 && text !== ''
    ? { value: only.value }
    : expected(`one of ${toChoicesText(choices)}`);
}

function toChoicesText(choices: readonly Choice[]): string {
  const shown = choices.slice(0, SHOWN_CHOICES).map(({ value, title }) => {
    return title === undefined ? toChoiceText(value) : `${toChoiceText(value)} (${title})`;
  });
  return [...shown, ...(choices.length > SHOWN_CHOICES ? [`${choices.length - SHOWN_CHOICES} more`] : [])].join(', ');
}

function toChoiceText(value: Json): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

function check(value: Json, faults: readonly (readonly [isWrong: boolean, expected: string])[]): Parsed<Json> {
  const fault = faults.find(([isWrong]) => isWrong);
  return fault ? expected(fault[1]) : { value };
}

function expected(what: string): { readonly wrong: string } {
  return { wrong: `expected ${what}` };
}

function isBelow(value: number, limit: unknown): boolean {
  return typeof limit === 'number' && value < limit;
}

function isAbove(value: number, limit: unknown): boolean {
  return typeof limit === 'number' && value > limit;
}

/** Counts characters as JSON Schema does. */
function toLength(text: string): number {
  return [...text].length;
}
