import { endGroups } from '../../process/process-group.ts';
import { isHere } from '../../process/process-ref.ts';
import type { Store } from '../../store/contract.ts';
import type { ProcessGroupRef } from '../../store/contracts/worker-contract.ts';

const GRACE_MS = 500;

/**
 * Ends the groups that a worker left on this host, and removes those that are gone from the registry. Groups that cannot
 * be checked from here stay on record for processes that can. Returns the groups that could not be ended.
 */
export async function endLeftGroups(store: Store, groups: readonly ProcessGroupRef[]): Promise<ProcessGroupRef[]> {
  const states = await endGroups(groups, { graceMs: GRACE_MS });
  const gone = groups.filter((group) => states.get(group) === 'gone' && isOurs(store, group));
  await Promise.all(gone.map(({ workerId, pid }) => store.workers.untrack(workerId, pid)));
  return groups.filter((group) => states.get(group) === 'ours');
}

/**
 * Whether a missing group can be forgotten. A group of another boot is gone if it was on this machine, which is certain
 * only on a store of one machine. Otherwise it may be on a live machine of the same name: it stays, and is removed by its
 * age.
 */
function isOurs(store: Store, group: ProcessGroupRef): boolean {
  return store.isShared !== true || isHere(group);
}
