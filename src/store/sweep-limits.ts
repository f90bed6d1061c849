import type { SweepRequest } from './contracts/task-contract.ts';
import type { StoreTime } from './store-clock.ts';

/** Up to when things that began before `movedAt` have had their time for certain. */
export interface SureLimits {
  readonly expiresUpTo: number;
  readonly tombstonesUpTo: number;
  readonly movedAt: number;
}

/** What somebody asks for by name is not held back: they know what they do. */
export function toSure({ tombstonesBefore, by }: SweepRequest, { now, certain, movedAt }: StoreTime): SureLimits {
  const lagMs = by ? 0 : now - certain;
  return { expiresUpTo: by ? now : certain, tombstonesUpTo: tombstonesBefore - lagMs, movedAt };
}
