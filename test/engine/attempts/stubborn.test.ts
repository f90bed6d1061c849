import type { TaskContext } from 'holdfast';
import { until } from 'holdfast/testing';
import { describe, expect, it } from 'vitest';
import { openRig, untilAborted } from '../open-rig.ts';
import { isRunning, openSite } from '../workers/start-program.ts';

const IGNORES_SIGTERM = 'trap "" TERM; echo ready; while :; do sleep 0.1; done';

/** Starts a program that only SIGKILL ends, once it really ignores everything else. */
async function startStubborn(task: TaskContext): Promise<number> {
  const child = await task.spawn('sh', ['-c', IGNORES_SIGTERM]);
  await new Promise((resolve) => child.stdout.once('data', resolve));
  return child.pid;
}

describe('a program that does not want to end', () => {
  it('[ENGINE-41] is gone before its task is tried again', async () => {
    const rig = await openRig();
    const pids: number[] = [];
    const run = async (_args: unknown, task: TaskContext) => {
      if (task.attempt === 2) return { overlaps: await isRunning(pids[0] ?? 0) };
      pids.push(await startStubborn(task));
      throw Object.assign(new Error('once more'), { retryable: true });
    };
    const retry = { firstDelayMs: 1, maxDelayMs: 1 };
    const engine = await rig.engine({ run: { idempotent: true, retry, run } });
    const { taskId } = (await engine.submit('run')).task;
    expect(await engine.outcome(taskId)).toEqual({ kind: 'result', value: { overlaps: false } });
  });

  it('[ENGINE-16] [ENGINE-41] is gone before a task that was handed back runs elsewhere', async () => {
    const rig = await openRig();
    const pids: number[] = [];
    const first = async (_args: unknown, task: TaskContext) => {
      pids.push(await startStubborn(task));
      await untilAborted(task.signal);
    };
    const second = async () => ({ overlaps: await isRunning(pids[0] ?? 0) });
    const engine = await rig.engine({ run: { idempotent: true, run: first } }, { shutdownGraceMs: 1 });
    const { taskId } = (await engine.submit('run')).task;
    await until(() => pids.length === 1);
    const other = await rig.engine({ run: { idempotent: true, run: second } });
    await engine.close();
    expect(await other.outcome(taskId)).toEqual({ kind: 'result', value: { overlaps: false } });
  });

  it('[ENGINE-41] is gone soon after an isolated tool returned', async () => {
    const site = await openSite();
    const taskId = await site.start().submit('aloneStubborn');
    const outcome = await site.access.outcome(taskId);
    expect(outcome).toMatchObject({ kind: 'result', value: expect.any(Number) });
    const pid = 'value' in outcome ? Number(outcome.value) : 0;
    await until(async () => !(await isRunning(pid)));
  });

  it('[ENGINE-41] never starts, or is ended, when the attempt is over before it was started', async () => {
    const rig = await openRig('memory');
    let spawning: Promise<number | undefined> = Promise.resolve(undefined);
    const run = (_args: unknown, task: TaskContext) => {
      spawning = task.spawn('sleep', ['1000']).then(
        ({ pid }) => pid,
        () => undefined,
      );
      return 'returned';
    };
    const engine = await rig.engine({ run: { run } });
    const { taskId } = (await engine.submit('run')).task;
    expect(await engine.outcome(taskId)).toEqual({ kind: 'result', value: 'returned' });
    const pid = await spawning;
    await until(async () => pid === undefined || !(await isRunning(pid)));
  });

  it('[ENGINE-18] that holds the output of an isolated process does not hide that this process died', async () => {
    const site = await openSite();
    const taskId = await site.start().submit('aloneOrphan');
    const signal = AbortSignal.timeout(60_000);
    expect(await site.access.outcome(taskId, { signal })).toMatchObject({ kind: 'error', error: { code: 'CRASHED' } });
  });
});
