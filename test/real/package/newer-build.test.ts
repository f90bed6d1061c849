/** A newer build of a program takes over from a worker that is never idle. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { until } from 'holdfast/testing';
import { expect, it } from 'vitest';
import { openApp } from '../../engine/workers/open-app.ts';
import { isRunning, openSite } from '../../engine/workers/start-program.ts';

const PATIENT = { timeoutMs: 60_000 } as const;

it('[BAD-183] another imported module is a newer build, which takes what waits while the old worker finishes what it runs', async () => {
  const site = await openSite();
  const app = await openApp(site);
  const options = { workers: 'detached', concurrency: 1 } as const;
  const old = app.start(options);
  const first = await old.submit('holdOnce', { until: 'go' });
  const waiting = await old.submit('where');
  const [run] = await site.untilRuns(1);
  const oldPid = run?.pid ?? 0;

  await writeFile(join(app.folder, 'imported.js'), '// the next version');
  app.start(options);
  const outcome = await until(async () => (await site.get(waiting)).outcome, PATIENT);
  expect(outcome).toMatchObject({ kind: 'result', value: { isWorker: true } });
  expect(outcome).not.toMatchObject({ value: { pid: oldPid } });
  expect(await isRunning(oldPid)).toBe(true);
  await site.touch('go');
  expect(await site.access.outcome(first)).toMatchObject({ kind: 'result', value: { pid: oldPid, attempt: 1 } });
  await until(async () => !(await isRunning(oldPid)), PATIENT);
});
