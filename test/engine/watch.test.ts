import type { Engine, EventGap, TaskContext, TaskEvent, WatchOptions } from 'holdfast';
import { until, untilStatus } from 'holdfast/testing';
import { describe, expect, it } from 'vitest';
import { createGate, openLightRig, storeKinds } from './open-rig.ts';

async function collect(engine: Engine, taskId: string, options?: WatchOptions) {
  const events: (TaskEvent | EventGap)[] = [];
  for await (const event of engine.watch(taskId, options)) events.push(event);
  return events;
}

const noisy = (gate: { opened: Promise<void> }) => ({
  run: async (_args: unknown, task: TaskContext) => {
    await task.step('first', () => 1);
    await gate.opened;
    await task.log('warning', 'careful', { why: 'wet' });
    await task.stream({ piece: 1 });
    await task.progress(1, 'all');
  },
});

describe.each(storeKinds)('watch on the %s store', (kind) => {
  it('[ENGINE-05] [ENGINE-30] yields past and coming events once, numbered from 1, and ends with the task', async () => {
    const rig = await openLightRig(kind);
    const gate = createGate();
    const engine = await rig.engine({ noisy: noisy(gate) });
    const { taskId } = (await engine.submit('noisy')).task;
    await until(async () => (await engine.get(taskId)).lastSeq >= 3);
    const live = collect(engine, taskId);
    gate.open();
    const events = await live;
    expect(events).toMatchObject([
      { seq: 1, type: 'submitted' },
      { seq: 2, type: 'claimed', attempt: 1, fence: 1 },
      { seq: 3, type: 'stepped', name: 'first' },
      { seq: 4, type: 'log', level: 'warning', message: 'careful', data: { why: 'wet' } },
      { seq: 5, type: 'stream', data: { piece: 1 } },
      { seq: 6, type: 'progress', value: 1, message: 'all' },
      { seq: 7, type: 'ended', status: 'completed', outcome: 'result' },
    ]);
    expect(await collect(engine, taskId)).toEqual(events);
    expect(await collect(engine, taskId, { afterSeq: 5 })).toEqual(events.slice(5));
    expect(await collect(engine, taskId, { afterSeq: 7 })).toEqual([]);
  });

  it('[ENGINE-05] ends quietly when its signal aborts', async () => {
    const rig = await openLightRig(kind);
    const engine = await rig.idleEngine({ any: { run: () => 1 } });
    const { taskId } = (await engine.submit('any')).task;
    const controller = new AbortController();
    const seen: unknown[] = [];
    for await (const event of engine.watch(taskId, { signal: controller.signal })) {
      seen.push(event.type);
      setImmediate(() => controller.abort());
    }
    expect(seen).toEqual(['submitted']);
    expect(await collect(engine, taskId, { signal: AbortSignal.abort() })).toEqual([]);
  });

  it('[ENGINE-05] yields a gap for what was trimmed, and everything after it', async () => {
    const rig = await openLightRig(kind);
    const gate = createGate();
    const run = async (_args: unknown, task: TaskContext) => {
      for (let i = 0; i < 10_500; i++) await task.progress(i);
      await gate.opened;
    };
    const engine = await rig.engine({ chatty: { run } }, { sweepMs: 20 });
    const { taskId } = (await engine.submit('chatty')).task;
    await until(async () => ((await rig.store.tasks.events(taskId, 2, 1))[0]?.seq ?? 0) > 3);
    gate.open();
    await engine.outcome(taskId);
    const events = await collect(engine, taskId);
    expect(events.slice(0, 3)).toMatchObject([
      { type: 'submitted', seq: 1 },
      { type: 'claimed', seq: 2 },
      { type: 'gap', from: 3 },
    ]);
    const gap = events[2] as EventGap;
    const kept = events.slice(3) as TaskEvent[];
    expect(gap.to).toBeGreaterThanOrEqual(500);
    expect(kept.map(({ seq }) => seq)).toEqual(Array.from({ length: kept.length }, (_, i) => gap.to + 1 + i));
    expect(kept.at(-1)).toMatchObject({ type: 'ended' });
    expect(kept.length).toBeLessThanOrEqual(10_001);
    expect((await engine.get(taskId)).progress).toMatchObject({ value: 10_499 });
  });
});

describe('watch on a file', () => {
  it('[ENGINE-06] sees live what an engine on another connection does', async () => {
    const rig = await openLightRig();
    const gate = createGate();
    const worker = await rig.engine({ noisy: noisy(gate) });
    const reader = await rig.idleEngine({ noisy: noisy(gate) }, { store: await rig.reopen() });
    const { taskId } = (await reader.submit('noisy')).task;
    const seen: string[] = [];
    const watching = (async () => {
      for await (const event of reader.watch(taskId)) {
        seen.push(event.type);
        if (event.type === 'stepped') gate.open();
      }
    })();
    await watching;
    expect(seen).toEqual(['submitted', 'claimed', 'stepped', 'log', 'stream', 'progress', 'ended']);
    await untilStatus(worker, taskId, 'completed');
  });

  it('[ENGINE-30] [TASK-07] ten thousand calls of progress take few commits and do not hold up the tool', async () => {
    const rig = await openLightRig();
    let batches = 0;
    rig.store.changes.subscribe((changes) => {
      if (changes.some(({ type }) => type === 'progress')) batches++;
    });
    const run = async (_args: unknown, task: TaskContext) => {
      for (let i = 1; i <= 10_000; i++) await task.progress(i / 10_000, `Part ${i}`);
    };
    const engine = await rig.engine({ chatty: { run } });
    const { taskId } = (await engine.submit('chatty')).task;
    await engine.outcome(taskId);
    expect(batches).toBeLessThanOrEqual(100);
    expect(await engine.get(taskId)).toMatchObject({ lastSeq: 10_003, progress: { value: 1, message: 'Part 10000' } });
  });

  it('[ENGINE-30] progress is on the record while the tool runs', async () => {
    const rig = await openLightRig();
    const gate = createGate();
    const run = async (_args: unknown, task: TaskContext) => {
      await task.progress(0.25, 'a quarter');
      await gate.opened;
    };
    const engine = await rig.engine({ slow: { run } });
    const { taskId } = (await engine.submit('slow')).task;
    const task = await until(async () => {
      const now = await engine.get(taskId);
      return now.progress && now;
    });
    expect(task).toMatchObject({ status: 'working', statusMessage: 'a quarter', progress: { value: 0.25 } });
    gate.open();
    await engine.outcome(taskId);
  });
});
