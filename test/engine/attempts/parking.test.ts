import type { Engine, TaskContext } from 'holdfast';
import { until, untilStatus } from 'holdfast/testing';
import { describe, expect, it } from 'vitest';
import { createGate, openRig, untilAborted } from '../open-rig.ts';

const YES = { type: 'object', properties: { yes: { type: 'boolean' } }, required: ['yes'] };
const ask = (task: TaskContext, key?: string) => task.ask({ message: 'Go on?', schema: YES, ...(key && { key }) });
const accept = { action: 'accept', content: { yes: true } } as const;

const untilParked = (engine: Engine, taskId: string) =>
  until(async () => {
    const task = await engine.get(taskId);
    return task.status === 'input_required' && task.worker === undefined && task;
  });

async function typesOf(engine: Engine, taskId: string): Promise<string[]> {
  const types: string[] = [];
  for await (const event of engine.watch(taskId)) types.push(event.type);
  return types;
}

describe('parking', () => {
  it('[ENGINE-35] [ENGINE-36] [ENGINE-37] an answer through another engine resumes a parked task: steps and answers are replayed', async () => {
    const rig = await openRig();
    const stepsRun: string[] = [];
    const reasons: unknown[] = [];
    const tools = {
      report: {
        idempotent: true,
        run: async (_args: unknown, task: TaskContext) => {
          task.signal.addEventListener('abort', () => reasons.push(task.signal.reason.code));
          const made = await task.step('make', () => {
            stepsRun.push('make');
            return { id: 7 };
          });
          const first = await ask(task);
          const second = await ask(task);
          return { made, first, second, attempt: task.attempt };
        },
      },
    };
    const engine = await rig.engine(tools, { parkMs: 1 });
    const reader = await rig.idleEngine(tools, { store: await rig.reopen() });
    const { taskId } = (await engine.submit('report')).task;
    expect((await untilParked(engine, taskId)).fence).toBe(1);
    expect(reasons).toEqual(['PARKED']);

    const { task } = await reader.answer(taskId, { q1: accept });
    expect(task.status).toBe('queued');
    await until(async () => (await engine.get(taskId)).questions.length === 2);
    await untilParked(engine, taskId);
    await reader.answer(taskId, { q2: accept });

    const value = { made: { id: 7 }, first: { yes: true }, second: { yes: true }, attempt: 1 };
    expect(await engine.outcome(taskId)).toEqual({ kind: 'result', value });
    expect(stepsRun).toEqual(['make']);
    expect(await engine.get(taskId)).toMatchObject({ attempt: 1, fence: 3 });
    expect(await typesOf(engine, taskId)).toEqual([
      ...['submitted', 'claimed', 'stepped', 'asked', 'parked', 'answered', 'requeued'],
      ...['claimed', 'asked', 'parked', 'answered', 'requeued', 'claimed', 'ended'],
    ]);
  });

  it('[ENGINE-35] with two open questions only the last answer makes a parked task runnable', async () => {
    const rig = await openRig();
    const run = (_args: unknown, task: TaskContext) => Promise.all([ask(task, 'a'), ask(task, 'b')]);
    const engine = await rig.engine({ both: { idempotent: true, run } }, { parkMs: 100 });
    const { taskId } = (await engine.submit('both')).task;
    expect((await untilParked(engine, taskId)).questions.map(({ key }) => key)).toEqual(['a', 'b']);
    expect((await engine.answer(taskId, { b: accept })).task.status).toBe('input_required');
    expect((await engine.answer(taskId, { a: accept })).task.status).toBe('queued');
    expect(await engine.outcome(taskId)).toEqual({ kind: 'result', value: [{ yes: true }, { yes: true }] });
  });

  it('[ENGINE-38] a re-run that asks something else under an old key fails with REPLAY_MISMATCH', async () => {
    const rig = await openRig();
    let runs = 0;
    const run = (_args: unknown, task: TaskContext) => task.ask({ message: `Question of run ${++runs}`, schema: YES });
    const engine = await rig.engine({ moody: { idempotent: true, run } }, { parkMs: 1 });
    const { taskId } = (await engine.submit('moody')).task;
    await untilParked(engine, taskId);
    await engine.answer(taskId, { q1: accept });
    expect(await engine.outcome(taskId)).toMatchObject({ kind: 'error', error: { code: 'REPLAY_MISMATCH' } });
  });

  it('[ENGINE-40] a tool that may not be repeated is never parked', async () => {
    const rig = await openRig();
    const run = (_args: unknown, task: TaskContext) => ask(task);
    const tools = { once: { run }, again: { run, idempotent: true } };
    const engine = await rig.engine(tools, { parkMs: 1 });
    const once = (await engine.submit('once')).task.taskId;
    await untilStatus(engine, once, 'input_required');
    // Another task that asks after it is parked first: had the first one a limit, it would be over too.
    const again = (await engine.submit('again')).task.taskId;
    await untilParked(engine, again);
    expect((await engine.get(once)).worker).toBeDefined();
    await engine.answer(once, { q1: accept });
    expect(await engine.outcome(once)).toEqual({ kind: 'result', value: { yes: true } });
    expect(await typesOf(engine, once)).not.toContain('parked');
  });

  it('[ENGINE-07] a resumed attempt hears of a cancel even when the parked one was slow to leave', async () => {
    const rig = await openRig();
    const leave = createGate();
    const heard: string[] = [];
    let runs = 0;
    const run = async (_args: unknown, task: TaskContext) => {
      const mine = ++runs;
      try {
        await ask(task);
        heard.push((await untilAborted(task.signal)).code);
      } finally {
        if (mine === 1) await leave.opened;
      }
    };
    const engine = await rig.engine({ slow: { idempotent: true, run } }, { parkMs: 1, abortGraceMs: 60_000 });
    const { taskId } = (await engine.submit('slow')).task;
    await untilParked(engine, taskId);
    await engine.answer(taskId, { q1: accept });
    await untilStatus(engine, taskId, 'working');
    await until(() => runs === 2);
    leave.open();
    // The first attempt is really over once its slot is free for something else.
    const other = (await engine.submit('slow')).task.taskId;
    await untilStatus(engine, other, 'input_required');
    await engine.cancel(taskId);
    await until(() => heard.includes('CANCELLED'));
    await engine.cancel(other);
  });
});
