import { createEngine, type Engine, type Store } from 'holdfast';
import { until } from 'holdfast/testing';
import { afterAll, describe, expect, it, onTestFinished } from 'vitest';
import { CountedPool } from './count-statements.ts';
import { PostgresScratch } from './scratch.ts';

const scratch = new PostgresScratch();
const pools: CountedPool[] = [];
afterAll(() => Promise.all(pools.map((pool) => pool.end())));

async function openCounted(schema = scratch.toSchema()): Promise<{ store: Store; pool: CountedPool }> {
  const pool = new CountedPool(scratch.cluster.url());
  pools.push(pool);
  const store = await scratch.open({ pool, schema });
  return { store, pool };
}

async function openEngine(): Promise<{ engine: Engine; pool: CountedPool }> {
  const { store, pool } = await openCounted();
  const tools = { noop: { run: (args: unknown) => args } };
  // Nothing of its housekeeping falls into what is counted.
  const calm = { superviseMs: 600_000, sweepMs: 600_000, leaseMs: 600_000 };
  const engine = await createEngine({ name: 'counted', store, workers: 'inline', concurrency: 64, tools, ...calm });
  await engine.start();
  onTestFinished(() => engine.close());
  // After so many its run time is known, and is read now and then only.
  for (let i = 0; i < 25; i++) await runOne(engine);
  return { engine, pool };
}

async function runOne(engine: Engine, principal = 'local'): Promise<void> {
  const { task } = await engine.submit('noop', { pages: [1, 2, 3] }, { principal });
  expect(await engine.outcome(task.taskId, { principal })).toEqual({ kind: 'result', value: { pages: [1, 2, 3] } });
}

describe('what a task costs that one process submits, runs and waits for', () => {
  it('[PG-271] is two transactions and one read, and no look at what the process itself has written', async () => {
    const { engine, pool } = await openEngine();
    await until(() => pool.count(/pg_notify/) > 0);
    pool.reset();
    const tasks = 20;
    for (let i = 0; i < tasks; i++) await runOne(engine);
    expect(pool.count(/^COMMIT$/)).toBeGreaterThanOrEqual(2 * tasks);
    expect(pool.count(/^COMMIT$/)).toBeLessThan(2.5 * tasks);
    // The last look before its tool begins.
    expect(pool.count(/^SELECT id, fence, worker FROM/)).toBe(tasks);
    expect(pool.count(/pg_current_snapshot/)).toBeLessThan(tasks / 2);
    // Now and then a time is kept, old run times are forgotten, or something is looked for in case a hint was lost.
    expect(pool.count()).toBeLessThan(20 * tasks);
  });

  it.each([
    ['one principal', () => 'local'],
    ['principals that have limits', (lane: number) => `user-${lane % 5}`],
  ])('[PG-271] is shared by those that are under way at once, of %s', async (_, toPrincipal) => {
    const { engine, pool } = await openEngine();
    const [lanes, rounds] = [64, 4];
    const run = () => Promise.all(Array.from({ length: lanes }, (_, lane) => runOne(engine, toPrincipal(lane))));
    await run();
    pool.reset();
    for (let round = 0; round < rounds; round++) await run();
    expect(pool.count()).toBeLessThan(3 * lanes * rounds);
  });
});

describe('a process that listens', () => {
  it('[PG-273] announces nothing while no other does, and everything from the moment that one begins', async () => {
    const schema = scratch.toSchema();
    const one = await openCounted(schema);
    const other = await openCounted(schema);
    const heard: string[] = [];
    onTestFinished(one.store.changes.subscribe(() => {}));
    const toTask = (n: number) => ({
      ...{ taskId: `task-${n}`, tool: 'noop', args: {}, principal: 'ada', identity: 'counted', ttlMs: 60_000 },
      ...{ pollIntervalMs: 1000, idempotent: true, maxAttempts: 1, deliver: [] },
    });
    let last = 0;
    const submit = async () => {
      last += 1;
      await one.store.tasks.create(toTask(last), { queueLimit: 1000 });
      return `task-${last}`;
    };
    // It knows that it is alone as soon as it has heard itself.
    await until(async () => {
      one.pool.reset();
      await submit();
      return one.pool.count(/pg_notify/) === 0;
    });
    onTestFinished(other.store.changes.subscribe((changes) => void heard.push(...changes.map(({ taskId }) => taskId))));
    // Once it can read it listens; what is written from then on is heard within less than the time of a poll.
    await other.store.tasks.get({ taskId: 'task-1' });
    for (let round = 0; round < 5; round++) {
      const since = performance.now();
      const taskId = await submit();
      await until(() => heard.includes(taskId), { what: 'the change' });
      expect(performance.now() - since).toBeLessThan(4000);
    }
  });
});
