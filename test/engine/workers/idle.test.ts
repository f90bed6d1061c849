import type { TaskContext } from 'holdfast';
import { until, untilStatus } from 'holdfast/testing';
import { describe, expect, it } from 'vitest';
import { createGate, openRig } from '../open-rig.ts';

describe('a tool that waits for something outside', () => {
  it('[CODEX-34] takes up no slot meanwhile, and gets one again before it goes on', async () => {
    const rig = await openRig('memory');
    const outside = createGate();
    const inside = createGate();
    const order: string[] = [];
    const tools = {
      waits: {
        run: async (_args: unknown, task: TaskContext) => {
          const value = await task.idle(() => outside.opened.then(() => 'came'));
          order.push('went on');
          return value;
        },
      },
      works: {
        run: async () => {
          order.push('works');
          await inside.opened;
          order.push('worked');
        },
      },
    };
    const engine = await rig.engine(tools, { concurrency: 1 });
    const waits = await engine.submit('waits');
    const works = await engine.submit('works');
    await until(() => order.includes('works'), { what: 'the other to have the slot' });
    outside.open();
    await new Promise((resolve) => setImmediate(resolve));
    expect(order).toEqual(['works']);
    inside.open();
    expect(await engine.outcome(waits.task.taskId)).toEqual({ kind: 'result', value: 'came' });
    await engine.outcome(works.task.taskId);
    expect(order).toEqual(['works', 'worked', 'went on']);
  });

  it('[CODEX-34] does not use up its time while it waits', async () => {
    const rig = await openRig('memory');
    const gate = createGate();
    let waitedMs = 0;
    const run = async (_args: unknown, task: TaskContext) => {
      const begun = performance.now();
      await task.idle(async () => {
        await until(() => performance.now() - begun > 400, { what: 'more than the limit' });
        await gate.opened;
      });
      waitedMs = performance.now() - begun;
      return 'in time';
    };
    const engine = await rig.engine({ slow: { maxRunMs: 300, run } });
    const { task } = await engine.submit('slow');
    gate.open();
    expect(await engine.outcome(task.taskId)).toEqual({ kind: 'result', value: 'in time' });
    expect(waitedMs).toBeGreaterThan(400);
  });

  it('[CODEX-34] hears of a cancel while it waits', async () => {
    const rig = await openRig('memory');
    const run = (_args: unknown, task: TaskContext) =>
      task.idle(
        () =>
          new Promise((_resolve, reject) => {
            task.signal.addEventListener('abort', () => reject(task.signal.reason));
          }),
      );
    const engine = await rig.engine({ waits: { run } });
    const { task } = await engine.submit('waits');
    await untilStatus(engine, task.taskId, 'working');
    await engine.cancel(task.taskId, { reason: 'enough' });
    expect(await engine.outcome(task.taskId)).toMatchObject({ kind: 'cancelled' });
  });

  it('[CODEX-35] is handed back by a worker that shuts down, and waits again in the next one', async () => {
    const rig = await openRig('sqlite');
    let waits = 0;
    const gate = createGate();
    const run = async (_args: unknown, task: TaskContext) => {
      await task.idle(async () => {
        waits++;
        await Promise.race([
          gate.opened,
          new Promise((_resolve, reject) => {
            task.signal.addEventListener('abort', () => reject(task.signal.reason));
          }),
        ]);
      });
      return task.attempt;
    };
    const tools = { waits: { idempotent: true, run } };
    const first = await rig.engine(tools, { shutdownGraceMs: 60_000 });
    const { task } = await first.submit('waits');
    await until(() => waits === 1, { what: 'the first wait' });
    await first.close();
    const second = await rig.engine(tools);
    await until(() => waits === 2, { what: 'the second wait' });
    gate.open();
    // Waiting costs no attempt.
    expect(await second.outcome(task.taskId)).toEqual({ kind: 'result', value: 1 });
  });
});
