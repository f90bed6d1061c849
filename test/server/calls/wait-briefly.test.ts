import { createFakeClock, until } from 'holdfast/testing';
import { describe, expect, it, onTestFinished } from 'vitest';
import { waitBriefly } from '../../../src/dialects/tasks-2026/wait-briefly.ts';
import { createEngine, type Engine } from '../../../src/engine/engine.ts';
import { WarmWorker } from '../../../src/server/warm-worker.ts';
import { createMemoryStore } from '../../../src/store/memory/memory-store.ts';

const INLINE_MS = 1000;

/** An engine whose worker comes when `engine.start` is called, on a clock that stands still. */
async function openLightRig(concurrency = 16) {
  const clock = createFakeClock();
  const run = (_args: unknown, { signal }: { signal: AbortSignal }) =>
    new Promise((_, reject) => signal.addEventListener('abort', reject, { once: true }));
  const tools = { instant: { run: () => 'done' }, endless: { run } };
  const store = createMemoryStore({ clock });
  const engine = await createEngine({ name: 'wait', store, clock, tools, concurrency, shutdownGraceMs: 0 });
  onTestFinished(async () => {
    const closing = engine.close();
    await clock.advance(60_000);
    await closing;
  });
  const begin = async (tool: string, maxMs = Number.POSITIVE_INFINITY) => {
    const { task } = await engine.submit(tool);
    const waiting = waitBriefly({ engine, task }, { ms: INLINE_MS, maxMs, clock });
    const seen: { status?: string } = {};
    void waiting.then(({ status }) => {
      seen.status = status;
    });
    return { task, waiting, seen };
  };
  return { clock, engine, begin };
}

async function untilClaimed(engine: Engine, taskId: string): Promise<void> {
  await until(async () => (await engine.get(taskId)).status === 'working');
}

describe('the time that a call is waited for', () => {
  it('[HOSTS-230] does not run while the worker is being started', async () => {
    const { clock, engine, begin } = await openLightRig();
    const { waiting, seen } = await begin('instant');
    await clock.advance(10 * INLINE_MS);
    expect(seen).toEqual({});
    await engine.start();
    expect((await waiting).status).toBe('completed');
  });

  it('[HOSTS-230] runs from the moment the task is claimed', async () => {
    const { clock, engine, begin } = await openLightRig();
    const { task, waiting, seen } = await begin('endless');
    await clock.advance(10 * INLINE_MS);
    await engine.start();
    await untilClaimed(engine, task.taskId);
    await clock.advance(INLINE_MS - 1);
    expect(seen).toEqual({});
    await clock.advance(1);
    expect((await waiting).status).toBe('working');
  });

  it('[HOSTS-231] ends before the client gives up, worker or not', async () => {
    const { clock, begin } = await openLightRig();
    const { waiting, seen } = await begin('instant', 5 * INLINE_MS);
    await clock.advance(5 * INLINE_MS - 1);
    expect(seen).toEqual({});
    await clock.advance(1);
    expect((await waiting).status).toBe('queued');
  });

  it('[HOSTS-231] runs while a worker is there that is busy with other tasks', async () => {
    const { clock, engine, begin } = await openLightRig(1);
    await engine.start();
    const first = await begin('endless');
    await untilClaimed(engine, first.task.taskId);
    const { waiting } = await begin('instant');
    await clock.advance(2 * INLINE_MS);
    expect((await waiting).status).toBe('queued');
    await first.waiting;
  });
});

describe('a warm worker', () => {
  const list = { jsonrpc: '2.0', id: 1, method: 'tools/list' };

  function openWarm() {
    const clock = createFakeClock();
    const starts: string[] = [];
    const engine = { warm: () => starts.push('started') } as unknown as Engine;
    const warm = new WarmWorker({
      clock,
      openEngine: async () => engine,
      report: (error) => starts.push(String(error)),
    });
    return { clock, starts, warm };
  }

  it('[HOSTS-232] is started once for a client that lists tools and stays', async () => {
    const { clock, starts, warm } = openWarm();
    warm.observe({ jsonrpc: '2.0', id: 0, method: 'initialize' });
    await clock.advance(10_000);
    expect(starts).toEqual([]);
    warm.observe(list);
    warm.observe(list);
    await clock.advance(10_000);
    warm.observe(list);
    await clock.advance(10_000);
    expect(starts).toEqual(['started']);
  });

  it('[HOSTS-233] is not started for a client that lists tools and leaves', async () => {
    const { clock, starts, warm } = openWarm();
    warm.observe(list);
    await clock.advance(100);
    warm.stop();
    await clock.advance(10_000);
    expect(starts).toEqual([]);
  });
});
