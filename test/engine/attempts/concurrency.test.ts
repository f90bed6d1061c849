import type { TaskContext, TaskStore } from 'holdfast';
import { until, untilStatus } from 'holdfast/testing';
import { describe, expect, it } from 'vitest';
import { createGate, openLightRig, storeKinds, untilAborted } from '../open-rig.ts';

const YES = { type: 'object', properties: { yes: { type: 'boolean' } } };
const accept = { action: 'accept', content: { yes: true } } as const;
const ask = (task: TaskContext) => task.ask({ message: 'Go on?', schema: YES });

/** Counts how many are inside at once. */
function createMeter() {
  let inside = 0;
  let most = 0;
  return {
    enter: () => {
      most = Math.max(most, ++inside);
    },
    leave: () => void inside--,
    get most() {
      return most;
    },
  };
}

const turn = () => new Promise<void>((resolve) => setImmediate(resolve));

describe.each(storeKinds)('limits on the %s store', (kind) => {
  it('[ENGINE-09] no more attempts run at once than the engine and the tool allow, and all get their turn', async () => {
    const rig = await openLightRig(kind);
    const all = createMeter();
    const narrow = createMeter();
    const run =
      (...meters: ReturnType<typeof createMeter>[]) =>
      async () => {
        for (const meter of meters) meter.enter();
        // The first ones stay until there is no room for another: then it is seen whether one more comes.
        await until(() => all.most >= 3 && narrow.most >= 2, { what: 'the limits to be reached' });
        for (let i = 0; i < 5; i++) await turn();
        for (const meter of meters) meter.leave();
      };
    const tools = { wide: { run: run(all) }, narrow: { concurrency: 2, run: run(all, narrow) } };
    const engine = await rig.engine(tools, { concurrency: 3 });
    const submits = Array.from({ length: 40 }, (_, i) => engine.submit(i % 2 ? 'wide' : 'narrow'));
    const tasks = await Promise.all(submits);
    await Promise.all(tasks.map(({ task }) => engine.outcome(task.taskId)));
    expect(all.most).toBe(3);
    expect(narrow.most).toBe(2);
  });

  it('[ENGINE-09] a tool at its limit does not hold up another one behind it in the queue', async () => {
    const rig = await openLightRig(kind);
    const gate = createGate();
    const tools = { slow: { concurrency: 1, run: () => gate.opened }, quick: { run: () => 'quick' } };
    const engine = await rig.engine(tools, { concurrency: 2 });
    const slow = await Promise.all(Array.from({ length: 10 }, () => engine.submit('slow')));
    const quick = await engine.submit('quick');
    expect(await engine.outcome(quick.task.taskId)).toEqual({ kind: 'result', value: 'quick' });
    gate.open();
    await Promise.all(slow.map(({ task }) => engine.outcome(task.taskId)));
  });

  it('[ENGINE-12] a retry is not late because another tool has work waiting', async () => {
    const rig = await openLightRig(kind);
    const slow = (_args: unknown, task: TaskContext) => untilAborted(task.signal);
    let runs = 0;
    const flaky = () => {
      if (runs++ === 0) throw Object.assign(new Error('not yet'), { retryable: true });
      return 'at last';
    };
    const engine = await rig.engine({
      slow: { concurrency: 1, run: slow },
      flaky: { idempotent: true, retry: { firstDelayMs: 50 }, run: flaky },
    });
    const held = await Promise.all([engine.submit('slow', 1), engine.submit('slow', 2)]);
    const { taskId } = (await engine.submit('flaky')).task;
    await engine.outcome(taskId);
    const { createdAt, endedAt = 0 } = await engine.get(taskId);
    // The backstop that would find it otherwise comes after 5 s.
    expect(endedAt - createdAt).toBeLessThan(3000);
    for (const { task } of held) await engine.cancel(task.taskId);
  });

  it('[ENGINE-34] an attempt that waits for an answer frees its slot, and gets one again before new work', async () => {
    const rig = await openLightRig(kind);
    const gate = createGate();
    const order: string[] = [];
    const tools = {
      asks: {
        run: async (_args: unknown, task: TaskContext) => {
          await ask(task);
          order.push('answered');
        },
      },
      next: {
        run: async (name: string) => {
          order.push(name);
          if (name === 'first') await gate.opened;
        },
      },
    };
    const engine = await rig.engine(tools, { concurrency: 1 });
    const asks = (await engine.submit('asks')).task.taskId;
    await untilStatus(engine, asks, 'input_required');
    const first = (await engine.submit('next', 'first')).task.taskId;
    await untilStatus(engine, first, 'working');
    const second = (await engine.submit('next', 'second')).task.taskId;
    await engine.answer(asks, { q1: accept });
    gate.open();
    await Promise.all([asks, first, second].map((taskId) => engine.outcome(taskId)));
    expect(order).toEqual(['first', 'answered', 'second']);
  });

  it('[ENGINE-34] an answered attempt that waits for its own tool does not hold up another tool', async () => {
    const rig = await openLightRig(kind);
    const gate = createGate();
    const tools = {
      single: {
        concurrency: 1,
        run: async (how: string, task: TaskContext) => (how === 'ask' ? ask(task) : gate.opened),
      },
      quick: { run: () => 'quick' },
    };
    const engine = await rig.engine(tools, { concurrency: 2 });
    const asks = (await engine.submit('single', 'ask')).task.taskId;
    await untilStatus(engine, asks, 'input_required');
    const holds = (await engine.submit('single', 'hold')).task.taskId;
    await untilStatus(engine, holds, 'working');
    await engine.answer(asks, { q1: accept });
    const quick = (await engine.submit('quick')).task.taskId;
    expect(await engine.outcome(quick)).toEqual({ kind: 'result', value: 'quick' });
    gate.open();
    expect(await engine.outcome(asks)).toEqual({ kind: 'result', value: { yes: true } });
  });

  it('[ENGINE-34] an answered attempt that is cancelled before it has a slot again costs none', async () => {
    const rig = await openLightRig(kind);
    const gate = createGate();
    let returned = false;
    const run = async (_args: unknown, task: TaskContext) => {
      await ask(task).finally(() => {
        returned = true;
      });
    };
    const tools = { asks: { run }, hold: { run: () => gate.opened } };
    const engine = await rig.engine(tools, { concurrency: 1 });
    const asks = (await engine.submit('asks')).task.taskId;
    await untilStatus(engine, asks, 'input_required');
    const holds = (await engine.submit('hold')).task.taskId;
    await untilStatus(engine, holds, 'working');
    await engine.answer(asks, { q1: accept });
    await untilStatus(engine, asks, 'working');
    await engine.cancel(asks);
    await until(() => returned);
    gate.open();
    await engine.outcome(holds);
    const after = (await engine.submit('hold')).task.taskId;
    expect(await engine.outcome(after)).toEqual({ kind: 'result', value: null });
  });

  it('[ENGINE-07] a tool that ignores its signal keeps its slot for a while and not for ever', async () => {
    const rig = await openLightRig(kind);
    const never = createGate();
    const tools = { deaf: { run: () => never.opened }, quick: { run: () => 'quick' } };
    const engine = await rig.engine(tools, { concurrency: 1, abortGraceMs: 30 });
    const deaf = (await engine.submit('deaf')).task.taskId;
    await untilStatus(engine, deaf, 'working');
    const quick = (await engine.submit('quick')).task.taskId;
    await engine.cancel(deaf);
    expect(await engine.outcome(quick)).toEqual({ kind: 'result', value: 'quick' });
    expect(await engine.outcome(deaf)).toMatchObject({ kind: 'cancelled' });
    const [error] = await until(() => {
      const errors = rig.takeErrors();
      return errors.length > 0 && errors;
    });
    expect(error).toMatchObject({ code: 'TIMED_OUT', message: expect.stringContaining(deaf) });
    never.open();
  });
});

