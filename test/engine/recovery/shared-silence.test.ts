import { describe, expect, it } from 'vitest';
import { BEAT_MS, LEASE_MS, LOOK_MS, openWatch } from '../open-watch.ts';

describe('a worker that does not beat, on a store that other machines are on', () => {
  it('[PG-250] is given up one beat after its lease, because it has stopped its work by then', async () => {
    const watch = await openWatch('memory');
    Object.assign(watch.store, { isShared: true });
    await watch.worker('silent');
    const observer = watch.observer();
    await observer.look((LEASE_MS + BEAT_MS) / LOOK_MS - 1);
    expect(await watch.isThere('silent')).toBe(true);
    await watch.clock.advance(LOOK_MS);
    await observer.look();
    expect(await watch.isThere('silent')).toBe(false);
  });

  it('[PG-250] is never given up before its lease is over, however late somebody begins to watch', async () => {
    const watch = await openWatch('memory');
    Object.assign(watch.store, { isShared: true });
    await watch.worker('silent');
    await watch.clock.advance(LEASE_MS / 2);
    await watch.observer().look(LEASE_MS / 2 / LOOK_MS);
    expect(await watch.isThere('silent')).toBe(true);
    expect((await watch.store.workers.list())[0]?.silence?.stalledMs).toBe(LEASE_MS / 2);
  });
});
