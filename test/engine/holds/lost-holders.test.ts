import { expect, it } from 'vitest';
import { createLostHolderCheck } from '../../../src/engine/holds/lost-holders.ts';
import { SHARED_ANNOUNCE_MS, SHARED_UNSEEN_MS } from '../../../src/engine/program/stranded.ts';
import { currentProcess } from '../../../src/process/process-ref.ts';
import type { Store } from '../../../src/store/contract.ts';
import { createMemoryStore } from '../../../src/store/memory/memory-store.ts';
import { createFakeClock, type FakeClock } from '../../../src/testing/fake-clock.ts';

const AWAY = { host: 'elsewhere/pid:[1]', pid: 7, startTime: 'boot/5' };
const toHolder = ({ host, pid, startTime }: typeof AWAY) => JSON.stringify([host, pid, startTime, 1]);

function open({ isShared }: { isShared: boolean }): { store: Store; clock: FakeClock } {
  const clock = createFakeClock();
  return { clock, store: Object.assign(createMemoryStore({ clock }), { isShared }) };
}

const announce = (store: Store) =>
  store.programs.announce({ servingId: 's', identity: 'i', name: 'n', base: 'b', tools: [], process: AWAY });

it('[PG-220] who holds calls on another machine is lost once it has not said for a while that it serves', async () => {
  const { store, clock } = open({ isShared: true });
  await announce(store);
  const isLost = () => createLostHolderCheck(store)(toHolder(AWAY));
  await clock.advance(SHARED_UNSEEN_MS - 1);
  expect(await isLost()).toBe(false);
  await announce(store);
  await clock.advance(SHARED_UNSEEN_MS - 1);
  expect(await isLost()).toBe(false);
  await clock.advance(1);
  expect(await isLost()).toBe(true);
  expect(SHARED_UNSEEN_MS).toBeGreaterThan(4 * SHARED_ANNOUNCE_MS);
});

it('[PG-220] one that is not known yet is not lost at once, nor is one of a store that no other machine is on', async () => {
  const shared = open({ isShared: true });
  expect(await createLostHolderCheck(shared.store)(toHolder(AWAY))).toBe(false);
  const single = open({ isShared: false });
  await announce(single.store);
  await single.clock.advance(10 * SHARED_UNSEEN_MS);
  expect(await createLostHolderCheck(single.store)(toHolder(AWAY))).toBe(false);
});

it('[PG-220] of this machine it is seen: this process lives, one that ended does not', async () => {
  const { store } = open({ isShared: true });
  const isLost = createLostHolderCheck(store);
  const self = currentProcess();
  expect(await isLost(toHolder(self))).toBe(false);
  expect(await isLost(toHolder({ ...self, pid: 2 ** 22 + 1 }))).toBe(true);
});
