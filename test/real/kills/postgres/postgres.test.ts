import { chmod, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openPostgresStore } from 'holdfast/postgres';
import { until } from 'holdfast/testing';
import { describe, expect, it, onTestFinished } from 'vitest';
import { isRunning, openSite } from '../../../engine/workers/start-program.ts';
import { makeCluster } from '../../../store/postgres/cluster.ts';
import { openLine } from '../../../store/postgres/line.ts';
import { PostgresScratch } from '../../../store/postgres/scratch.ts';
import { submit, WORKER } from '../../../store/sqlite/scratch.ts';

const scratch = new PostgresScratch();

describe('PostgreSQL on a bad day', () => {
  it('[PG-122] a worker that is cut off stops its tools and their programs before another machine takes its work', async () => {
    const { cluster } = scratch;
    const [url, schema] = [cluster.url(), scratch.toSchema()];
    const line = await openLine(cluster.port);
    const site = await openSite(() => openPostgresStore({ url, schema }));
    const far = { HOLDFAST_TEST_URL: url.replace(`:${cluster.port}/`, `:${line.port}/`), HOLDFAST_TEST_SCHEMA: schema };
    // The same program to the store although their addresses differ; the two cannot see each other's processes.
    const options = { workers: 'inline', identity: 'one program', leaseMs: 10_000 } as const;
    const cutOff = site.start(options, { env: far });
    const taskId = await cutOff.submit('holdWithChild', { until: 'go' });
    await site.untilRuns(1);
    const [sleeper = 0] = await readSleepers(site.folder);
    line.cut();
    const other = site.start(options, { env: { HOLDFAST_TEST_URL: url, HOLDFAST_TEST_SCHEMA: schema } });
    // Whoever looks first at the second run must not see the first one's program.
    await until(async () => !(await isRunning(sleeper)), { what: 'the program of the tool to end' });
    expect(await site.runs()).toHaveLength(1);
    await site.untilRuns(2);
    await site.touch('go');
    expect(await site.access.outcome(taskId)).toMatchObject({ kind: 'result', value: { attempt: 2 } });
    line.mend();
    await Promise.all([other.end(), cutOff.kill()]);
    for (const pid of await readSleepers(site.folder)) await until(async () => !(await isRunning(pid)));
  });

  it('[PG-115] a server that is stopped in the middle of everything, and comes back, is waited for', async () => {
    const directory = await mkdtemp(join(tmpdir(), 'holdfast-restarted-'));
    // The server runs as another user when tests run as root.
    await chmod(directory, 0o755);
    const cluster = await makeCluster(join(directory, 'cluster'));
    onTestFinished(async () => {
      await cluster.stop('immediate');
      await rm(directory, { recursive: true });
    });
    const store = await openPostgresStore({ url: cluster.url(), patienceMs: 110_000, onError: () => {} });
    onTestFinished(() => store.close());
    await store.workers.register(WORKER);
    const made: Promise<unknown>[] = [];
    for (const how of ['fast', 'immediate'] as const) {
      made.push(...Array.from({ length: 30 }, () => submit(store)));
      await cluster.stop(how);
      made.push(...Array.from({ length: 30 }, () => submit(store)));
      await cluster.start();
    }
    await Promise.all(made);
    const { tasks } = await store.tasks.list({ limit: 1000 });
    expect(tasks).toHaveLength(120);
    for (const { lastSeq } of tasks) expect(lastSeq).toBe(1);
  });
});

async function readSleepers(folder: string): Promise<number[]> {
  return (await readFile(join(folder, 'sleepers.txt'), 'utf8')).trim().split('\n').map(Number);
}
