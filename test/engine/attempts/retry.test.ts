import { type TaskContext, TaskError } from 'holdfast';
import { describe, expect, it } from 'vitest';
import { openLightRig, storeKinds } from '../open-rig.ts';

const busy = () => Object.assign(new Error('busy'), { retryable: true });
const quick = { firstDelayMs: 1, maxDelayMs: 2 };

describe.each(storeKinds)('retry on the %s store', (kind) => {
  it('[ENGINE-12] an idempotent tool is run again after an error worth it; finished steps are not', async () => {
    const rig = await openLightRig(kind);
    let steps = 0;
    const run = async (_args: unknown, task: TaskContext) => {
      const step = await task.step('once', () => ++steps);
      if (task.attempt < 3) throw busy();
      return { step, attempt: task.attempt };
    };
    const engine = await rig.engine({ flaky: { idempotent: true, retry: quick, run } });
    const { taskId } = (await engine.submit('flaky')).task;
    expect(await engine.outcome(taskId)).toEqual({ kind: 'result', value: { step: 1, attempt: 3 } });
  });

  it('[ENGINE-12] after the last attempt the error stands', async () => {
    const rig = await openLightRig(kind);
    let runs = 0;
    const run = () => {
      runs++;
      throw busy();
    };
    const engine = await rig.engine({ flaky: { idempotent: true, retry: { ...quick, maxAttempts: 4 }, run } });
    const { taskId } = (await engine.submit('flaky')).task;
    expect(await engine.outcome(taskId)).toMatchObject({ kind: 'error', error: { message: 'busy' } });
    expect(runs).toBe(4);
  });

  it('[ENGINE-12] the pause doubles from the first to the longest, within half of it', async () => {
    const rig = await openLightRig(kind);
    const retry = { firstDelayMs: 40, maxDelayMs: 80, maxAttempts: 4 };
    const thrownAt: number[] = [];
    const run = () => {
      thrownAt.push(Date.now());
      return Promise.reject(busy());
    };
    const engine = await rig.engine({ flaky: { idempotent: true, retry, run } });
    const { taskId } = (await engine.submit('flaky')).task;
    await engine.outcome(taskId);
    const requeued: { readonly at: number; readonly runAt: number }[] = [];
    for await (const event of engine.watch(taskId)) {
      if (event.type === 'requeued') requeued.push(event);
    }
    expect(requeued).toHaveLength(3);
    for (const [i, longest] of [40, 80, 80].entries()) {
      const { at = 0, runAt = 0 } = requeued[i] ?? {};
      // The pause begins after the error and before it is written, however long that takes.
      expect(runAt - at).toBeLessThanOrEqual(longest);
      expect(runAt - (thrownAt[i] ?? 0)).toBeGreaterThanOrEqual(longest / 2);
    }
  });

  it('[ENGINE-12] a plain error is not retried unless the tool says so', async () => {
    const rig = await openLightRig(kind);
    const run = (_args: unknown, task: TaskContext) => Promise.reject(new Error(`attempt ${task.attempt}`));
    const engine = await rig.engine({
      plain: { idempotent: true, retry: quick, run },
      asked: { idempotent: true, retry: { ...quick, when: () => true }, run },
      once: { run: () => Promise.reject(busy()) },
    });
    const outcomeOf = async (tool: string) => engine.outcome((await engine.submit(tool)).task.taskId);
    expect(await outcomeOf('plain')).toMatchObject({ error: { message: 'attempt 1' } });
    expect(await outcomeOf('asked')).toMatchObject({ error: { message: 'attempt 3' } });
    expect(await outcomeOf('once')).toMatchObject({ error: { message: 'busy' } });
  });

  it('[ENGINE-12] [ENGINE-47] a retry.when that throws is reported, and the error of the tool stands', async () => {
    const rig = await openLightRig(kind);
    const when = () => {
      throw new Error('bad judge');
    };
    const engine = await rig.engine({
      flaky: { idempotent: true, retry: { ...quick, when }, run: () => Promise.reject(new Error('the tool')) },
      slow: { idempotent: true, retry: { ...quick, when }, maxRunMs: 20, run: () => new Promise(() => {}) },
    });
    const outcomeOf = async (tool: string) => engine.outcome((await engine.submit(tool)).task.taskId);
    expect(await outcomeOf('flaky')).toMatchObject({ kind: 'error', error: { message: 'the tool' } });
    expect(await outcomeOf('slow')).toMatchObject({ kind: 'error', error: { code: 'TIMED_OUT' } });
    const errors = rig.takeErrors();
    expect(errors).toMatchObject([{ cause: { message: 'bad judge' } }, { cause: { message: 'bad judge' } }]);
    expect(errors[0]).toBeInstanceOf(TaskError);
    await engine.close();
    rig.takeErrors();
  });

  it('[ENGINE-37] a step name used twice in one attempt is an error that names it', async () => {
    const rig = await openLightRig(kind);
    const run = async (_args: unknown, task: TaskContext) => {
      await task.step('same', () => 1);
      await task.step('same', () => 2);
    };
    const engine = await rig.engine({ twice: { run } });
    const { taskId } = (await engine.submit('twice')).task;
    expect(await engine.outcome(taskId)).toMatchObject({
      kind: 'error',
      error: { code: 'INVALID_ARGUMENT', message: expect.stringContaining('"same" was used before') },
    });
  });
});
