import { until, untilStatus } from 'holdfast/testing';
import { describe, expect, it } from 'vitest';
import { createGate, openRig, storeKinds } from './open-rig.ts';

const LATE = { kind: 'error', error: { code: 'NOT_STARTED', message: expect.stringContaining('not started in time') } };

describe.each(storeKinds)('startWithinMs on the %s store', (kind) => {
  it('[BAD-210] a task that found no slot in time ends as NOT_STARTED, and its body never runs', async () => {
    const rig = await openRig(kind);
    const gate = createGate();
    let runs = 0;
    const tools = {
      holds: { run: () => gate.opened },
      quick: { run: () => ++runs, startWithinMs: 100 },
    };
    const engine = await rig.engine(tools, { concurrency: 1 });
    const holds = (await engine.submit('holds')).task.taskId;
    await untilStatus(engine, holds, 'working');
    const late = (await engine.submit('quick')).task.taskId;
    const patient = (await engine.submit('quick', {}, { startWithinMs: null })).task;
    expect(patient).not.toHaveProperty('startBy');
    expect(await engine.outcome(late)).toEqual(LATE);
    expect(await engine.get(late)).toMatchObject({ status: 'failed', attempt: 0 });
    gate.open();
    expect(await engine.outcome(patient.taskId)).toEqual({ kind: 'result', value: 1 });
    expect(runs).toBe(1);
  });
});

describe('startWithinMs', () => {
  it('[BAD-211] is kept by whoever opens the store next, for a program of which no process is left', async () => {
    const rig = await openRig();
    const submitter = await rig.idleEngine({ work: { run: () => 'done' } }, { identity: 'gone' });
    const { taskId } = (await submitter.submit('work', {}, { startWithinMs: 50 })).task;
    await submitter.close();
    const stranger = await rig.engine({}, { identity: 'another' });
    await until(async () => (await stranger.get(taskId)).status === 'failed');
    expect(await stranger.outcome(taskId)).toEqual(LATE);
  });

  it.each<[value: unknown, shown: string]>([
    [0, '0'],
    [-1, '-1'],
    [1.5, '1.5'],
    ['100', '"100"'],
    [true, 'true'],
  ])('[BAD-212] of %s is refused, for a tool and for a call', async (value, shown) => {
    const rig = await openRig('memory');
    const message = `startWithinMs is ${shown}; expected a whole number of milliseconds above 0, or null for no limit`;
    const tool = { run: () => 1, startWithinMs: value as number };
    await expect(rig.idleEngine({ work: tool })).rejects.toMatchObject({ message: `tool work: ${message}` });
    const engine = await rig.idleEngine({ work: { run: () => 1 } });
    await expect(engine.submit('work', {}, { startWithinMs: value as number })).rejects.toMatchObject({ message });
  });
});
