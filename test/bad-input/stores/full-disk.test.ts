import type { Clock, Engine, TaskContext } from 'holdfast';
import { until, untilStatus } from 'holdfast/testing';
import { describe, expect, it } from 'vitest';
import { createGate, openRig, type Rig } from '../../engine/open-rig.ts';
import { watchDriver } from '../../sqlite/watch-driver.ts';

const connections = watchDriver();

async function openDisk(): Promise<Rig & { fill(): void; free(): void }> {
  connections.length = 0;
  const rig = await openRig();
  // The last one: a new file is first made under another name.
  const connection = connections.at(-1);
  if (!connection) throw new Error('the store has opened no connection');
  return {
    ...rig,
    fill() {
      const { page_count: pages } = connection.prepare('PRAGMA page_count').get() as { page_count: number };
      connection.prepare(`PRAGMA max_page_count = ${pages}`).get();
    },
    free: () => void connection.prepare('PRAGMA max_page_count = 1073741823').get(),
  };
}

/** Ten seconds of patience pass in one. */
const hurriedClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now() * 10,
  after(ms, fn) {
    const timer = setTimeout(fn, ms / 10);
    return () => clearTimeout(timer);
  },
};

const big = 'x'.repeat(100_000);

const hold = (gate: { opened: Promise<void> }, value: unknown) => async () => {
  await gate.opened;
  return value;
};

const start = async (engine: Engine, tool: string) => {
  const { taskId } = (await engine.submit(tool)).task;
  await untilStatus(engine, taskId, 'working');
  return taskId;
};

describe('a full disk', () => {
  it('[INPUT-11] refuses a submit with STORE_FULL, and takes it when there is room again', async () => {
    const disk = await openDisk();
    const engine = await disk.engine({ echo: { run: ({ text }: { text: string }) => text.length } });
    const before = (await engine.submit('echo', { text: 'a' })).task.taskId;
    expect(await engine.outcome(before)).toEqual({ kind: 'result', value: 1 });
    disk.fill();
    await expect(engine.submit('echo', { text: big })).rejects.toMatchObject({
      code: 'STORE_FULL',
      message: expect.stringContaining('free space'),
    });
    expect((await engine.list()).tasks.map(({ taskId }) => taskId)).toEqual([before]);
    disk.free();
    const after = (await engine.submit('echo', { text: big })).task.taskId;
    expect(await engine.outcome(after)).toEqual({ kind: 'result', value: big.length });
  });

  it('[INPUT-11] costs progress and nothing else', async () => {
    const disk = await openDisk();
    const gate = createGate();
    const run = async (_args: unknown, task: TaskContext) => {
      await gate.opened;
      for (let i = 0; i < 1000; i++) await task.progress(i, big.slice(0, 1000));
      disk.free();
      return 'done';
    };
    const engine = await disk.engine({ chatty: { run } });
    const taskId = await start(engine, 'chatty');
    disk.fill();
    gate.open();
    expect(await engine.outcome(taskId)).toEqual({ kind: 'result', value: 'done' });
    const errors = disk.takeErrors();
    expect(errors.length).toBeGreaterThan(0);
    for (const error of errors) expect(error).toMatchObject({ code: 'STORE_FULL' });
  });

  it('[INPUT-11] keeps a result in memory until it fits, and loses no other task', async () => {
    const disk = await openDisk();
    const gate = createGate();
    const engine = await disk.engine({ large: { run: hold(gate, big) }, small: { run: hold(gate, 'small') } });
    const large = await start(engine, 'large');
    const small = await start(engine, 'small');
    disk.fill();
    gate.open();
    const errors: unknown[] = [];
    await until(() => errors.push(...disk.takeErrors()) > 0);
    expect((await engine.get(large)).status).toBe('working');
    disk.free();
    expect(await engine.outcome(large)).toEqual({ kind: 'result', value: big });
    expect(await engine.outcome(small)).toEqual({ kind: 'result', value: 'small' });
    errors.push(...disk.takeErrors());
    for (const error of errors) expect(error).toMatchObject({ code: 'STORE_FULL' });
  });

  it('[INPUT-11] that stays full costs a large result, and the outcome says so', async () => {
    const disk = await openDisk();
    const gate = createGate();
    const tools = { large: { run: hold(gate, big) }, small: { run: hold(gate, 'small') } };
    const engine = await disk.engine(tools, { clock: hurriedClock, leaseMs: 600_000 });
    const large = await start(engine, 'large');
    const small = await start(engine, 'small');
    // Room for small things, as a nearly full disk has it.
    const spare = (await engine.submit('small')).task.taskId;
    await engine.cancel(spare);
    disk.fill();
    gate.open();
    const outcome = await engine.outcome(large, { signal: AbortSignal.timeout(25_000) });
    expect(outcome).toMatchObject({
      kind: 'error',
      error: { code: 'STORE_FULL', message: expect.stringContaining('the work was done') },
    });
    expect(await engine.outcome(small)).toEqual({ kind: 'result', value: 'small' });
    for (const error of disk.takeErrors()) expect(error).toMatchObject({ code: 'STORE_FULL' });
  });
});
