import { isTaskError, type TaskError } from '../errors.ts';

/**
 * Whether the store will never take anything from this process again, so that trying on is of no use.
 *
 * Migrations only go forward: what has once been refused to an older build always will be. A file that is gone may come
 * back, unless another one has its name. What was copied elsewhere goes on there.
 */
export function isFinalRefusal(error: unknown): error is TaskError {
  if (isTaskError(error, 'STORE_GONE')) return error.data?.final === true;
  return isTaskError(error, 'STORE_SCHEMA_NEWER') || isTaskError(error, 'STORE_MOVED');
}
