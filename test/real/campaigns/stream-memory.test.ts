import { execFileSync } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createTaskClient, openSqliteStore } from 'holdfast';
import { until } from 'holdfast/testing';
import { expect, it, onTestFinished } from 'vitest';
import { openPipe } from '../../server/open-pipe.ts';
import { countEvents, type ToldRun } from '../../server/streams/read-run.ts';

const MB = 1024 * 1024;
/** Some 400 MB, of which the server may keep no more than a part. */
const LINES = 25_000;
const LENGTH = 16 * 1024;
const MAX_GROWTH = 150 * MB;

it('[STREAM-29] a client that stops reading makes the memory of the server grow by no more than a bound', async () => {
  const dir = await mkdtemp(join(tmpdir(), 'holdfast-slow-'));
  const store = await openSqliteStore({ path: join(dir, 'tasks.db') });
  const tasks = createTaskClient(store);
  onTestFinished(async () => {
    const isIdle = async () => (await store.workers.list()).length === 0;
    await until(isIdle, { what: 'the worker to end', timeoutMs: 60_000 });
    await store.close();
    await rm(dir, { recursive: true, force: true });
  });
  const pipe = await openPipe({ dir, workers: 'detached' });
  const readRss = () => Number(execFileSync('ps', ['-o', 'rss=', '-p', String(pipe.child.pid)])) * 1024;
  await pipe.call('run', { lines: 600, length: LENGTH }, { id: 'warm' });
  await pipe.whole('warm');

  const ack = await pipe.call('run', { lines: LINES, length: LENGTH }, { id: 'slow' });
  pipe.child.stdout.pause();
  const { taskId = '' } = (ack.result?.structuredContent ?? {}) as { taskId?: string };
  const before = readRss();
  let most = before;
  const isOver = async () => {
    most = Math.max(most, readRss());
    return (await tasks.get(taskId)).status === 'completed';
  };
  await until(isOver, { what: 'the run to end', timeoutMs: 100_000 });
  expect(most - before).toBeLessThan(MAX_GROWTH);
  pipe.child.stdout.resume();
  const told = (await pipe.whole('slow')).map(({ params }) => params as unknown as ToldRun);
  expect(countEvents(told)).toEqual({ last: LINES + 2, dropped: expect.any(Number) });
});
