import { expect } from 'vitest';

/** What notifications say of a run, as far as it is counted here. */
export interface ToldRun {
  readonly event?: {
    readonly seq: number;
    readonly from?: number;
    readonly event?: { type?: string; from?: number; to?: number };
  };
  readonly finalText?: string;
  readonly done?: boolean;
}

/** Counts events and those that were dropped; every number must be there, as one or the other. */
export function countEvents(told: readonly ToldRun[]): { readonly last: number; readonly dropped: number } {
  let next = 1;
  let dropped = 0;
  for (const { event } of told) {
    if (!event) continue;
    expect(event.from ?? event.seq).toBe(next);
    const { type, from = 0, to = 0 } = event.event ?? {};
    dropped += type === 'gap' ? to - from : 0;
    next = type === 'gap' ? to : event.seq + 1;
  }
  return { last: next - 1, dropped };
}
