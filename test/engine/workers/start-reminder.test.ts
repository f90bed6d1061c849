import { createEngine, createMemoryStore } from 'holdfast';
import { createFakeClock, until } from 'holdfast/testing';
import { describe, expect, it, onTestFinished } from 'vitest';

async function open() {
  const clock = createFakeClock();
  const errors: unknown[] = [];
  const store = createMemoryStore({ clock });
  let finish = () => {};
  const finished = new Promise<void>((resolve) => {
    finish = resolve;
  });
  const openEngine = async () => {
    const onError = (error: unknown) => void errors.push(error);
    const tools = { render: { run: () => finished.then(() => 'done') } };
    const engine = await createEngine({ name: 'reports', identity: 'same', store, clock, onError, tools });
    onTestFinished(() => engine.close());
    return engine;
  };
  const engine = await openEngine();
  const { task } = await engine.submit('render');
  return { clock, errors, openEngine, engine, taskId: task.taskId, finish };
}

const DONE = { kind: 'result', value: 'done' };
const reminder = expect.objectContaining({
  code: 'NOT_STARTED',
  message: expect.stringContaining('the engine "reports" was never started, and no other process runs its tasks; call'),
});

describe('an engine that was never started', () => {
  it('[FIRST-319] says so once, when an outcome is waited for longer than a second', async () => {
    const { clock, errors, engine, taskId, finish } = await open();
    const outcomes = [engine.outcome(taskId), engine.outcome(taskId)];
    await clock.advance(999);
    expect(errors).toEqual([]);
    await clock.advance(1);
    await until(() => errors.length > 0);
    await clock.advance(3000);
    expect(errors).toEqual([reminder]);
    await engine.start();
    finish();
    expect(await Promise.all(outcomes)).toEqual([DONE, DONE]);
  });

  it('[FIRST-319] says nothing when another one of the same program runs its tasks', async () => {
    const { clock, errors, openEngine, engine, taskId, finish } = await open();
    const other = await openEngine();
    await other.start();
    await until(async () => (await engine.get(taskId)).status === 'working');
    const outcome = engine.outcome(taskId);
    await clock.advance(3000);
    finish();
    expect(await outcome).toEqual(DONE);
    expect(errors).toEqual([]);
  });
});
