import { createEngine, createMemoryStore, type Store, TaskError } from 'holdfast';
import { createFakeClock } from 'holdfast/testing';
import { describe, expect, it, onTestFinished } from 'vitest';
import { HoldKeeper } from '../../../src/engine/holds/held-task.ts';
import { HoldReleases } from '../../../src/engine/holds/hold-releases.ts';

const GRACE_MS = 120_000;
const HOLD = { key: 'same', answeredKey: 'same session', graceMs: GRACE_MS };
const ELSEWHERE = JSON.stringify(['another machine', 1, '1', 1]);

/** A store that refuses to end waits, and to end tasks, while it is told to. */
async function open() {
  const clock = createFakeClock();
  const real = createMemoryStore({ clock });
  const disk = { isFull: false, refusals: 0, isReady: Promise.resolve() };
  const guard = async <T>(write: () => Promise<T>): Promise<T> => {
    if (!disk.isFull) return write();
    disk.refusals += 1;
    throw new TaskError('STORE_FULL', 'the disk is full');
  };
  const store: Store = {
    ...real,
    tasks: {
      ...real.tasks,
      create: async (task, options) => {
        await disk.isReady;
        return real.tasks.create(task, options);
      },
      settle: (of, settlement) => guard(() => real.tasks.settle(of as never, settlement)),
    },
    holds: {
      ...real.holds,
      release: (taskId, by, how) => guard(() => real.holds.release(taskId, by, how)),
      remove: (taskId) => guard(() => real.holds.remove(taskId)),
    },
  };
  const errors: unknown[] = [];
  const onError = (error: unknown) => void errors.push(error);
  const openEngine = () =>
    createEngine({ name: 'test', clock, store, onError, tools: { work: { run: () => 'done' } } });
  const engine = await openEngine();
  onTestFinished(() => engine.close());
  const submit = (hold: Parameters<typeof engine.submit>[2] = { hold: HOLD }) => engine.submit('work', {}, hold);
  /** Makes another process the one who waits. */
  const moveAway = async (taskId: string) => {
    const { by = '' } = (await real.holds.list()).find((hold) => hold.taskId === taskId) ?? {};
    await real.holds.release(taskId, by, { how: 'leave', graceMs: GRACE_MS });
    await real.holds.attend(taskId, ELSEWHERE);
  };
  return { clock, store, real, disk, errors, onError, engine, openEngine, submit, moveAway };
}

describe('a wait whose end the store does not take', () => {
  it('[BAD-416] is ended as soon as it does, however long that takes', async () => {
    const { clock, real, disk, submit } = await open();
    const { hold } = await submit();
    disk.isFull = true;
    await hold?.leave();
    await clock.advance(600_000);
    expect((await real.holds.list())[0]).toHaveProperty('by');
    disk.isFull = false;
    await clock.advance(250);
    expect((await real.holds.list())[0]).not.toHaveProperty('by');
  });

  it('[BAD-416] costs one try at a time, however many there are', async () => {
    const { clock, real, disk, submit } = await open();
    const all = await Promise.all(Array.from({ length: 100 }, (_, i) => submit({ hold: { ...HOLD, key: `${i}` } })));
    disk.isFull = true;
    await Promise.all(all.map(({ hold }) => hold?.handOver()));
    const first = disk.refusals;
    await clock.advance(10_000);
    expect(disk.refusals - first).toBeLessThanOrEqual(45);
    disk.isFull = false;
    await clock.advance(250);
    expect(await real.holds.list()).toEqual([]);
  });

  it('[BAD-417] is joined by the same call at once, also in another engine of the process', async () => {
    const { disk, submit, openEngine } = await open();
    const first = await submit();
    disk.isFull = true;
    await first.hold?.leave();
    await expect(submit()).rejects.toMatchObject({ code: 'STORE_FULL' });
    disk.isFull = false;
    const second = await openEngine();
    onTestFinished(() => second.close());
    const joined = await second.submit('work', {}, { hold: HOLD });
    expect([joined.created, joined.task.taskId]).toEqual([false, first.task.taskId]);
    expect(joined.hold).toBeDefined();
  });

  it('[BAD-416] is tried once more when the engine is closed, and not after that', async () => {
    const { clock, disk, submit, engine } = await open();
    const { hold } = await submit();
    disk.isFull = true;
    await hold?.leave();
    const before = disk.refusals;
    await engine.close();
    expect(disk.refusals).toBe(before + 1);
    await clock.advance(600_000);
    expect(disk.refusals).toBe(before + 1);
  });

  it('[BAD-416] is ended although it was given up by the keeper', async () => {
    const { clock, store, real, disk, onError, engine, submit } = await open();
    const { task, hold } = await submit();
    await hold?.leave();
    await clock.advance(GRACE_MS);
    disk.isFull = true;
    const releases = new HoldReleases({ clock, report: onError });
    await new HoldKeeper({ store, releases, report: onError }).pass();
    disk.isFull = false;
    await clock.advance(250);
    expect((await engine.get(task.taskId)).status).toBe('cancelled');
    expect(await real.holds.list()).toEqual([]);
  });
});

describe('the same held call', () => {
  it('[BAD-419] waits until one has been left whose caller went before it was written', async () => {
    const { disk, submit } = await open();
    let isGone = false;
    let write = () => {};
    disk.isReady = new Promise<void>((resolve) => {
      write = resolve;
    });
    const first = submit({ hold: { ...HOLD, isGone: () => isGone } });
    void first.then(({ hold }) => hold?.leave());
    isGone = true;
    const second = submit();
    write();
    expect(await second).toMatchObject({ created: false, task: { taskId: (await first).task.taskId } });
  });

  it('[BAD-420] waits a moment for another process that is just learning that its caller went', async () => {
    const { clock, real, submit, moveAway } = await open();
    const { task } = await submit();
    await moveAway(task.taskId);
    const joining = submit();
    await clock.advance(500);
    await real.holds.release(task.taskId, ELSEWHERE, { how: 'leave', graceMs: GRACE_MS });
    await clock.advance(20);
    expect(await joining).toMatchObject({ created: false, task: { taskId: task.taskId } });
  });

  it('[BAD-420] begins anew when the other process goes on waiting', async () => {
    const { clock, submit, moveAway } = await open();
    const { task } = await submit();
    await moveAway(task.taskId);
    const beginning = submit();
    for (let passed = 0; passed < 1100; passed += 20) await clock.advance(20);
    expect((await beginning).created).toBe(true);
  });

  it('[BAD-420] waits less for one in this process, which hears of a line that broke without the store', async () => {
    const { clock, submit } = await open();
    await submit();
    const beginning = submit();
    for (let passed = 0; passed <= 120; passed += 20) await clock.advance(20);
    expect((await beginning).created).toBe(true);
  });

  it('[BAD-420] waits for nobody of another session', async () => {
    const { submit, moveAway } = await open();
    const { task } = await submit();
    await moveAway(task.taskId);
    const hold = { ...HOLD, answeredKey: 'another session' };
    expect((await submit({ hold })).created).toBe(true);
  });
});
