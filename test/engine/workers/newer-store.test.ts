/** A newer Holdfast has migrated the store while programs of an older one run on it. */
import { readFileSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { WorkersChange } from 'holdfast';
import { until } from 'holdfast/testing';
import { describe, expect, it } from 'vitest';
import { openRig, untilAborted } from '../open-rig.ts';
import { setVersion } from './set-version.ts';
import { isRunning, openSite } from './start-program.ts';

const DETACHED = { workers: 'detached' } as const;
const PATIENT = { timeoutMs: 60_000 } as const;

describe('the detached worker of an older build', () => {
  it('[BAD-170] [BAD-171] ends in the middle of its work, says why, and leaves its tasks to the newer build', async () => {
    const site = await openSite();
    const old = site.start(DETACHED);
    const once = await old.submit('holdOnce', { until: 'never' });
    const again = await old.submit('hold', { until: 'go' });
    const [run] = await site.untilRuns(2);
    const known = setVersion(join(site.folder, 'tasks.db'), 999);
    await until(async () => !(await isRunning(run?.pid ?? 0)), { ...PATIENT, what: 'the old worker to end' });
    const log = (await readdir(site.folder)).find((name) => name.startsWith('worker-')) ?? '';
    expect(readFileSync(join(site.folder, log), 'utf8')).toMatch(/schema version 999.*\n.*this worker ends/s);
    await old.kill();

    // The newer build is one that knows this version.
    setVersion(join(site.folder, 'tasks.db'), known);
    site.start(DETACHED);
    await site.touch('go');
    expect(await site.access.outcome(once)).toMatchObject({
      kind: 'interrupted',
      reason: expect.stringContaining('its worker process ended'),
    });
    expect(await site.access.outcome(again)).toMatchObject({ kind: 'result', value: { attempt: 1 } });
  });

  it('[BAD-170] ends when it had nothing to do', async () => {
    const site = await openSite();
    const old = site.start({ ...DETACHED, idleMs: 600_000 });
    const outcome = await site.access.outcome(await old.submit('where'));
    const { pid } = (outcome as { value?: unknown }).value as { pid: number };
    setVersion(join(site.folder, 'tasks.db'), 999);
    await until(async () => !(await isRunning(pid)), { ...PATIENT, what: 'the old worker to end' });
  });
});

it('[BAD-172] an inline worker of an older build stops its tasks and is not tried again', async () => {
  const rig = await openRig();
  const changes: WorkersChange[] = [];
  const stopped: unknown[] = [];
  let hasBegun = false;
  const run = async (_args: unknown, task: { signal: AbortSignal }) => {
    hasBegun = true;
    stopped.push(await untilAborted(task.signal));
  };
  const engine = await rig.engine({ wait: { run } }, { leaseMs: 300, onWorkers: (change) => changes.push(change) });
  await engine.submit('wait');
  // A worker that has not claimed it yet would leave it alone.
  await until(() => hasBegun, PATIENT);
  setVersion(rig.path, 999);
  await until(() => stopped.length === 1 && changes.length === 1, PATIENT);
  expect(stopped).toMatchObject([{ code: 'STORE_SCHEMA_NEWER' }]);
  expect(changes).toEqual([{ mode: 'none', why: expect.stringContaining('schema version 999') }]);
  await engine.close();
  expect(rig.takeErrors()).toMatchObject([{ code: 'STORE_SCHEMA_NEWER' }]);
});
