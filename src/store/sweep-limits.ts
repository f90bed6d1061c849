import type { SweepRequest } from './contracts/task-contract.ts';
import type { StoreTime } from './store-clock.ts';

/** Up to when things that began before `movedAt` have certainly had their time. */
export interface SureLimits {
  readonly expiresUpTo: number;
  readonly tombstonesUpTo: number;
  readonly movedAt: number;
}

/** Uncertain time does not hold back a sweep that an actor requested: it is deliberate. */
export function toSure({ tombstonesBefore, by }: SweepRequest, { now, certain, movedAt }: StoreTime): SureLimits {
  const lagMs = by ? 0 : now - certain;
  return { expiresUpTo: by ? now : certain, tombstonesUpTo: tombstonesBefore - lagMs, movedAt };
}
