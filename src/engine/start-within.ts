import { TaskError } from '../errors.ts';
import { toValueText } from '../value-text.ts';
import { toKeepable } from './keepable.ts';

/** How long a task may wait for its first attempt; `null` is for ever. @param of whose option it is, for the error */
export function parseStartWithin(value: unknown, of = ''): number | null {
  if (value === null || value === Infinity) return null;
  if (typeof value === 'number' && Number.isInteger(value) && value > 0) return toKeepable(value);
  const expected = 'a whole number of milliseconds above 0, or null for no limit';
  throw new TaskError('INVALID_ARGUMENT', `${of}startWithinMs is ${toValueText(value)}; expected ${expected}`);
}
