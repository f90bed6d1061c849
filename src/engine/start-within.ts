import { invalidField } from '../invalid-field.ts';
import { toStorableNumber } from './storable-number.ts';

/** The valid values, for error messages. */
export const START_WITHIN_EXPECTED = 'a whole number of milliseconds above 0, or null for no limit';

export function isStartWithin(value: unknown): value is number | null {
  return value === null || value === Infinity || (Number.isInteger(value) && (value as number) > 0);
}

/** Parses how long a task may wait for its first attempt; `null` is for ever. */
export function parseStartWithin(value: unknown): number | null {
  if (!isStartWithin(value)) throw invalidField('startWithinMs', value, START_WITHIN_EXPECTED);
  return value === null || value === Infinity ? null : toStorableNumber(value);
}
