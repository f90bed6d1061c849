import { TaskError } from './errors.ts';
import { findNearName } from './text/near-name.ts';
import { toValueText } from './text/value-text.ts';

/** Why a field is refused. */
export interface FieldRefusal {
  /** The owner of the field: `tool report`, or a file. */
  readonly of?: string | undefined;
  readonly field: string;
  /** What is wrong with it: `is VALUE`, or other words when the value must not be shown. */
  readonly says: string;
  readonly expected: string;
}

/** Returns the error for an unusable option or configuration field. Not for secrets: it repeats the value. */
export function invalidField(field: string, value: unknown, expected: string): TaskError {
  return refusedField({ field, says: `is ${toValueText(value)}`, expected });
}

/** Says that a field is unknown, and suggests the known name it resembles, if any. */
export function toUnknownText(name: string, known: readonly string[]): string {
  const near = findNearName(name, known);
  return near === undefined ? 'is not known' : `is not known (did you mean ${near}?)`;
}

/**
 * Rejects an unknown field, because a misspelt option would otherwise be ignored silently. For options that are read
 * without a schema.
 */
export function refuseUnknownFields(given: object, known: Readonly<Record<string, unknown>>, of?: string): void {
  const field = Object.keys(given).find((name) => !Object.hasOwn(known, name));
  if (field === undefined) return;
  const names = Object.keys(known);
  throw refusedField({ of, field, says: toUnknownText(field, names), expected: names.join(', ') });
}

/** Like `invalidField`, for a value that does not show what is wrong or must not be shown. */
export function refusedField({ of, field, says, expected }: FieldRefusal): TaskError {
  const message = `${of === undefined ? '' : `${of}: `}${field} ${says}; expected ${expected}`;
  return new TaskError('INVALID_ARGUMENT', message, { data: { field } });
}
