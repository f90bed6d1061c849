import { describe, expect, it } from 'vitest';
import type { Clock } from '../../src/clock.ts';
import type { Store } from '../../src/store/contract.ts';
import { createFakeClock } from '../../src/testing/fake-clock.ts';
import { finish, StoreScratch, submit, WORKER } from './sqlite/scratch.ts';

const HOUR_MS = 3_600_000;
const scratch = new StoreScratch();

/** The clock of a process on the same machine whose wall clock is wrong. */
const shifted = (clock: Clock, ms: number): Clock => ({ ...clock, now: () => clock.now() + ms });

const claim = async (store: Store) => {
  const claimed = await store.tasks.claim({ worker: 'w1', identity: 'reports', free: { render: 9 }, max: 9 });
  return claimed.map(({ task }) => task.taskId);
};

describe('processes whose wall clocks differ', () => {
  it('[BAD-200] run tasks in the order in which they were submitted, and at once', async () => {
    const clock = createFakeClock();
    const right = await scratch.open({ clock });
    const ahead = await scratch.open({ clock: shifted(clock, 3 * HOUR_MS) });
    const behind = await scratch.open({ clock: shifted(clock, -HOUR_MS) });
    await right.workers.register(WORKER);
    const made: string[] = [];
    for (const store of [ahead, right, behind, right, behind, ahead]) {
      made.push((await submit(store)).taskId);
      await clock.advance(1);
    }
    expect(await claim(behind)).toEqual(made);
  });

  it('[BAD-209] a process that opened a new store, and is ahead, waits for who wrote first', async () => {
    const clock = createFakeClock();
    const ahead = await scratch.open({ clock: shifted(clock, 3 * HOUR_MS) });
    const right = await scratch.open({ clock });
    expect(ahead.time().now).toBe(clock.now() + 3 * HOUR_MS);
    const first = await submit(right);
    const second = await submit(ahead);
    expect([first.runAt, second.runAt, ahead.time().now]).toEqual([clock.now(), clock.now(), clock.now()]);
  });

  it('[BAD-201] a process three hours ahead drops no result of others', async () => {
    const clock = createFakeClock();
    const right = await scratch.open({ clock });
    const ahead = await scratch.open({ clock: shifted(clock, 3 * HOUR_MS) });
    const { taskId } = await finish(right, { ttlMs: HOUR_MS });
    const { now } = ahead.time();
    const swept = await ahead.tasks.sweep({ expiresBefore: now, tombstonesBefore: 0, limit: 10 });
    expect([swept.expired, (await right.tasks.get({ taskId }))?.outcome?.kind]).toEqual([0, 'cancelled']);
  });
});
