import type { Engine } from 'holdfast';
import { until, untilStatus } from 'holdfast/testing';
import { describe, expect, it } from 'vitest';
import { createGate, openLightRig, storeKinds } from '../open-rig.ts';

const untilExpired = (engine: Engine, taskId: string) =>
  until(async () => {
    const task = await engine.get(taskId);
    return task.outcome?.kind === 'expired' && task;
  });

const fail = () => {
  throw new Error('the secret of the tool');
};

describe.each(storeKinds)('expiry on the %s store', (kind) => {
  it('[ENGINE-44] a task whose time is up says what it was, and keeps nothing of its payload', async () => {
    const rig = await openLightRig(kind);
    const engine = await rig.engine({ echo: { run: (args) => args }, fail: { run: fail } }, { sweepMs: 10 });
    const done = (await engine.submit('echo', { a: 1 }, { ttlMs: 0 })).task.taskId;
    const failed = (await engine.submit('fail', {}, { ttlMs: 0 })).task.taskId;
    expect(await untilExpired(engine, done)).toMatchObject({
      status: 'completed',
      args: null,
      principal: 'local',
      outcome: { kind: 'expired', was: 'result', reason: expect.any(String) },
    });
    expect(await untilExpired(engine, failed)).toMatchObject({ status: 'failed', outcome: { was: 'error' } });
    expect(await engine.outcome(done)).toMatchObject({ kind: 'expired' });
    const events: unknown[] = [];
    for await (const event of engine.watch(done)) events.push(event.type);
    expect(events.length).toBeGreaterThan(0);
  });

  it('[ENGINE-44] a running task never expires, however short its ttl', async () => {
    const rig = await openLightRig(kind);
    const gate = createGate();
    const engine = await rig.engine(
      { slow: { run: () => gate.opened, ttlMs: 0 }, quick: { run: () => 1, ttlMs: 0 } },
      { sweepMs: 10 },
    );
    const slow = (await engine.submit('slow')).task.taskId;
    await untilStatus(engine, slow, 'working');
    // Two generations of shorter tasks come and go meanwhile.
    for (let i = 0; i < 2; i++) await untilExpired(engine, (await engine.submit('quick')).task.taskId);
    expect((await engine.get(slow)).status).toBe('working');
    gate.open();
    expect(await untilExpired(engine, slow)).toMatchObject({ outcome: { was: 'result' } });
  });

  it('[ENGINE-02] [ENGINE-44] its key joins the tombstone until that is swept, and is free afterwards', async () => {
    const rig = await openLightRig(kind);
    const engine = await rig.engine({ echo: { run: (args) => args } }, { sweepMs: 10 });
    const submit = (args: number) => engine.submit('echo', args, { idempotencyKey: 'k', ttlMs: 0 });
    const { taskId } = (await submit(1)).task;
    await untilExpired(engine, taskId);
    expect(await submit(1)).toMatchObject({ created: false, task: { taskId, outcome: { kind: 'expired' } } });
    await expect(submit(2)).rejects.toMatchObject({ code: 'IDEMPOTENCY_CONFLICT' });
    await engine.close();
    const forgetful = await rig.engine({ echo: { run: (args) => args } }, { sweepMs: 10, tombstoneMs: 0 });
    await until(() =>
      forgetful.get(taskId).then(
        () => false,
        () => true,
      ),
    );
    await expect(forgetful.get(taskId)).rejects.toMatchObject({ code: 'TASK_NOT_FOUND' });
    expect(await forgetful.submit('echo', 2, { idempotencyKey: 'k' })).toMatchObject({ created: true });
  });

  it('[ENGINE-44] a ttl of null keeps a task through every sweep', async () => {
    const rig = await openLightRig(kind);
    const engine = await rig.engine({ echo: { run: (args) => args, ttlMs: null } }, { sweepMs: 5 });
    const kept = (await engine.submit('echo', 1)).task.taskId;
    await engine.outcome(kept);
    await untilExpired(engine, (await engine.submit('echo', 2, { ttlMs: 0 })).task.taskId);
    expect((await engine.get(kept)).outcome).toEqual({ kind: 'result', value: 1 });
  });
});
