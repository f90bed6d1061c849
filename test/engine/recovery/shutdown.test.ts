import type { Engine, TaskContext } from 'holdfast';
import { until, untilStatus } from 'holdfast/testing';
import { describe, expect, it } from 'vitest';
import { createGate, openRig, storeKinds, untilAborted } from '../open-rig.ts';

const YES = { type: 'object', properties: { yes: { type: 'boolean' } } };
const submit = async (engine: Engine, tool: string) => (await engine.submit(tool)).task.taskId;

describe.each(storeKinds)('closing an engine on the %s store', (kind) => {
  it('[ENGINE-16] waits for work that is nearly done', async () => {
    const rig = await openRig(kind);
    const gate = createGate();
    const run = async () => {
      await gate.opened;
      return 'done';
    };
    const engine = await rig.engine({ short: { run } }, { shutdownGraceMs: 20_000 });
    const taskId = await submit(engine, 'short');
    await untilStatus(engine, taskId, 'working');
    const closing = engine.close();
    gate.open();
    await closing;
    expect((await engine.get(taskId)).outcome).toEqual({ kind: 'result', value: 'done' });
    expect(await rig.store.workers.list()).toEqual([]);
  });

  it('[ENGINE-16] [ENGINE-46] hands long work back without spending the attempt, and another engine completes it', async () => {
    const rig = await openRig(kind);
    const reasons: string[] = [];
    const long = {
      idempotent: true,
      run: async (_args: unknown, task: TaskContext) => {
        await task.step('first', () => 1);
        reasons.push((await untilAborted(task.signal)).code);
      },
    };
    const engine = await rig.engine({ long }, { shutdownGraceMs: 1 });
    const taskId = await submit(engine, 'long');
    await until(async () => (await engine.get(taskId)).lastSeq === 3);
    await engine.close();
    expect(reasons).toEqual(['LEASE_LOST']);
    expect(await engine.get(taskId)).toMatchObject({ status: 'queued', attempt: 1, fence: 1 });
    const other = await rig.engine({ long: { ...long, run: (_args: unknown, task: TaskContext) => task.attempt } });
    expect(await other.outcome(taskId)).toEqual({ kind: 'result', value: 1 });
    expect(await other.get(taskId)).toMatchObject({ attempt: 1, fence: 2 });
  });

  it('[ENGINE-16] ends long work that may not be repeated as interrupted, and says why', async () => {
    const rig = await openRig(kind);
    const run = (_args: unknown, task: TaskContext) => untilAborted(task.signal);
    const engine = await rig.engine({ once: { run } }, { shutdownGraceMs: 1 });
    const taskId = await submit(engine, 'once');
    await untilStatus(engine, taskId, 'working');
    await engine.close();
    expect((await engine.get(taskId)).outcome).toEqual({ kind: 'interrupted', reason: 'its worker was shut down' });
  });

  it('[ENGINE-16] parks at once what only waits for an answer', async () => {
    const rig = await openRig(kind);
    const run = (_args: unknown, task: TaskContext) => task.ask({ message: 'Go on?', schema: YES });
    const tools = { asks: { idempotent: true, run } };
    const engine = await rig.engine(tools, { shutdownGraceMs: 600_000 });
    const taskId = await submit(engine, 'asks');
    await untilStatus(engine, taskId, 'input_required');
    await engine.close();
    const parked = await engine.get(taskId);
    expect(parked).toMatchObject({ status: 'input_required' });
    expect(parked.worker).toBeUndefined();
    const other = await rig.engine(tools);
    await other.answer(taskId, { q1: { action: 'accept', content: { yes: true } } });
    expect(await other.outcome(taskId)).toEqual({ kind: 'result', value: { yes: true } });
    expect(await other.get(taskId)).toMatchObject({ attempt: 1, fence: 2 });
  });

  it('[ENGINE-46] leaves queued tasks in the queue, and takes nothing new', async () => {
    const rig = await openRig(kind);
    const engine = await rig.idleEngine({ any: { run: () => 'ran' } });
    const taskId = await submit(engine, 'any');
    await engine.close();
    await engine.close();
    expect((await engine.get(taskId)).status).toBe('queued');
    await expect(engine.submit('any')).rejects.toMatchObject({ code: 'ENGINE_CLOSED' });
    await expect(engine.start()).rejects.toMatchObject({ code: 'ENGINE_CLOSED' });
    expect((await engine.get(taskId)).status).toBe('queued');
  });

  it('[ENGINE-16] does not wait for ever for a tool that ignores its signal', async () => {
    const rig = await openRig(kind);
    const never = createGate();
    const engine = await rig.engine(
      { deaf: { idempotent: true, run: () => never.opened } },
      { shutdownGraceMs: 1, abortGraceMs: 20 },
    );
    const taskId = await submit(engine, 'deaf');
    await untilStatus(engine, taskId, 'working');
    await engine.close();
    expect((await engine.get(taskId)).status).toBe('queued');
    expect(rig.takeErrors()).toMatchObject([
      { code: 'TIMED_OUT', message: expect.stringContaining('ignores its signal') },
    ]);
    never.open();
  });
});
