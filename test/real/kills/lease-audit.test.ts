import { createEngine, type Engine } from 'holdfast';
import { openPostgresStore } from 'holdfast/postgres';
import { until } from 'holdfast/testing';
import { Pool } from 'pg';
import { expect, it, onTestFinished } from 'vitest';
import { PostgresScratch } from '../../store/postgres/scratch.ts';

const scratch = new PostgresScratch();

interface Noted {
  readonly attempt: number;
  readonly signal: AbortSignal;
}

async function open() {
  const [url, schema] = [scratch.cluster.url(), scratch.toSchema()];
  const store = await openPostgresStore({ url, schema });
  const runs: Noted[] = [];
  const wait = async (_: unknown, { attempt, signal }: Noted) => {
    runs.push({ attempt, signal });
    await new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
  };
  const quick = async (_: unknown, { attempt, signal }: Noted) => void runs.push({ attempt, signal });
  const engine: Engine = await createEngine({
    ...{
      name: 'audit',
      identity: 'audit',
      store,
      leaseMs: 1500,
      superviseMs: 50,
      abortGraceMs: 50,
      shutdownGraceMs: 0,
    },
    tools: {
      wait: { idempotent: true, run: wait },
      quick: { idempotent: true, run: quick },
      once: { run: quick },
    },
  });
  await engine.start();
  const pool = new Pool({ connectionString: url, max: 1 });
  onTestFinished(async () => {
    await engine.close();
    await store.close();
    await pool.end();
  });
  const query = (text: string, ...values: unknown[]) => pool.query(text.replaceAll('@', `${schema}.`), values);
  return { store, engine, runs, query };
}

it('[PG-221] an attempt whose lease the database has forgotten is stopped, although nothing tells of it', async () => {
  const { engine, runs, query } = await open();
  const { task } = await engine.submit('wait', {});
  await until(() => runs.length === 1);
  // As a failover that lost its newest commits leaves it.
  await query(`UPDATE @task SET worker = NULL, fence = 0, status = 'input_required' WHERE id = $1`, task.taskId);
  await until(() => runs[0]?.signal.aborted === true, { what: 'the tool to be stopped', timeoutMs: 60_000 });
});

it('[PG-221] a task that the store says a worker holds, and that it does not run, is given back', async () => {
  const { store, engine, runs } = await open();
  const [worker] = await until(async () => {
    const workers = await store.workers.list();
    return workers.length > 0 ? workers : undefined;
  });
  // As when the answer to a claim is lost.
  const lost = { ...(await engine.submit('wait', {})).task, taskId: 'leaked', tool: 'later' };
  await store.tasks.create({ ...lost, taskId: 'leaked' }, { queueLimit: 100 });
  const request = { worker: worker?.workerId ?? '', identity: 'audit', free: { later: 1 }, max: 1 };
  expect(await store.tasks.claim(request)).toHaveLength(1);
  await until(async () => (await store.tasks.get({ taskId: 'leaked' }))?.status === 'queued', { timeoutMs: 60_000 });
  expect(await store.tasks.get({ taskId: 'leaked' })).toMatchObject({ status: 'queued', attempt: 1 });
  // What it does run is left alone.
  expect(runs.map(({ signal }) => signal.aborted)).toEqual([false]);
});

it('[PG-221] work whose end was forgotten runs again if it may, and else ends as interrupted', async () => {
  const { store, engine, query } = await open();
  const ids: string[] = [];
  for (const tool of ['quick', 'once']) {
    const { task } = await engine.submit(tool, {});
    await engine.outcome(task.taskId);
    ids.push(task.taskId);
    const [worker] = await store.workers.list();
    const forget = `UPDATE @task SET status = 'working', worker = $2, ended_at = NULL, outcome = NULL WHERE id = $1`;
    await query(forget, task.taskId, worker?.workerId);
  }
  const [again, over] = await Promise.all(ids.map((taskId) => engine.outcome(taskId)));
  expect(again).toMatchObject({ kind: 'result' });
  expect(over).toMatchObject({ kind: 'interrupted', reason: expect.stringContaining('may not be repeated') });
});
