import { createEngine, createMemoryStore, type Store } from 'holdfast';
import { createFakeClock } from 'holdfast/testing';
import { describe, expect, it, onTestFinished } from 'vitest';
import { HoldKeeper } from '../../src/engine/held-task.ts';

const GRACE_MS = 120_000;
const HOLD = { key: 'same', graceMs: GRACE_MS };
/** No process of this machine has such a pid. */
const DEAD = (host: string) => JSON.stringify([host, 2 ** 22 + 1, '1', 1]);

async function open() {
  const clock = createFakeClock();
  const store = createMemoryStore({ clock });
  const errors: unknown[] = [];
  const options = { name: 'test', clock, store, tools: { work: { run: () => 'done' } } };
  // It is never started: nobody runs the tasks, and the keeper passes only when it is told.
  const engine = await createEngine({ ...options, identity: 'test' });
  onTestFinished(() => engine.close());
  const keeper = new HoldKeeper({ store, clock, report: (error) => void errors.push(error) });
  const submit = (hold = HOLD) => engine.submit('work', {}, { hold });
  const status = async (taskId: string) => (await engine.get(taskId)).status;
  return { clock, store, engine, keeper, submit, status, errors, options };
}

/** Makes the holder of a task a process that has ended. */
async function bury(store: Store, taskId: string) {
  const [{ by = '' } = {}] = await store.holds.list();
  const [host] = JSON.parse(by) as [string];
  await store.holds.release(taskId, by, { how: 'leave', graceMs: GRACE_MS });
  await store.holds.attend(taskId, DEAD(host));
}

describe('the keeper of held calls', () => {
  it('[HOLD-14] gives up a call that was left when its time has come, and not before', async () => {
    const { clock, store, keeper, submit, status } = await open();
    const { task, hold } = await submit();
    await hold?.leave();
    await clock.advance(GRACE_MS - 1);
    await keeper.pass();
    expect(await status(task.taskId)).toBe('queued');
    await clock.advance(1);
    await keeper.pass();
    expect(await status(task.taskId)).toBe('cancelled');
    expect(await store.holds.list()).toEqual([]);
  });

  it('[HOLD-14] leaves a call alone that is waited for or was handed over', async () => {
    const { clock, keeper, submit, status } = await open();
    const waited = await submit();
    const handed = await submit({ ...HOLD, key: 'other' });
    await handed.hold?.handOver();
    await clock.advance(GRACE_MS * 10);
    await keeper.pass();
    expect([await status(waited.task.taskId), await status(handed.task.taskId)]).toEqual(['queued', 'queued']);
  });

  it('[HOLD-14] notices that whoever waited is dead, and gives the call its time from then on', async () => {
    const { clock, store, keeper, submit, status } = await open();
    const { task } = await submit();
    await bury(store, task.taskId);
    await keeper.pass();
    expect(await store.holds.list()).toEqual([
      { taskId: task.taskId, graceMs: GRACE_MS, cancelAt: clock.now() + GRACE_MS },
    ]);
    await clock.advance(GRACE_MS);
    await keeper.pass();
    expect(await status(task.taskId)).toBe('cancelled');
  });

  it('[HOLD-14] lets go of what somebody took up while it looked', async () => {
    const { clock, store, submit, status, engine } = await open();
    const { task, hold } = await submit();
    await hold?.leave();
    await clock.advance(GRACE_MS);
    const list = async () => {
      const due = await store.holds.list();
      await engine.attend(task.taskId, { graceMs: GRACE_MS });
      return due;
    };
    const late: Store = { ...store, holds: { ...store.holds, list } };
    await new HoldKeeper({ store: late, clock, report: () => {} }).pass();
    expect(await status(task.taskId)).toBe('queued');
    expect((await store.holds.list())[0]).toHaveProperty('by');
  });

  it('goes on with the others when it cannot see to one', async () => {
    const { clock, store, keeper, submit, status, errors } = await open();
    const odd = await submit();
    const [{ by = '' } = {}] = await store.holds.list();
    await store.holds.release(odd.task.taskId, by, { how: 'leave', graceMs: GRACE_MS });
    await store.holds.attend(odd.task.taskId, 'nobody we know');
    const left = await submit({ ...HOLD, key: 'other' });
    await left.hold?.leave();
    await clock.advance(GRACE_MS);
    await keeper.pass();
    expect(errors).toHaveLength(1);
    expect(await status(left.task.taskId)).toBe('cancelled');
  });
});

describe('the same held call', () => {
  it('[HOLD-11] joins one whose holder is dead at once, before the keeper has looked', async () => {
    const { store, submit } = await open();
    const first = await submit();
    await bury(store, first.task.taskId);
    const second = await submit();
    expect([second.created, second.task.taskId]).toEqual([false, first.task.taskId]);
    expect(second.hold).toBeDefined();
  });

  it('[HOLD-12] of another program on the same store is another call', async () => {
    const { submit, options } = await open();
    const first = await submit();
    await first.hold?.handOver();
    const other = await createEngine({ ...options, identity: 'elsewhere' });
    onTestFinished(() => other.close());
    expect((await other.submit('work', {}, { hold: HOLD })).created).toBe(true);
    expect((await submit()).created).toBe(false);
  });

  it('is refused with a grace time that is none', async () => {
    const { submit } = await open();
    for (const graceMs of [-1, 0.5, Number.NaN]) {
      await expect(submit({ ...HOLD, graceMs })).rejects.toMatchObject({ code: 'INVALID_ARGUMENT' });
    }
  });
});
