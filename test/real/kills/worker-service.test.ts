import { once } from 'node:events';
import { openPostgresStore } from 'holdfast/postgres';
import { until } from 'holdfast/testing';
import { expect, it, onTestFinished } from 'vitest';
import { runCli, startCli } from '../../cli/run-cli.ts';
import { openSite } from '../../engine/workers/start-program.ts';
import { programPath } from '../../programs/program-path.js';
import { PostgresScratch } from '../../store/postgres/scratch.ts';

const scratch = new PostgresScratch();
const OPTIONS = { identity: 'one program', workers: 'none', shutdownGraceMs: 100 } as const;

async function openServices() {
  const [url, schema] = [scratch.cluster.url(), scratch.toSchema()];
  const env = { HOLDFAST_TEST_URL: url, HOLDFAST_TEST_SCHEMA: schema };
  const site = await openSite(() => openPostgresStore({ url, schema }));
  const startService = () => {
    const line = ['worker', programPath('engine-program.js'), '--', site.folder, JSON.stringify(OPTIONS)];
    const child = startCli(line, env);
    let said = '';
    child.stderr.setEncoding('utf8').on('data', (part) => {
      said += part;
    });
    const gone = once(child, 'exit') as Promise<[number | null, NodeJS.Signals | null]>;
    onTestFinished(async () => {
      child.kill('SIGTERM');
      await gone;
    });
    return { child, gone, ready: until(() => said.includes('is ready (identity one program)'), { timeoutMs: 60_000 }) };
  };
  return { site, env, startService };
}

it('[PG-211] holdfast worker runs what front ends take, stays, and hands back what it runs when it is told to stop', async () => {
  const { site, env, startService } = await openServices();
  const front = site.start(OPTIONS, { env });
  const first = await front.submit('hold', { until: 'first' });
  const service = startService();
  await service.ready;
  const [run] = await site.untilRuns(1);
  expect(run).toMatchObject({ taskId: first, isWorker: true });
  await site.touch('first');
  expect(await site.access.outcome(first)).toMatchObject({ kind: 'result' });
  // It does not leave when there is nothing to do.
  const second = await front.submit('hold', { until: 'second' });
  await site.untilRuns(2);

  service.child.kill('SIGTERM');
  expect(await service.gone).toEqual([0, null]);
  expect(await site.get(second)).toMatchObject({ status: 'queued', attempt: 1 });
  expect(await site.store.workers.list()).toEqual([]);

  const [one, other] = [startService(), startService()];
  await Promise.all([one.ready, other.ready]);
  expect(await site.store.workers.list()).toHaveLength(2);
  await site.touch('second');
  expect(await site.access.outcome(second)).toMatchObject({ kind: 'result', value: { attempt: 1 } });
  await front.end();
});

it('[PG-211] and says what is wrong with an entry', async () => {
  const missing = await runCli(['worker', 'no-such-file.js']);
  expect(missing).toMatchObject({ code: 2, stdout: '' });
  expect(missing.stderr).toContain('no-such-file.js');
});
