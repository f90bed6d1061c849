import { createEngine, openSqliteStore } from 'holdfast';
import { createFakeClock, until } from 'holdfast/testing';
import { describe, expect, it, onTestFinished } from 'vitest';
import { openRig } from '../open-rig.ts';

const AHEAD_MS = 500;
/** Earlier than a worker looks for work that was not announced. */
const SOON_MS = 4000;

describe('a worker whose clock is a little behind that of whoever submits', () => {
  it('[HOSTS-380] begins the work as soon as it is due, not when it happens to look again', async () => {
    const { path } = await openRig();
    const clock = createFakeClock();
    const boot = clock.steady?.().boot ?? '';
    const ahead = { ...clock, steady: () => ({ ms: clock.monotonic() + AHEAD_MS, boot }) };
    const open = async (own: typeof clock) => {
      const store = await openSqliteStore({ path, clock: own });
      const tools = { greet: { run: () => 'hello' } };
      const engine = await createEngine({ name: 'test', identity: 'test', store, tools, clock: own });
      onTestFinished(() => engine.close().then(() => store.close()));
      return engine;
    };
    const worker = await open(clock);
    await worker.start();
    // From here on there is a time to count from.
    const { task: first } = await worker.submit('greet', {});
    await worker.outcome(first.taskId);
    const { task } = await (await open(ahead)).submit('greet', {});
    expect(task.createdAt - clock.now()).toBe(AHEAD_MS);
    let passedMs = 0;
    await until(async () => {
      if (passedMs < SOON_MS) await clock.advance(10);
      passedMs += 10;
      return (await worker.get(task.taskId)).status === 'completed';
    });
  });
});
