import { describe, expect, it } from 'vitest';
import { findRunnable } from '../../../src/engine/workers/announced-work.ts';
import type { Change } from '../../../src/store/contract.ts';

const change = (taskId: string, type: Change['type']): Change => ({ taskId, type });

describe('announced work', () => {
  it('[ROOMS-323] is to be looked for unless it was claimed or has ended by the same announcement', () => {
    expect([...findRunnable([change('a', 'submitted')])]).toEqual(['submitted']);
    expect([...findRunnable([change('a', 'submitted'), change('a', 'claimed')])]).toEqual([]);
    expect([...findRunnable([change('a', 'submitted'), change('a', 'ended')])]).toEqual([]);
    const mixed = [change('a', 'submitted'), change('b', 'submitted'), change('a', 'claimed'), change('c', 'adopted')];
    expect([...findRunnable(mixed)]).toEqual(['submitted', 'adopted']);
  });

  it('[ROOMS-323] is to be looked for when it was queued again after its claim', () => {
    const changes = [change('a', 'submitted'), change('a', 'claimed'), change('a', 'requeued')];
    expect([...findRunnable(changes)]).toEqual(['requeued']);
  });
});
