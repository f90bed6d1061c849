import type { Task, TaskContext } from 'holdfast';
import { until } from 'holdfast/testing';
import { describe, expect, it } from 'vitest';
import { JobFollower } from '../../../src/dialects/job/follower.ts';
import type { TaskClient } from '../../../src/engine/task-client.ts';
import { openLightRig } from '../../engine/open-rig.ts';

type Told = readonly [method: string, params: { readonly [key: string]: unknown }];

/** A follower on an engine whose tool does as the test says, and what it told. */
async function openFollower(run: (task: TaskContext) => unknown, { fails = false } = {}) {
  const rig = await openLightRig('memory');
  const done = { content: [] };
  const work = { run: async (_: unknown, task: TaskContext) => ((await run(task)) as object) ?? done };
  const engine = await rig.engine({ work });
  const told: Told[] = [];
  const errors: unknown[] = [];
  const state = { canHear: true, isWaiting: false, hasEnd: false };
  const notify = async (method: string, params: Told[1]) => {
    if (fails) throw new Error('the pipe is broken');
    told.push([method.replace('notifications/', ''), params]);
  };
  const follower = new JobFollower({
    // The built engine names its operator by a symbol of its own.
    engine: engine as unknown as TaskClient,
    errorDetails: false,
    report: (error) => errors.push(error),
    line: {
      notify,
      canDeliver: () => state.canHear,
      async whenDeliverable(signal) {
        state.isWaiting = true;
        await until(() => state.canHear || signal.aborted);
        state.isWaiting = false;
        signal.throwIfAborted();
      },
      async sendEnd(end, signal) {
        state.hasEnd = true;
        await until(() => state.canHear || signal.aborted);
        if (!signal.aborted) await end.send(await end.read());
      },
    },
  });
  const submit = async (): Promise<Task> => (await engine.submit('work', {})).task;
  const untilEnd = () => until(() => told.some(([method]) => method === 'tool_result'));
  const shares = () => told.map(([, { progress, message }]) => [progress, message]).slice(0, -1);
  return { engine, follower, told, errors, state, submit, untilEnd, shares };
}

describe('a follower of jobs', () => {
  it('[JOB-45] tells progress that never falls, and nothing twice', async () => {
    const { follower, submit, untilEnd, shares } = await openFollower(async (task) => {
      for (const [value, message] of [
        [0, 'a'],
        [0.5, 'b'],
        [0.2, 'back'],
        [0.5, 'c'],
        [0.5, 'c'],
        [1, 'd'],
      ] as const) {
        await task.progress(value, message);
      }
    });
    follower.follow(await submit());
    await untilEnd();
    expect(shares()).toEqual([
      [0, 'a'],
      [0.5, 'b'],
      [0.5, 'c'],
      [1, 'd'],
    ]);
  });

  it('[JOB-46] keeps its share when a tool counts without a total', async () => {
    const { follower, submit, untilEnd, shares } = await openFollower(async (task) => {
      await task.progress(0.25, 'a quarter');
      await task.progress(150, '150 files');
    });
    follower.follow(await submit());
    await untilEnd();
    expect(shares()).toEqual([
      [0.25, 'a quarter'],
      [0.25, '150 files'],
    ]);
  });

  it('[JOB-47] tells a job that has ended once, however often it is taken up', async () => {
    const { engine, follower, told, submit, untilEnd } = await openFollower(() => 'done');
    const task = await submit();
    await engine.outcome(task.taskId);
    const ended = await engine.get(task.taskId);
    follower.resume(ended);
    follower.resume(ended);
    await untilEnd();
    const other = await submit();
    follower.resume(ended);
    follower.follow(other);
    await until(() => told.some(([, params]) => params.job_id === other.taskId));
    expect(told.filter(([, params]) => params.job_id === task.taskId)).toHaveLength(1);
  });

  it('[JOB-48] tells no progress that nobody heard after the work, and keeps the result until somebody does', async () => {
    const { follower, told, state, submit, untilEnd } = await openFollower((task) => task.progress(0.5));
    state.canHear = false;
    follower.follow(await submit());
    await until(() => state.hasEnd);
    expect(told).toEqual([]);
    state.canHear = true;
    await untilEnd();
    expect(told.map(([method]) => method)).toEqual(['tool_result']);
  });

  it('[JOB-48] tells how far it is as soon as somebody hears it, while the work goes on', async () => {
    let open = () => {};
    const gate = new Promise<void>((resolve) => {
      open = resolve;
    });
    const { follower, told, state, engine, submit, untilEnd } = await openFollower(async (task) => {
      await task.progress(0.5, 'half');
      await gate;
    });
    state.canHear = false;
    const task = await submit();
    follower.follow(task);
    await until(async () => (await engine.get(task.taskId)).progress?.message === 'half');
    expect(told).toEqual([]);
    state.canHear = true;
    await until(() => told.some(([, { message }]) => message === 'half'));
    open();
    await untilEnd();
    expect(told.map(([method]) => method)).toEqual(['progress', 'tool_result']);
  });

  it('[JOB-49] reports no error when it is closed before progress could be delivered', async () => {
    const { follower, told, errors, state, engine, submit } = await openFollower((task) => task.progress(0.5, 'half'));
    state.canHear = false;
    const { taskId } = await submit();
    follower.follow(await engine.get(taskId));
    await until(() => state.hasEnd);
    expect(state.isWaiting).toBe(true);
    follower.close();
    await until(() => !state.isWaiting);
    expect({ told, errors }).toEqual({ told: [], errors: [] });
  });

  it('[JOB-49] says nothing after it was closed, and the work goes on', async () => {
    let open = () => {};
    const gate = new Promise<void>((resolve) => {
      open = resolve;
    });
    const { engine, follower, told, errors, submit } = await openFollower(() => gate.then(() => 'done'));
    const { taskId, ...rest } = await submit();
    follower.follow({ taskId, ...rest });
    follower.close();
    open();
    expect(await engine.outcome(taskId)).toEqual({ kind: 'result', value: 'done' });
    follower.follow(await submit());
    expect([told, errors]).toEqual([[], []]);
  });

  it('[JOB-50] reports why a job could not be told of', async () => {
    const { follower, errors, submit } = await openFollower(() => 'done', { fails: true });
    follower.follow(await submit());
    await until(() => errors.length > 0);
    expect(errors).toEqual([new Error('the pipe is broken')]);
  });
});
