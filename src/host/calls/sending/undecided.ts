import type { Reply } from '../../../dialects/host-port.ts';

/**
 * Whether a refusal says nothing of the work: a server of ours could not use its store. A commit that failed may still have
 * reached the disk, and an earlier sending may have been taken before there was trouble. Such a server knows the call by its
 * key, so it can be asked again. One that names a task tells how its work ended, also if that was trouble with a store.
 */
export function isUndecided(reply: Reply, isRepeat: boolean): reply is Reply & { readonly kind: 'error' } {
  if (reply.kind !== 'error') return false;
  const { code, taskId } = (reply.error.data ?? {}) as { readonly code?: unknown; readonly taskId?: unknown };
  if (taskId !== undefined) return false;
  return typeof code === 'string' && code.startsWith('STORE_') && (isRepeat || code === 'STORE_FAILED');
}
