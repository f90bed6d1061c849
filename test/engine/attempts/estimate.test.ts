import { type TaskContext, toRemainingMs } from 'holdfast';
import { createFakeClock, untilStatus } from 'holdfast/testing';
import { describe, expect, it } from 'vitest';
import { createGate, openLightRig, storeKinds } from '../open-rig.ts';

describe.each(storeKinds)('estimates on the %s store', (kind) => {
  it('[ENGINE-43] are fixed, or computed from the arguments', async () => {
    const rig = await openLightRig(kind);
    const run = () => 1;
    const engine = await rig.idleEngine({
      fixed: { run, estimateMs: 1500 },
      computed: { run, estimateMs: ({ pages }: { pages: number }) => pages * 10 },
      unsure: { run, estimateMs: () => undefined },
    });
    const estimate = async (tool: string, args = {}) => (await engine.submit(tool, args)).task.estimateMs;
    expect(await estimate('fixed')).toBe(1500);
    expect(await estimate('computed', { pages: 7 })).toBe(70);
    expect(await estimate('unsure')).toBeUndefined();
  });

  it('[ENGINE-43] [ENGINE-47] that throw or make no sense are reported and refuse no work', async () => {
    const rig = await openLightRig(kind);
    const estimateMs = ({ bad }: { bad: string }) => {
      if (bad === 'throw') throw new Error('no idea');
      return Number(bad);
    };
    const engine = await rig.engine({ any: { run: () => 'ran', estimateMs } });
    for (const bad of ['throw', 'NaN', '-1', 'Infinity']) {
      const { task } = await engine.submit('any', { bad });
      expect(task.estimateMs).toBeUndefined();
      expect(await engine.outcome(task.taskId)).toEqual({ kind: 'result', value: 'ran' });
      expect(rig.takeErrors()).toHaveLength(1);
    }
  });

  it('[ENGINE-43] are learned: the median of the last 20 successful runs', async () => {
    const clock = createFakeClock();
    const rig = await openLightRig('memory');
    const run = async ({ takesMs }: { takesMs: number }) => {
      await clock.advance(takesMs);
      if (takesMs === 77) throw new Error('does not count');
    };
    const engine = await rig.engine({ any: { run } }, { clock, leaseMs: 1e9, superviseMs: 1e9, sweepMs: 1e9 });
    const submit = async (takesMs: number) => {
      const { task } = await engine.submit('any', { takesMs });
      await engine.outcome(task.taskId);
      return task.estimateMs;
    };
    expect(await submit(1000)).toBeUndefined();
    expect(await submit(2000)).toBe(1000);
    expect(await submit(77)).toBe(1500);
    expect(await submit(3000)).toBe(1500);
    for (let i = 0; i < 20; i++) await submit(5000);
    expect(await submit(5000)).toBe(5000);
  });

  it('[FIRST-404] say nothing while a task waits for an answer, though a run before it has taught how long it takes', async () => {
    const rig = await openLightRig(kind);
    const run = async (_args: unknown, task: TaskContext) => {
      await task.ask({ message: 'Go on?', schema: { type: 'object' } });
      return 'went on';
    };
    const engine = await rig.engine({ any: { run } });
    const first = await engine.submit('any', {});
    await untilStatus(engine, first.task.taskId, 'input_required');
    await engine.answer(first.task.taskId, { q1: { action: 'accept', content: {} } });
    await engine.outcome(first.task.taskId);
    const next = await engine.submit('any', {});
    expect(next.task.estimateMs).toBeTypeOf('number');
    const waiting = await untilStatus(engine, next.task.taskId, 'input_required');
    expect(toRemainingMs(waiting, engine.now())).toBeUndefined();
  });
});

describe('remaining time', () => {
  it('[ENGINE-43] falls as the task makes progress', async () => {
    const rig = await openLightRig();
    const gate = createGate();
    const next: ReturnType<typeof createGate>[] = [createGate(), createGate()];
    const run = async (_args: unknown, task: TaskContext) => {
      await task.progress(0.2);
      await next[0]?.opened;
      await task.progress(0.8);
      await gate.opened;
    };
    const engine = await rig.engine({ any: { run, estimateMs: 10_000 } });
    const { task } = await engine.submit('any');
    expect(toRemainingMs(task, Date.now())).toBe(10_000);
    const at = async (value: number) => {
      for await (const event of engine.watch(task.taskId)) {
        if (event.type === 'progress' && event.value === value) break;
      }
      return toRemainingMs(await engine.get(task.taskId), Date.now()) ?? Number.NaN;
    };
    const early = await at(0.2);
    next[0]?.open();
    const late = await at(0.8);
    expect(early).toBeLessThanOrEqual(10_000);
    expect(late).toBeLessThan(early);
    gate.open();
    await untilStatus(engine, task.taskId, 'completed');
  });
});
