import type { Change } from '../../store/contract.ts';

/** How a task became claimable. */
export type Arrival = 'submitted' | 'requeued' | 'adopted';

/**
 * Returns how the tasks that these changes leave to be claimed became claimable. A task that was claimed or ended since
 * needs no poll: otherwise every task that is claimed in the commit of its submit would cost a second, useless poll.
 */
export function findRunnable(changes: readonly Change[]): ReadonlySet<Arrival> {
  const open = new Map<string, Arrival>();
  for (const { taskId, type } of changes) {
    if (type === 'submitted' || type === 'requeued' || type === 'adopted') open.set(taskId, type);
    else if (type === 'claimed' || type === 'ended') open.delete(taskId);
  }
  return new Set(open.values());
}
