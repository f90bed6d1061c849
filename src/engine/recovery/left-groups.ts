import { endGroups } from '../../process/process-group.ts';
import { isHere } from '../../process/process-ref.ts';
import type { Store } from '../../store/contract.ts';
import type { ProcessGroupRef } from '../../store/contracts/worker-contract.ts';

const GRACE_MS = 500;

/**
 * Ends what a worker has left on this host, and strikes out what is gone. What cannot be seen from here stays on record for
 * those who can. Returns what would not go.
 */
export async function endLeftGroups(store: Store, groups: readonly ProcessGroupRef[]): Promise<ProcessGroupRef[]> {
  const states = await endGroups(groups, { graceMs: GRACE_MS });
  const gone = groups.filter((group) => states.get(group) === 'gone' && isOurs(store, group));
  await Promise.all(gone.map(({ workerId, pid }) => store.workers.untrack(workerId, pid)));
  return groups.filter((group) => states.get(group) === 'ours');
}

/**
 * A group of another boot is gone, if it was one of this machine; that is certain only where the store is of one machine.
 * Otherwise it may be one of a live machine of the same name: it stays, and is forgotten by its age.
 */
function isOurs(store: Store, group: ProcessGroupRef): boolean {
  return store.isShared !== true || isHere(group);
}
