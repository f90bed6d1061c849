/**
 * Finds held calls that have lost their holder: the process that waited for them is gone.
 *
 * On this machine that can be checked. For another machine, the registry of serving processes shows it: where machines
 * share a store, every process reports there every few seconds. One that has not for a while is gone; one that never did
 * gets the same time, because it may be about to.
 */
import { currentProcess, isAlive, type ProcessRef } from '../../process/process-ref.ts';
import type { Store } from '../../store/contract.ts';
import { SHARED_UNSEEN_MS } from '../program/stranded.ts';

let self: ProcessRef | undefined;

/** Whether a wait belongs to this process. */
export function isOurs(by: string): boolean {
  self ??= currentProcess();
  return toName(toProcess(by)) === toName(self);
}

/** Returns a check for lost holders. Few processes hold many calls, so each process is checked once. */
export function createLostHolderCheck(store: Store): (by: string) => Promise<boolean> {
  const known = new Map<string, Promise<boolean>>();
  let servings: Promise<ReadonlyMap<string, number>> | undefined;
  const check = async (process: ProcessRef): Promise<boolean> => {
    const alive = isAlive(process);
    if (alive !== undefined || store.isShared !== true) return alive === false;
    servings ??= readServings(store);
    return isGone(store, toName(process), (await servings).get(toName(process)));
  };
  return async (by) => {
    // Most waits are of this process, which needs no check to know that it lives.
    if (isOurs(by)) return false;
    const process = toProcess(by);
    const lost = known.get(toName(process)) ?? check(process);
    known.set(toName(process), lost);
    return lost;
  };
}

/** Since when processes are missing in the registry, on the monotonic clock of this process. */
const absences = new WeakMap<Store, Map<string, number>>();
const MAX_ABSENT = 1000;

function isGone(store: Store, name: string, seenAt: number | undefined): boolean {
  const absent = absences.get(store) ?? new Map<string, number>();
  absences.set(store, absent);
  if (seenAt !== undefined) {
    absent.delete(name);
    return store.time().now - seenAt >= SHARED_UNSEEN_MS;
  }
  if (absent.size > MAX_ABSENT) absent.clear();
  const since = absent.get(name) ?? performance.now();
  absent.set(name, since);
  return performance.now() - since >= SHARED_UNSEEN_MS;
}

async function readServings(store: Store): Promise<ReadonlyMap<string, number>> {
  const newest = new Map<string, number>();
  for (const { process, seenAt } of await store.programs.servings()) {
    newest.set(toName(process), Math.max(seenAt, newest.get(toName(process)) ?? 0));
  }
  return newest;
}

function toProcess(by: string): ProcessRef {
  const [host, pid, startTime] = JSON.parse(by) as [string, number, string];
  return { host, pid, startTime };
}

function toName({ host, pid, startTime }: ProcessRef): string {
  return `${pid} ${startTime} ${host}`;
}
