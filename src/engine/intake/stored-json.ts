import { TaskError } from '../../errors.ts';
import type { Json } from '../../task/json.ts';
import { toValueText } from '../../text/value-text.ts';

/** Returns the value as JSON restores it, so that the caller gets what would be found after a restart. */
export function toStoredJson(what: string, value: unknown, { isSecret = false } = {}): Json {
  let text: string | undefined;
  try {
    text = JSON.stringify(value);
  } catch (cause) {
    throw new TaskError(
      'INVALID_ARGUMENT',
      `${what} cannot be kept as JSON: ${isSecret ? 'a value has no JSON form' : toValueText(value)}`,
      { cause },
    );
  }
  if (text === undefined) {
    throw new TaskError('INVALID_ARGUMENT', `${what} cannot be kept as JSON: a ${typeof value} has no JSON form`);
  }
  return JSON.parse(text) as Json;
}
