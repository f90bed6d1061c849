import { TaskError } from './errors.ts';
import { toValueText } from './value-text.ts';

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

/** The same where the value does not say what is wrong, or nobody may see it. */
export function refusedField({ of, field, says, expected }: FieldRefusal): TaskError {
  const message = `${of === undefined ? '' : `${of}: `}${field} ${says}; expected ${expected}`;
  return new TaskError('INVALID_ARGUMENT', message, { data: { field } });
}
