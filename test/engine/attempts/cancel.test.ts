import { type TaskContext, TaskError } from 'holdfast';
import { until, untilStatus } from 'holdfast/testing';
import { describe, expect, it } from 'vitest';
import { createGate, openLightRig, storeKinds, untilAborted } from '../open-rig.ts';

describe.each(storeKinds)('cancel on the %s store', (kind) => {
  it('[ENGINE-07] ends a queued task at once, and nobody runs it later', async () => {
    const rig = await openLightRig(kind);
    let runs = 0;
    const engine = await rig.idleEngine({ count: { run: () => ++runs } });
    const { taskId } = (await engine.submit('count')).task;
    const { cancelled, task } = await engine.cancel(taskId, { reason: 'not needed' });
    expect(cancelled).toBe(true);
    expect(task).toMatchObject({ status: 'cancelled', outcome: { kind: 'cancelled', reason: 'not needed' } });
    await engine.start();
    await engine.outcome((await engine.submit('count')).task.taskId);
    expect(runs).toBe(1);
  });

  it('[ENGINE-07] aborts the signal of a running tool, and what that returns later changes nothing', async () => {
    const rig = await openLightRig(kind);
    const reasons: unknown[] = [];
    const run = async (_args: unknown, task: TaskContext) => {
      reasons.push(await untilAborted(task.signal));
      await task.progress(1);
      return 'too late';
    };
    const engine = await rig.engine({ slow: { run } });
    const { taskId } = (await engine.submit('slow')).task;
    await untilStatus(engine, taskId, 'working');
    await engine.cancel(taskId, { reason: 'enough' });
    const ended = await engine.get(taskId);
    await until(() => reasons.length === 1);
    expect(reasons).toMatchObject([{ code: 'CANCELLED', message: 'enough' }]);
    await engine.close();
    expect(await engine.get(taskId)).toEqual(ended);
  });

  it('[ENGINE-50] of work that takes longer to stop than its slot is kept for says in the end how it was stopped', async () => {
    const rig = await openLightRig(kind);
    const gate = createGate();
    const warned: unknown[] = [];
    const run = async (_args: unknown, task: TaskContext) => {
      await untilAborted(task.signal);
      await gate.opened;
      throw new TaskError('CANCELLED', 'its process was ended');
    };
    const engine = await rig.engine(
      { slow: { run } },
      { abortGraceMs: 10, onError: (error: unknown) => void warned.push(error) },
    );
    const { taskId } = (await engine.submit('slow')).task;
    await untilStatus(engine, taskId, 'working');
    await engine.cancel(taskId, { reason: 'enough' });
    await until(() => warned.length === 1);
    expect(warned).toMatchObject([{ message: expect.stringContaining('it ignores its signal') }]);
    expect((await engine.get(taskId)).outcome).toEqual({ kind: 'cancelled', reason: 'enough' });
    gate.open();
    const stopped = { kind: 'cancelled', reason: 'enough', stopped: 'its process was ended' };
    await until(async () => 'stopped' in ((await engine.get(taskId)).outcome ?? {}));
    expect((await engine.get(taskId)).outcome).toEqual(stopped);
  });

  it('[ENGINE-07] ends a task that waits for an answer, and its question with it', async () => {
    const rig = await openLightRig(kind);
    const schema = { type: 'object' };
    let heard: unknown;
    const run = (_args: unknown, task: TaskContext) =>
      task.ask({ message: 'Go on?', schema }).catch((error) => {
        heard = error;
      });
    const engine = await rig.engine({ asks: { run } });
    const { taskId } = (await engine.submit('asks')).task;
    await untilStatus(engine, taskId, 'input_required');
    await engine.cancel(taskId);
    await until(() => heard);
    expect(heard).toMatchObject({ code: 'CANCELLED' });
    await expect(engine.answer(taskId, { q1: { action: 'decline' } })).rejects.toMatchObject({
      code: 'QUESTION_NOT_OPEN',
    });
  });

  it('[ENGINE-07] of a task that has ended says so and leaves it as it is', async () => {
    const rig = await openLightRig(kind);
    const engine = await rig.engine({ quick: { run: () => 'done' } });
    const { taskId } = (await engine.submit('quick')).task;
    await engine.outcome(taskId);
    expect(await engine.cancel(taskId)).toMatchObject({ cancelled: false, task: { outcome: { value: 'done' } } });
    const queued = (await (await rig.idleEngine({ quick: { run: () => 1 } }, { identity: 'idle' })).submit('quick'))
      .task;
    const both = await Promise.all([engine.cancel(queued.taskId), engine.cancel(queued.taskId)]);
    expect(both.filter(({ cancelled }) => cancelled)).toHaveLength(1);
  });

  it('[ENGINE-07] of a task that waits for its next attempt ends it', async () => {
    const rig = await openLightRig(kind);
    const run = () => Promise.reject(Object.assign(new Error('busy'), { retryable: true }));
    const engine = await rig.engine({ flaky: { idempotent: true, retry: { firstDelayMs: 600_000 }, run } });
    const { taskId } = (await engine.submit('flaky')).task;
    await until(async () => (await engine.get(taskId)).attempt === 1 && (await engine.get(taskId)).status === 'queued');
    await engine.cancel(taskId);
    expect(await engine.outcome(taskId)).toMatchObject({ kind: 'cancelled' });
  });
});

describe('cancel from another connection', () => {
  it('[ENGINE-07] reaches the running tool', async () => {
    const rig = await openLightRig();
    const run = async (_args: unknown, task: TaskContext) => void reasons.push((await untilAborted(task.signal)).code);
    const reasons: string[] = [];
    const engine = await rig.engine({ slow: { run } });
    const other = await rig.idleEngine({}, { store: await rig.reopen() });
    const { taskId } = (await engine.submit('slow')).task;
    await untilStatus(engine, taskId, 'working');
    await other.cancel(taskId);
    await until(() => reasons.length === 1);
    expect(reasons).toEqual(['CANCELLED']);
  });

  it('[ENGINE-51] is told as a cancel to a tool that writes before it has heard of it', async () => {
    const rig = await openLightRig();
    const other = await rig.idleEngine({}, { store: await rig.reopen() });
    const heard: unknown[] = [];
    const run = async (_args: unknown, task: TaskContext) => {
      await other.cancel(task.taskId, { reason: 'enough' });
      await task.step('late', () => 1).catch((error) => heard.push(error));
      heard.push(task.signal.reason);
    };
    const engine = await rig.engine({ slow: { run } });
    await engine.submit('slow');
    await until(() => heard.length === 2);
    const enough = { code: 'CANCELLED', message: 'enough' };
    expect(heard).toMatchObject([enough, enough]);
  });
});
