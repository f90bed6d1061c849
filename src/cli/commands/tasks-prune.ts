import type { Store } from '../../store/contract.ts';
import type { SweepRequest, Swept } from '../../store/task-contract.ts';
import type { Command } from '../command.ts';
import { parseDuration } from '../duration.ts';

const BATCH = 500;
// No tombstone is as old as this.
const NEVER = 0;

/** Drops finished tasks, and on request their tombstones, until nothing is left to drop. */
export const tasksPrune: Command = {
  readOnly: false,
  async run({ store, values, terminal }) {
    const age = values['older-than'];
    const ageMs = age === undefined ? undefined : parseDuration(age, '--older-than');
    const expiry = { expiresBefore: Date.now(), ...(ageMs === undefined ? {} : { endedBefore: Date.now() - ageMs }) };
    const dropped = await sweepAll(store, { ...expiry, tombstonesBefore: NEVER });
    // Only now, so that without an age the tombstones just made are forgotten too.
    const forgotten = values.tombstones
      ? await sweepAll(store, { expiresBefore: NEVER, tombstonesBefore: Date.now() - (ageMs ?? 0) })
      : NOTHING;
    const swept = add(dropped, forgotten);
    if (terminal.json) terminal.printJson(swept);
    else terminal.print(`${swept.expired} expired, ${swept.forgotten} forgotten, ${swept.trimmed} events trimmed`);
    return 0;
  },
};

const NOTHING: Swept = { expired: 0, forgotten: 0, trimmed: 0 };

// In batches: one large transaction would hold up the servers that run on the store.
async function sweepAll(store: Store, request: Omit<SweepRequest, 'limit'>): Promise<Swept> {
  let total = NOTHING;
  for (;;) {
    const swept = await store.tasks.sweep({ ...request, limit: BATCH });
    if (swept.expired + swept.forgotten + swept.trimmed === 0) return total;
    total = add(total, swept);
  }
}

function add(a: Swept, b: Swept): Swept {
  return { expired: a.expired + b.expired, forgotten: a.forgotten + b.forgotten, trimmed: a.trimmed + b.trimmed };
}