describe('a claim that takes its time', () => {
  it('[ENGINE-09] [ENGINE-34] keeps its slots: an answer that comes meanwhile does not lift the limit', async () => {
    const rig = await openLightRig();
    const meter = createMeter();
    const [claim, work] = [createGate(), createGate()];
    const enter = async () => {
      meter.enter();
      await work.opened;
      meter.leave();
    };
    const tools = {
      asks: { run: (_args: unknown, task: TaskContext) => ask(task).then(enter) },
      next: { run: enter },
    };
    let isSlow = false;
    const { tasks } = rig.store;
    const slowTasks: TaskStore = {
      ...tasks,
      async claim(request) {
        const claimed = await tasks.claim(request);
        if (isSlow) await claim.opened;
        return claimed;
      },
    };
    const engine = await rig.engine(tools, { store: { ...rig.store, tasks: slowTasks }, concurrency: 1 });
    const asks = (await engine.submit('asks')).task.taskId;
    await untilStatus(engine, asks, 'input_required');
    isSlow = true;
    const next = (await engine.submit('next')).task.taskId;
    await untilStatus(engine, next, 'working');
    await engine.answer(asks, { q1: accept });
    for (let i = 0; i < 50; i++) await turn();
    claim.open();
    await until(() => meter.most > 0);
    for (let i = 0; i < 50; i++) await turn();
    work.open();
    await Promise.all([asks, next].map((taskId) => engine.outcome(taskId)));
    expect(meter.most).toBe(1);
  });
});

describe('two engines on one file', () => {
  it('[ENGINE-19] only a worker of the same identity runs a task', async () => {
    const rig = await openLightRig();
    const run = (name: string) => ({ where: { run: () => name } });
    const other = await rig.engine(run('other'), { identity: 'other', store: await rig.reopen() });
    const mine = await rig.idleEngine(run('mine'));
    const { taskId } = (await mine.submit('where')).task;
    // The other one has had its look at the queue once it has run something newer of its own.
    const theirs = (await other.submit('where')).task.taskId;
    expect(await other.outcome(theirs)).toEqual({ kind: 'result', value: 'other' });
    expect((await mine.get(taskId)).status).toBe('queued');
    await mine.start();
    expect(await mine.outcome(taskId)).toEqual({ kind: 'result', value: 'mine' });
  });
});
