import type { Change } from '../../store/contract.ts';

/** How work came to be there. */
export type Arrival = 'submitted' | 'requeued' | 'adopted';

/**
 * How the work came to be there that these changes leave to be claimed. A task that somebody has claimed or ended since
 * needs no look: one that shares the commit of its submit would else cost every task a second look for nothing.
 */
export function findRunnable(changes: readonly Change[]): ReadonlySet<Arrival> {
  const open = new Map<string, Arrival>();
  for (const { taskId, type } of changes) {
    if (type === 'submitted' || type === 'requeued' || type === 'adopted') open.set(taskId, type);
    else if (type === 'claimed' || type === 'ended') open.delete(taskId);
  }
  return new Set(open.values());
}
