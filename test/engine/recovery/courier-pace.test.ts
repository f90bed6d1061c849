import { expect, it } from 'vitest';
import { ChangeRouter } from '../../../src/engine/change-router.ts';
import { Courier } from '../../../src/engine/recovery/courier.ts';
import { createMemoryStore } from '../../../src/store/memory/memory-store.ts';
import { createFakeClock } from '../../../src/testing/fake-clock.ts';
import { submit } from '../../store/sqlite/scratch.ts';

/** A courier for one topic, and how often it has looked into the outbox. */
function openCourier() {
  const clock = createFakeClock();
  const store = createMemoryStore({ clock });
  let looks = 0;
  const outbox = {
    ...store.outbox,
    take(request: Parameters<typeof store.outbox.take>[0]) {
      looks += 1;
      return store.outbox.take(request);
    },
  };
  const courier = new Courier({
    store: { ...store, outbox },
    clock,
    router: new ChangeRouter(store.changes, clock),
    handlers: { bell() {} },
    holdMs: 20_000,
    report(error) {
      throw error;
    },
  });
  const pass = async (ms: number) => {
    looks = 0;
    await clock.advance(ms);
    return looks;
  };
  return { store, courier, pass };
}

it('[ROOMS-228] an empty outbox is looked into once a minute', async () => {
  const { courier, pass } = openCourier();
  courier.start();
  await courier.deliver();
  expect(await pass(600_000)).toBe(10);
  await courier.stop();
});

it('[ROOMS-228] one in which others hold a message, every five seconds', async () => {
  const { store, courier, pass } = openCourier();
  const { taskId } = await submit(store, { deliver: [{ topic: 'bell' }] });
  await store.tasks.settle({ taskId }, { outcome: { kind: 'cancelled', reason: 'enough' } });
  await store.outbox.take({ topics: ['bell'], max: 1, holdMs: 3_600_000 });
  courier.start();
  await courier.deliver();
  expect(await pass(60_000)).toBe(12);
  await courier.stop();
});
