import { createEngine, createMemoryStore, type Store } from 'holdfast';
import { createFakeClock } from 'holdfast/testing';
import { describe, expect, it, onTestFinished } from 'vitest';
import { HoldKeeper } from '../../../src/engine/holds/held-task.ts';
import { HoldReleases } from '../../../src/engine/holds/hold-releases.ts';

const GRACE_MS = 120_000;
const HOLD = { key: 'same', graceMs: GRACE_MS };
const ANSWERED = { ...HOLD, answeredKey: 'same session' };
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
  const report = (error: unknown) => void errors.push(error);
  const releases = new HoldReleases({ clock, report });
  const keeper = new HoldKeeper({ store, releases, report });
  const submit = (hold = HOLD) => engine.submit('work', {}, { hold });
  const status = async (taskId: string) => (await engine.get(taskId)).status;
  return { clock, store, engine, keeper, releases, submit, status, errors, options };
}

/** Makes the holder of a task a process that has ended, or another one. */
async function bury(store: Store, taskId: string, holder?: string) {
  const { by = '' } = (await store.holds.list()).find((hold) => hold.taskId === taskId) ?? {};
  const [host] = JSON.parse(by) as [string];
  await store.holds.release(taskId, by, { how: 'leave', graceMs: GRACE_MS });
  await store.holds.attend(taskId, holder ?? DEAD(host));
}

async function end(store: Store, taskId: string) {
  const worker = { workerId: taskId, identity: 'test', kind: 'inline', leaseMs: 60_000 } as const;
  const [process, build] = [
    { host: 'host', pid: 1, startTime: '1' },
    { id: 'test', at: 0 },
  ];
  expect(await store.workers.register({ ...worker, process, build })).toBe(true);
  const [claimed] = await store.tasks.claim({ worker: taskId, identity: 'test', free: { work: 1 }, max: 1 });
  const lease = { taskId, worker: taskId, fence: claimed?.task.fence ?? 0 };
  expect(await store.tasks.settle(lease, { outcome: { kind: 'result', value: 'done' } })).toBe(true);
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
    const { clock, store, releases, submit, status, engine } = await open();
    const { task, hold } = await submit();
    await hold?.leave();
    await clock.advance(GRACE_MS);
    const list = async () => {
      const due = await store.holds.list();
      await engine.attend(task.taskId, { graceMs: GRACE_MS });
      return due;
    };
    const late: Store = { ...store, holds: { ...store.holds, list } };
    await new HoldKeeper({ store: late, releases, report: () => {} }).pass();
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

  it('[BAD-413] joins one that ended before its holder died, within the grace time of its end and not later', async () => {
    const { clock, store, submit } = await open();
    for (const [afterMs, created] of [
      [GRACE_MS - 1, false],
      [GRACE_MS, true],
    ] as const) {
      const hold = { ...HOLD, key: String(afterMs) };
      const { task } = await submit(hold);
      await end(store, task.taskId);
      await bury(store, task.taskId);
      await clock.advance(afterMs);
      expect((await submit(hold)).created).toBe(created);
      for (const { taskId } of await store.holds.list()) await store.holds.remove(taskId);
    }
  });

  it('[BAD-414] waits a moment for another process that has just answered to say whether the answer was lost', async () => {
    const { clock, store, submit } = await open();
    const elsewhere = JSON.stringify(['another machine', 1, '1', 1]);
    const { task } = await submit(ANSWERED);
    await end(store, task.taskId);
    await bury(store, task.taskId, elsewhere);
    const joining = submit(ANSWERED);
    await clock.advance(20);
    await store.holds.release(task.taskId, elsewhere, { how: 'answered', joinMs: 1000 });
    await clock.advance(20);
    expect(await joining).toMatchObject({ created: false, task: { taskId: task.taskId } });
  });

  it('[BAD-414] begins anew when the other process hears nothing', async () => {
    const { clock, store, submit } = await open();
    const { task } = await submit(ANSWERED);
    await end(store, task.taskId);
    await bury(store, task.taskId, JSON.stringify(['another machine', 1, '1', 1]));
    const beginning = submit(ANSWERED);
    for (let passed = 0; passed < 3000; passed += 20) await clock.advance(20);
    expect((await beginning).created).toBe(true);
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

it('[ROOMS-226] a call does not wait until the end of an answered one that asked for the same is on disk', async () => {
  const { store, options } = await open();
  let write = () => {};
  const written = new Promise<void>((resolve) => {
    write = resolve;
  });
  const remove = async (taskId: string) => {
    await written;
    await store.holds.remove(taskId);
  };
  const slow = { ...store, holds: { ...store.holds, remove } };
  const engine = await createEngine({ ...options, identity: 'test', store: slow });
  onTestFinished(() => engine.close());
  const first = await engine.submit('work', {}, { hold: ANSWERED });
  await end(store, first.task.taskId);
  const closing = first.hold?.close();
  const second = await engine.submit('work', {}, { hold: ANSWERED });
  expect(second).toMatchObject({ created: true });
  write();
  await closing;
  expect((await store.holds.list()).map(({ taskId }) => taskId)).toEqual([second.task.taskId]);
});
