import { currentProcess, isAlive, type ProcessRef } from '../../process/process-ref.ts';
import { makeToken } from '../../task/id.ts';

/** Whom a call belongs to that nobody follows. */
export const NOBODY = '';

/** Names a host of this process in the ledger. */
export function makeOwner(): string {
  return toOwner(currentProcess());
}

/** Names a process in the ledger. */
export function toOwner({ host, pid, startTime }: ProcessRef): string {
  return JSON.stringify([host, pid, startTime, makeToken()]);
}

/** Whether somebody else may take over what belongs to this host; nothing when it cannot be told from here. */
export function isLost(owner: string): boolean | undefined {
  if (owner === NOBODY) return true;
  const [host, pid, startTime] = JSON.parse(owner) as [string, number, string];
  const isRunning = isAlive({ host, pid, startTime });
  return isRunning === undefined ? undefined : !isRunning;
}
