import { toActor } from '../../../engine/actor.ts';
import { OPERATOR } from '../../../engine/principal.ts';
import type { Store } from '../../../store/contract.ts';
import type { SweepRequest, Swept } from '../../../store/contracts/task-contract.ts';
import type { TasksPruneContext } from './task-commands.ts';
import { type WithStore, withStore } from './with-store.ts';

const BATCH = 500;
// Older than every tombstone, so that none is deleted.
const NEVER = 0;

/** Deletes finished tasks, and on request their tombstones, until there are none left to delete. */
export function pruneTasks(context: TasksPruneContext): Promise<number> {
  return withStore(context, { readOnly: false, run });
}

async function run({ store, audit, values, terminal }: WithStore<TasksPruneContext>): Promise<number> {
  const by = toActor(OPERATOR);
  const age = values['older-than'];
  const { now } = store.time();
  const expiry = { expiresBefore: now, ...(age === undefined ? {} : { endedBefore: now - age.ms }) };
  const dropped = await sweepAll(store, { ...expiry, tombstonesBefore: NEVER, by });
  // In this order, so that without an age the tombstones just made are deleted too.
  const forgotten = values.tombstones
    ? await sweepAll(store, { expiresBefore: NEVER, tombstonesBefore: store.time().now - (age?.ms ?? 0), by })
    : NOTHING;
  const swept = add(dropped, forgotten);
  const reason = [age === undefined ? 'expired' : `older than ${age.text}`, values.tombstones && 'tombstones'];
  audit?.({
    at: store.time().now,
    action: 'pruned',
    by,
    expired: swept.expired,
    forgotten: swept.forgotten,
    reason: reason.filter(Boolean).join(', '),
  });
  if (terminal.json) terminal.printJson(swept);
  else terminal.print(`${swept.expired} expired, ${swept.forgotten} forgotten, ${swept.trimmed} events trimmed`);
  return 0;
}

const NOTHING: Swept = { expired: 0, forgotten: 0, trimmed: 0 };

// In batches: one large transaction would block the servers that use the store.
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
