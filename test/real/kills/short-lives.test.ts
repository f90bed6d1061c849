import { until } from 'holdfast/testing';
import { expect, it, onTestFinished } from 'vitest';
import { isRunning, openSite } from '../../engine/workers/start-program.ts';

const DEFAULTS = { leaseMs: 6000, superviseMs: 1000, idleMs: 5000, workers: 'detached' } as const;
const LIFE_MS = 8000;
const MAX_LIVES = 60;
const LONG_MS = 600_000;

it('[BAD-114] servers that are killed after seconds, one after the other, run what a stopped worker holds', {
  timeout: LONG_MS,
}, async () => {
  const site = await openSite();
  const first = site.start(DEFAULTS);
  const taskId = await first.submit('hold', { until: 'go' });
  const [run] = await site.untilRuns(1);
  await first.kill();
  const pid = run?.pid ?? 0;
  process.kill(pid, 'SIGSTOP');
  onTestFinished(async () => {
    if (await isRunning(pid)) process.kill(pid, 'SIGKILL');
  });
  for (let lives = 0; lives < MAX_LIVES && (await site.runs()).length < 2; lives++) {
    const bornAt = performance.now();
    const server = site.start(DEFAULTS);
    const isOver = async () => performance.now() - bornAt > LIFE_MS || (await site.runs()).length > 1;
    await until(isOver, { timeoutMs: 60_000 });
    await server.kill();
  }
  expect((await site.runs())[1]).toMatchObject({ taskId, attempt: 2 });
  expect(await isRunning(pid)).toBe(false);
  await site.touch('go');
  expect(await site.access.outcome(taskId)).toMatchObject({ kind: 'result', value: { attempt: 2 } });
});
