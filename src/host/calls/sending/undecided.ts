import type { Reply } from '../../../dialects/host-port.ts';

/**
 * Whether an error response says nothing about the work because a Holdfast server could not use its store. A failed commit may
 * still have reached the disk, and an earlier request may have been accepted before the store failed. Such a server recognises
 * the call by its key, so it can be asked again. An error that names a task is decided: it says how its work ended, even if a
 * store error caused that.
 */
export function isUndecided(reply: Reply, isRepeat: boolean): reply is Reply & { readonly kind: 'error' } {
  if (reply.kind !== 'error') return false;
  const { code, taskId } = (reply.error.data ?? {}) as { readonly code?: unknown; readonly taskId?: unknown };
  if (taskId !== undefined) return false;
  return typeof code === 'string' && code.startsWith('STORE_') && (isRepeat || code === 'STORE_FAILED');
}
