import { createTaskClient } from 'holdfast';
import { until } from 'holdfast/testing';
import { describe, expect, it } from 'vitest';
import { createGate, openLightRig, storeKinds } from './open-rig.ts';

const echo = { run: (args: unknown) => args };

describe.each(storeKinds)('submit on the %s store', (kind) => {
  it('[ENGINE-01] returns the queued task, which can be read at once', async () => {
    const rig = await openLightRig(kind);
    const engine = await rig.idleEngine({ echo: { ...echo, ttlMs: 5, pollIntervalMs: 7 } });
    const trace = { traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01' };
    const { task, created } = await engine.submit('echo', { a: 1 }, { trace });
    expect(created).toBe(true);
    expect(task).toMatchObject({ tool: 'echo', args: { a: 1 }, status: 'queued', principal: 'local', attempt: 0 });
    expect(task).toMatchObject({ ttlMs: 5, pollIntervalMs: 7, trace, identity: 'test' });
    expect(await engine.get(task.taskId)).toEqual(task);
  });

  it('[ENGINE-02] the same key and arguments join the task while it runs and after it ended', async () => {
    const rig = await openLightRig(kind);
    const gate = createGate();
    let runs = 0;
    const run = async () => {
      await gate.opened;
      return ++runs;
    };
    const engine = await rig.engine({ once: { run } });
    const submit = () => engine.submit('once', { a: 1, b: 2 }, { idempotencyKey: 'k' });
    const first = await submit();
    const running = await submit();
    expect(running).toMatchObject({ created: false, task: { taskId: first.task.taskId } });
    gate.open();
    await engine.outcome(first.task.taskId);
    const finished = await engine.submit('once', { b: 2, a: 1 }, { idempotencyKey: 'k' });
    expect(finished).toMatchObject({ created: false, task: { taskId: first.task.taskId, outcome: { value: 1 } } });
    expect(runs).toBe(1);
  });

  it('[ENGINE-02] submits of one key at the same time make one task', async () => {
    const rig = await openLightRig(kind);
    const engine = await rig.idleEngine({ echo });
    const submits = await Promise.all(
      Array.from({ length: 8 }, () => engine.submit('echo', 1, { idempotencyKey: 'k' })),
    );
    expect(new Set(submits.map(({ task }) => task.taskId)).size).toBe(1);
    expect(submits.filter(({ created }) => created)).toHaveLength(1);
  });

  it('[ENGINE-03] the same key with other arguments is IDEMPOTENCY_CONFLICT', async () => {
    const rig = await openLightRig(kind);
    const engine = await rig.idleEngine({ echo });
    const { task } = await engine.submit('echo', { a: 1 }, { idempotencyKey: 'k' });
    await expect(engine.submit('echo', { a: 2 }, { idempotencyKey: 'k' })).rejects.toMatchObject({
      code: 'IDEMPOTENCY_CONFLICT',
      data: { taskId: task.taskId },
    });
    expect((await engine.list()).tasks).toHaveLength(1);
  });

  it('[ENGINE-02] a key is separate for each principal, tool and identity', async () => {
    const rig = await openLightRig(kind);
    const engine = await rig.idleEngine({ echo, other: echo });
    const elsewhere = await rig.idleEngine({ echo }, { identity: 'elsewhere' });
    const idempotencyKey = 'k';
    const submits = [
      await engine.submit('echo', 1, { idempotencyKey }),
      await engine.submit('echo', 2, { idempotencyKey, principal: 'ann' }),
      await engine.submit('other', 3, { idempotencyKey }),
      await elsewhere.submit('echo', 4, { idempotencyKey }),
    ];
    expect(submits.map(({ created }) => created)).toEqual([true, true, true, true]);
  });

  it('[ENGINE-02] an alias joins like a key, finds the task, and conflicts over other arguments or tools', async () => {
    const rig = await openLightRig(kind);
    const engine = await rig.idleEngine({ echo, other: echo });
    const { task } = await engine.submit('echo', 1, { alias: 'mine' });
    expect(await engine.submit('echo', 1, { alias: 'mine' })).toMatchObject({
      created: false,
      task: { taskId: task.taskId },
    });
    const found = await rig.store.tasks.get({ alias: 'mine', principal: 'local', identity: 'test' });
    expect(found?.taskId).toBe(task.taskId);
    await expect(engine.submit('echo', 2, { alias: 'mine' })).rejects.toMatchObject({ code: 'ALIAS_CONFLICT' });
    await expect(engine.submit('other', 1, { alias: 'mine' })).rejects.toMatchObject({ code: 'ALIAS_CONFLICT' });
    expect(await engine.submit('echo', 2, { alias: 'mine', principal: 'ann' })).toMatchObject({ created: true });
  });

  it('[ENGINE-04] beyond the limit it is QUEUE_FULL; joining still works, and a free place is taken', async () => {
    const rig = await openLightRig(kind);
    const engine = await rig.idleEngine({ echo }, { queueLimit: 2 });
    const first = await engine.submit('echo', 1, { idempotencyKey: 'k' });
    await engine.submit('echo', 2);
    await expect(engine.submit('echo', 3)).rejects.toMatchObject({ code: 'QUEUE_FULL', data: { queued: 2 } });
    expect(await engine.submit('echo', 1, { idempotencyKey: 'k' })).toMatchObject({ created: false });
    await engine.cancel(first.task.taskId);
    expect(await engine.submit('echo', 3)).toMatchObject({ created: true });
  });

  it('[INPUT-14] an unknown tool is TOOL_NOT_FOUND and the expected ones are named', async () => {
    const rig = await openLightRig(kind);
    const engine = await rig.idleEngine({ echo });
    await expect(engine.submit('ecko')).rejects.toMatchObject({
      code: 'TOOL_NOT_FOUND',
      message: expect.stringContaining('expected echo'),
    });
    await expect(engine.submit('toString')).rejects.toMatchObject({ code: 'TOOL_NOT_FOUND' });
    expect((await engine.list()).tasks).toEqual([]);
  });
});

describe('submit on a file', () => {
  it('[ENGINE-01] is durable when it returns: another connection sees the task', async () => {
    const rig = await openLightRig();
    const engine = await rig.idleEngine({ echo });
    const { task } = await engine.submit('echo', 'text');
    const other = createTaskClient(await rig.reopen());
    expect(await other.get(task.taskId)).toEqual(task);
  });

  it('[ENGINE-08] whoever reacts to the end of a task at once sees its outcome', async () => {
    const rig = await openLightRig();
    const engine = await rig.engine({ echo });
    const seen: unknown[] = [];
    const stop = rig.store.changes.subscribe((changes) => {
      for (const { taskId, type } of changes) {
        if (type === 'ended') void engine.get(taskId).then(({ outcome }) => seen.push(outcome));
      }
    });
    await Promise.all(Array.from({ length: 10 }, (_, i) => engine.submit('echo', i)));
    await until(() => seen.length === 10);
    stop();
    expect(seen).not.toContain(undefined);
  });
});
