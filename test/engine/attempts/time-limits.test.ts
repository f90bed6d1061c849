import type { TaskContext } from 'holdfast';
import { createFakeClock, until, untilStatus } from 'holdfast/testing';
import { describe, expect, it } from 'vitest';
import { openRig, untilAborted } from '../open-rig.ts';

const schema = { type: 'object' };

describe('time limits', () => {
  it('[ENGINE-14] an attempt that runs longer than maxRunMs is TIMED_OUT, and its signal says so', async () => {
    const rig = await openRig();
    const reasons: string[] = [];
    const run = async (_args: unknown, task: TaskContext) => {
      reasons.push((await untilAborted(task.signal)).code);
      return 'too late';
    };
    const engine = await rig.engine({ slow: { run, maxRunMs: 30 } });
    const { taskId } = (await engine.submit('slow')).task;
    expect(await engine.outcome(taskId)).toMatchObject({
      kind: 'error',
      error: { code: 'TIMED_OUT', message: expect.stringContaining('30 ms') },
    });
    expect(reasons).toEqual(['TIMED_OUT']);
  });

  it('[ENGINE-14] an idempotent tool that timed out is not run again', async () => {
    const rig = await openRig();
    const run = (_args: unknown, task: TaskContext) => untilAborted(task.signal);
    const engine = await rig.engine({ slow: { run, maxRunMs: 30, idempotent: true } });
    const { taskId } = (await engine.submit('slow')).task;
    expect(await engine.outcome(taskId)).toMatchObject({ error: { code: 'TIMED_OUT' } });
    expect((await engine.get(taskId)).attempt).toBe(1);
  });

  it('[ENGINE-14] waiting for an answer is no part of the run time, and no stall', async () => {
    const clock = createFakeClock();
    const rig = await openRig('memory');
    const run = async (_args: unknown, task: TaskContext) => {
      await task.ask({ message: 'Go on?', schema });
      await untilAborted(task.signal);
    };
    const engine = await rig.engine({ slow: { run, maxRunMs: 1000, stallMs: 900 } }, { clock, leaseMs: 1e9 });
    const { taskId } = (await engine.submit('slow')).task;
    await untilStatus(engine, taskId, 'input_required');
    await clock.advance(10_000);
    expect((await engine.get(taskId)).status).toBe('input_required');
    await engine.answer(taskId, { q1: { action: 'accept', content: {} } });
    await untilStatus(engine, taskId, 'working');
    await clock.advance(850);
    expect((await engine.get(taskId)).status).toBe('working');
    await clock.advance(100);
    expect(await engine.outcome(taskId)).toMatchObject({ kind: 'error', error: { code: 'STALLED' } });
  });

  it('[ENGINE-15] an attempt without a sign of life is STALLED', async () => {
    const rig = await openRig();
    const run = (_args: unknown, task: TaskContext) => untilAborted(task.signal);
    const engine = await rig.engine({ silent: { run, stallMs: 30 } });
    const { taskId } = (await engine.submit('silent')).task;
    expect(await engine.outcome(taskId)).toMatchObject({ kind: 'error', error: { code: 'STALLED' } });
  });

  it('[ENGINE-15] a stalled idempotent tool is run again', async () => {
    const rig = await openRig();
    const run = (_args: unknown, task: TaskContext) => (task.attempt === 1 ? untilAborted(task.signal) : task.attempt);
    const engine = await rig.engine({ silent: { run, stallMs: 30, idempotent: true, retry: { firstDelayMs: 1 } } });
    const { taskId } = (await engine.submit('silent')).task;
    expect(await engine.outcome(taskId)).toEqual({ kind: 'result', value: 2 });
  });

  it.each<[string, (task: TaskContext, i: number) => Promise<unknown>]>([
    ['progress', (task, i) => task.progress(i)],
    ['log', (task) => task.log('info', 'alive')],
    ['stream', (task) => task.stream('piece')],
    ['step', (task, i) => task.step(`step ${i}`, () => i)],
  ])('[ENGINE-15] %s is a sign of life', async (_name, sign) => {
    const clock = createFakeClock();
    const rig = await openRig('memory');
    let signs = 0;
    const wake: (() => void)[] = [];
    const run = async (_args: unknown, task: TaskContext) => {
      for (let i = 0; i < 5; i++) {
        await sign(task, i);
        signs++;
        await new Promise<void>((resolve) => wake.push(resolve));
      }
      return 'done';
    };
    const engine = await rig.engine({ alive: { run, stallMs: 1000 } }, { clock, leaseMs: 1e9 });
    const { taskId } = (await engine.submit('alive')).task;
    for (let i = 1; i <= 5; i++) {
      await until(() => signs === i && wake.length === i);
      await clock.advance(800);
      wake[i - 1]?.();
    }
    expect(await engine.outcome(taskId)).toEqual({ kind: 'result', value: 'done' });
  });

  it('[ENGINE-15] output of a program is a sign of life', async () => {
    const rig = await openRig();
    const run = async (_args: unknown, task: TaskContext) => {
      const child = await task.spawn('sh', ['-c', 'for i in 1 2 3 4 5 6; do echo $i; sleep 0.2; done']);
      child.stdout.resume();
      return (await child.exit).code;
    };
    const engine = await rig.engine({ printing: { run, stallMs: 800 } });
    const { taskId } = (await engine.submit('printing')).task;
    expect(await engine.outcome(taskId)).toEqual({ kind: 'result', value: 0 });
  });
});
