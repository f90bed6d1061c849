import { TaskError } from './errors.ts';
import { toValueText } from './value-text.ts';

/** The error for a field of options or of a configuration that cannot be used. Not for secrets: it repeats the value. */
export function invalidField(field: string, value: unknown, expected: string): TaskError {
  return new TaskError('INVALID_ARGUMENT', `${field} is ${toValueText(value)}; expected ${expected}`);
}
