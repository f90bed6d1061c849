/**
 * The fair share: how many slots of a worker one principal may hold.
 *
 * Without a limit set by the owner it depends on the free slots: a principal that holds many gets no more while few are
 * free, so there is a slot for a newcomer, however long the others' tasks run. Alone, a principal gets three quarters;
 * two get seven of sixteen each. The same applies to the slots of a tool that has a limit of its own.
 */
import { SLOTS_PER_FREE_SLOT } from '../../limits.ts';
import { type LimitSettings, limitsOf } from '../limit-options.ts';

/** Slots a principal holds, and slots that are free. */
export interface SlotCount {
  readonly held: number;
  readonly left: number;
}

/** A request for one more slot for a principal: counted over all tools, and over its tool. */
export interface SlotRequest {
  readonly all: SlotCount;
  readonly tool: SlotCount;
}

export type MayTake = (principal: string, request: SlotRequest) => boolean;

export function createFairShare(limits: LimitSettings): MayTake {
  return (principal, { all, tool }) => {
    const { running } = limitsOf(limits, principal);
    if (running !== undefined) return all.held < running;
    return leavesRoom(all) && leavesRoom(tool);
  };
}

function leavesRoom({ held, left }: SlotCount): boolean {
  return held === 0 || (left > 1 && held < SLOTS_PER_FREE_SLOT * left);
}
