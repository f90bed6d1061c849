import { currentProcess, isAlive, type ProcessRef } from '../../process/process-ref.ts';
import { makeToken } from '../../task/id.ts';

/** The owner of a call that no host follows. */
export const NOBODY = '';

/** Makes an owner name for a host of this process. */
export function makeOwner(): string {
  return toOwner(currentProcess());
}

/** Makes an owner name for a host of the given process. */
export function toOwner({ host, pid, startTime }: ProcessRef): string {
  return JSON.stringify([host, pid, startTime, makeToken()]);
}

/** Whether another host may take over what belongs to this owner; `undefined` when it cannot be checked from here. */
export function isLost(owner: string): boolean | undefined {
  if (owner === NOBODY) return true;
  const [host, pid, startTime] = JSON.parse(owner) as [string, number, string];
  const isRunning = isAlive({ host, pid, startTime });
  return isRunning === undefined ? undefined : !isRunning;
}
