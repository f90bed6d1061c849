import { TaskError } from '../../errors.ts';
import type { Json } from '../../task/json.ts';
import { toValueText } from '../../text/value-text.ts';

/** The value as JSON carries it, so that what is given back is what a restart would find. */
export function toKept(what: string, value: unknown, { isSecret = false } = {}): Json {
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
