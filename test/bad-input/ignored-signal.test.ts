import { untilStatus } from 'holdfast/testing';
import { describe, expect, it } from 'vitest';
import { createGate, openRig, storeKinds } from '../engine/open-rig.ts';

const deafTo = (taskId: string) => ({
  code: 'TIMED_OUT',
  message: expect.stringMatching(`${taskId}.*ignores its signal`),
});

describe.each(storeKinds)('a tool that ignores its signal on the %s store', (kind) => {
  it('[INPUT-06] is cancelled at once, is reported once, and its late result changes nothing', async () => {
    const rig = await openRig(kind);
    const late = createGate();
    const gate = createGate();
    const tools = {
      deaf: { run: () => late.opened.then(() => 'too late') },
      other: { run: () => gate.opened.then(() => 'other') },
    };
    const engine = await rig.engine(tools, { concurrency: 2, abortGraceMs: 30 });
    const deaf = (await engine.submit('deaf')).task.taskId;
    const other = (await engine.submit('other')).task.taskId;
    for (const taskId of [deaf, other]) await untilStatus(engine, taskId, 'working');
    const next = (await engine.submit('other')).task.taskId;

    const { task } = await engine.cancel(deaf, { reason: 'enough' });
    expect(task).toMatchObject({ status: 'cancelled', outcome: { kind: 'cancelled', reason: 'enough' } });
    // The one that waited gets the slot while the tool still runs.
    await untilStatus(engine, next, 'working');
    expect(rig.takeErrors()).toEqual([deafTo(deaf)].map((error) => expect.objectContaining(error)));
    late.open();
    gate.open();
    for (const taskId of [other, next]) {
      expect(await engine.outcome(taskId)).toEqual({ kind: 'result', value: 'other' });
    }
    expect((await engine.get(deaf)).outcome).toEqual({ kind: 'cancelled', reason: 'enough' });
  });

  it('[INPUT-06] does not keep the engine from closing', async () => {
    const rig = await openRig(kind);
    const never = createGate();
    const engine = await rig.engine({ deaf: { run: () => never.opened } }, { shutdownGraceMs: 30, abortGraceMs: 30 });
    const { taskId } = (await engine.submit('deaf')).task;
    await untilStatus(engine, taskId, 'working');
    await engine.close();
    expect((await engine.get(taskId)).outcome).toMatchObject({ kind: 'interrupted' });
    expect(rig.takeErrors()).toEqual([expect.objectContaining(deafTo(taskId))]);
  });
});
