import { TaskError } from './errors.ts';
import { findNearName } from './text/near-name.ts';
import { toValueText } from './text/value-text.ts';

/** Why a field is refused. */
export interface FieldRefusal {
  /** Whose field it is: `tool report`, or a file. */
  readonly of?: string | undefined;
  readonly field: string;
  /** What is wrong with it: that it `is VALUE`, unless the value must not be shown. */
  readonly says: string;
  readonly expected: string;
}

/** The error for a field of options or of a configuration that cannot be used. Not for secrets: it repeats the value. */
export function invalidField(field: string, value: unknown, expected: string): TaskError {
  return refusedField({ field, says: `is ${toValueText(value)}`, expected });
}

/** That a field is not known, and which one was meant, if that can be told. */
export function toUnknownText(name: string, known: readonly string[]): string {
  const near = findNearName(name, known);
  return near === undefined ? 'is not known' : `is not known (did you mean ${near}?)`;
}

/**
 * Refuses options with a field that is not one of these: a misspelt one would not be there, and nobody would notice. For
 * options that are read without a schema.
 */
export function refuseUnknownFields(given: object, known: Readonly<Record<string, unknown>>, of?: string): void {
  const field = Object.keys(given).find((name) => !Object.hasOwn(known, name));
  if (field === undefined) return;
  const names = Object.keys(known);
  throw refusedField({ of, field, says: toUnknownText(field, names), expected: names.join(', ') });
}

/** The same where the value does not say what is wrong, or nobody may see it. */
export function refusedField({ of, field, says, expected }: FieldRefusal): TaskError {
  const message = `${of === undefined ? '' : `${of}: `}${field} ${says}; expected ${expected}`;
  return new TaskError('INVALID_ARGUMENT', message, { data: { field } });
}
