import { isTaskError, type TaskError } from '../errors.ts';

/**
 * Whether the store will never accept anything from this process again, so that a retry is useless.
 *
 * Migrations only go forward: what was refused to an older build once always will be. A file that is gone may come back,
 * unless another file has its name. A store that was copied elsewhere is continued there.
 */
export function isFinalRefusal(error: unknown): error is TaskError {
  if (isTaskError(error, 'STORE_GONE')) return error.data?.final === true;
  return isTaskError(error, 'STORE_SCHEMA_NEWER') || isTaskError(error, 'STORE_MOVED');
}
