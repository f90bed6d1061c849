import { isOpen, type TaskContext } from 'holdfast';
import { until, untilStatus } from 'holdfast/testing';
import { describe, expect, it } from 'vitest';
import { createGate, openRig, storeKinds } from './open-rig.ts';

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
    const rig = await openRig(kind);
    const all = createMeter();
    const narrow = createMeter();
    const run =
      (...meters: ReturnType<typeof createMeter>[]) =>
      async () => {
        for (const meter of meters) meter.enter();
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
    const rig = await openRig(kind);
    const gate = createGate();
    const tools = { slow: { concurrency: 1, run: () => gate.opened }, quick: { run: () => 'quick' } };
    const engine = await rig.engine(tools, { concurrency: 2 });
    const slow = await Promise.all(Array.from({ length: 10 }, () => engine.submit('slow')));
    const quick = await engine.submit('quick');
    expect(await engine.outcome(quick.task.taskId)).toEqual({ kind: 'result', value: 'quick' });
    gate.open();
    await Promise.all(slow.map(({ task }) => engine.outcome(task.taskId)));
  });

  it('[ENGINE-34] an attempt that waits for an answer frees its slot, and gets one again before new work', async () => {
    const rig = await openRig(kind);
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

  it('[ENGINE-09] [ENGINE-34] answers that come while work is claimed do not lift the limit', async () => {
    const rig = await openRig(kind);
    const meter = createMeter();
    const run = async (_args: unknown, task: TaskContext) => {
      await ask(task);
      meter.enter();
      await turn();
      await turn();
      meter.leave();
    };
    const engine = await rig.engine({ asks: { run } }, { concurrency: 2 });
    const stop = new AbortController();
    const answering = (async () => {
      while (!stop.signal.aborted) {
        const { tasks } = await engine.list({ status: 'input_required' });
        const open = tasks.filter(({ questions }) => questions.some(isOpen));
        await Promise.all(open.map(({ taskId }) => engine.answer(taskId, { q1: accept })));
        await turn();
      }
    })();
    const tasks = await Promise.all(Array.from({ length: 60 }, () => engine.submit('asks')));
    await Promise.all(tasks.map(({ task }) => engine.outcome(task.taskId)));
    stop.abort();
    await answering;
    expect(meter.most).toBeLessThanOrEqual(2);
  });

  it('[ENGINE-34] an answered attempt that waits for its own tool does not hold up another tool', async () => {
    const rig = await openRig(kind);
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
    const rig = await openRig(kind);
    const gate = createGate();
    const tools = { asks: { run: (_args: unknown, task: TaskContext) => ask(task) }, hold: { run: () => gate.opened } };
    const engine = await rig.engine(tools, { concurrency: 1 });
    const asks = (await engine.submit('asks')).task.taskId;
    await untilStatus(engine, asks, 'input_required');
    const holds = (await engine.submit('hold')).task.taskId;
    await untilStatus(engine, holds, 'working');
    await engine.answer(asks, { q1: accept });
    await untilStatus(engine, asks, 'working');
    await engine.cancel(asks);
    gate.open();
    await engine.outcome(holds);
    const after = (await engine.submit('hold')).task.taskId;
    expect(await engine.outcome(after)).toEqual({ kind: 'result', value: null });
  });

  it('[ENGINE-07] a tool that ignores its signal keeps its slot for a while and not for ever', async () => {
    const rig = await openRig(kind);
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

describe('two engines on one file', () => {
  it('[ENGINE-19] only a worker of the same identity runs a task', async () => {
    const rig = await openRig();
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
