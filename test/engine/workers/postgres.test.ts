import { openPostgresStore } from 'holdfast/postgres';
import { until } from 'holdfast/testing';
import { describe, expect, it } from 'vitest';
import { PostgresScratch } from '../../store/postgres/scratch.ts';
import { isRunning, openSite, type Site } from './start-program.ts';

const scratch = new PostgresScratch();

const DETACHED = { workers: 'detached', leaseMs: 10_000 } as const;

/** As a site in a folder, but with its tasks in PostgreSQL. */
async function openShared(): Promise<Site> {
  const [url, schema] = [scratch.cluster.url(), scratch.toSchema()];
  const site = await openSite(() => openPostgresStore({ url, schema }));
  const env = { HOLDFAST_TEST_URL: url, HOLDFAST_TEST_SCHEMA: schema };
  return { ...site, start: (options, run) => site.start(options, { ...run, env: { ...run?.env, ...env } }) };
}

describe('on PostgreSQL a detached worker', () => {
  it('[PG-120] opens the store by itself, runs the work, and goes on when the submitter is killed', async () => {
    const site = await openShared();
    const program = site.start(DETACHED);
    const taskId = await program.submit('holdOnce', { until: 'go' });
    const [run] = await site.untilRuns(1);
    expect(run).toMatchObject({ isWorker: true });
    expect(run?.pid).not.toBe(program.child.pid);
    await program.kill();
    await site.touch('go');
    expect(await site.access.outcome(taskId)).toEqual({ kind: 'result', value: { pid: run?.pid, attempt: 1 } });
    await until(async () => !(await isRunning(run?.pid ?? 0)), { what: 'the idle worker to end' });
    expect(await site.store.workers.list()).toEqual([]);
  });

  it('[PG-121] is replaced when it is killed: its work is run again, or interrupted if it may not be', async () => {
    const site = await openShared();
    const program = site.start(DETACHED);
    const again = await program.submit('hold', { until: 'go' });
    const once = await program.submit('holdOnce', { until: 'go' });
    const [run] = await site.untilRuns(2);
    process.kill(run?.pid ?? 0, 'SIGKILL');
    await site.untilRuns(3);
    await site.touch('go');
    expect(await site.access.outcome(again)).toMatchObject({ kind: 'result' });
    expect(await site.access.outcome(once)).toMatchObject({ kind: 'interrupted' });
    await program.end();
  });
});
