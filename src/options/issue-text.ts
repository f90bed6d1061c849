import type { z } from 'zod';
import { type FieldRefusal, toUnknownText } from '../invalid-field.ts';
import { toValueText } from '../text/value-text.ts';

/** Whose options are parsed, for the error message. */
export interface OptionsPlace {
  /** Prefix of the error message: `tool report`, or the file. */
  readonly of?: string;
  /** The field that is parsed; its members are named below it: `limits` gives `limits.maxTtlMs`. */
  readonly field?: string;
  /** What to call the value as a whole when it is not a field. @default 'the options' */
  readonly whole?: string;
}

/** What a schema adds to its expectation when it refuses a value. */
export interface RefusalParams {
  /** Replaces `is VALUE` in the message: for secrets, which are never repeated, and where the value would explain nothing. */
  readonly says?: string;
}

type Issue = z.core.$ZodIssue;
type Path = readonly PropertyKey[];

/**
 * Converts zod issues into an error of the form `field is VALUE; expected …`.
 *
 * Only the first issue is reported, except that an unknown field has precedence: it is probably the misspelt name of one that is
 * missing elsewhere. The message of an issue is what its schema expects.
 */
export function toRefusal(issues: readonly Issue[], value: unknown, place: OptionsPlace = {}): FieldRefusal {
  const issue = issues.find(({ code }) => code === 'unrecognized_keys') ?? issues[0];
  if (issue === undefined) throw new TypeError('a schema refused a value and gave no reason');
  return { of: place.of, ...toOne(issue, { value, place }) };
}

interface Given {
  readonly value: unknown;
  readonly place: OptionsPlace;
}

function toOne(issue: Issue, given: Given): FieldRefusal {
  const { value, place } = given;
  const expected = toExpected(issue.message);
  if (issue.code === 'unrecognized_keys') {
    const [name = ''] = issue.keys;
    return {
      field: toFieldText([...issue.path, name], place),
      says: toUnknownText(name, expected.split(', ')),
      expected,
    };
  }
  if (issue.code === 'invalid_key') {
    const field = `a key of ${toFieldText(issue.path.slice(0, -1), place)}`;
    const [inner = issue] = issue.issues;
    const { says = `is ${toValueText(issue.path.at(-1))}` } = readParams(inner);
    return { field, says, expected: toExpected(inner.message) };
  }
  if (issue.code === 'invalid_union') {
    const inner = findMeant(issue.errors);
    if (inner) return toOne({ ...inner, path: [...issue.path, ...inner.path] }, given);
  }
  const { says = `is ${toValueText(readAt(value, issue.path))}` } = readParams(issue);
  return { field: toFieldText(issue.path, place), says, expected };
}

function readParams(issue: Issue): RefusalParams {
  return issue.code === 'custom' ? (issue.params ?? {}) : {};
}

/**
 * Returns the issue of the union branch that the value was meant for: the only branch with issues in the members rather than in
 * the type of the value.
 */
function findMeant(ways: readonly (readonly Issue[])[]): Issue | undefined {
  const meant = ways.filter((issues) => issues.every(({ path }) => path.length > 0));
  return meant.length === 1 ? meant[0]?.[0] : undefined;
}

/** Returns the message of a schema; for a schema without one, what zod says it expects. */
function toExpected(message: string): string {
  return /^(?:Invalid|Too) .*?expected (.*?)(?:, received .*)?$/s.exec(message)?.[1] ?? message;
}

function toFieldText(path: Path, { field = '', whole = 'the options' }: OptionsPlace): string {
  const text = path.reduce<string>(addPart, field);
  return text === '' ? whole : text;
}

function addPart(text: string, part: PropertyKey): string {
  if (typeof part === 'number') return `${text}[${part}]`;
  const name = String(part);
  if (/^[A-Za-z_$][\w$-]*$/.test(name)) return text === '' ? name : `${text}.${name}`;
  return `${text}[${/^[\w./~-]+$/.test(name) ? name : toValueText(name)}]`;
}

function readAt(value: unknown, path: Path): unknown {
  return path.reduce((found, part) => (found as Readonly<Record<PropertyKey, unknown>> | null)?.[part], value);
}
