import { currentProcess, type ProcessRef } from '../../process/process-ref.ts';
import type { Store } from '../../store/contract.ts';
import { isOurs } from '../holds/lost-holders.ts';

/**
 * Whether nothing in the store can need care before the next announcement: no task waits to be run, and every task that
 * runs and every call that is held belongs to this process.
 *
 * A worker that holds nothing may die unnoticed: a process that submits work for it announces that.
 */
export async function isStoreIdle({ store, identity }: { readonly store: Store; readonly identity: string }) {
  const holds = await store.holds.list();
  if (holds.some(({ by, cancelAt }) => by === undefined || cancelAt !== undefined || !isOurs(by))) return false;
  const { queued, leased } = await store.tasks.backlog(identity);
  if (queued > 0) return false;
  const self = currentProcess();
  const others = (await store.workers.list()).filter((worker) => !isSame(worker.process, self));
  return others.every((worker) => worker.identity === identity && worker.state === 'ready' && leased === 0);
}

function isSame(one: ProcessRef | undefined, other: ProcessRef): boolean {
  return one?.pid === other.pid && one.startTime === other.startTime && one.host === other.host;
}
