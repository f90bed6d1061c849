import { TaskError } from '../../errors.ts';
import { toMinJsonBytes } from '../frames/json-size.ts';

/** Returns the result of a tool; throws if it is larger than the tool may return. */
export function checkResultSize<T>(result: T, maxBytes: number): T {
  const bytes = toMinJsonBytes(result);
  if (bytes <= maxBytes) return result;
  throw new TaskError(
    'RESULT_TOO_LARGE',
    `the result is at least ${bytes} bytes of JSON; expected at most ${maxBytes}: return a link to a file instead, or raise maxResultBytes`,
    { data: { bytes, maxBytes } },
  );
}
