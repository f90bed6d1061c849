import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { until, untilStatus } from 'holdfast/testing';
import { describe, expect, it } from 'vitest';
import { openRig } from '../open-rig.ts';
import { isRunning, openSite, type Site } from '../workers/start-program.ts';

const accept = { action: 'accept', content: { yes: true } } as const;

const readSleeper = async (site: Site) => Number((await readFile(join(site.folder, 'sleepers.txt'), 'utf8')).trim());

describe('an isolated tool', () => {
  it('[ENGINE-18] runs in place when its store cannot be reached from another process', async () => {
    const rig = await openRig('memory');
    const engine = await rig.engine({ alone: { isolate: true, run: () => process.pid } });
    const { taskId } = (await engine.submit('alone')).task;
    expect(await engine.outcome(taskId)).toEqual({ kind: 'result', value: process.pid });
  });

  it('[ENGINE-18] runs in another process than its worker', async () => {
    const site = await openSite();
    const program = site.start();
    const taskId = await program.submit('alone');
    const outcome = await site.access.outcome(taskId);
    expect(outcome).toMatchObject({ kind: 'result', value: { isWorker: true } });
    expect(outcome).not.toMatchObject({ value: { pid: program.child.pid } });
  });

  it('[ENGINE-49] runs beside others of its kind without a word about leaks', async () => {
    const site = await openSite();
    const program = site.start({ concurrency: 6 });
    for (const _ of Array(6)) await program.submit('aloneHold', { until: 'go' });
    await site.untilRuns(6);
    await site.touch('go');
    await until(async () => (await site.access.list()).tasks.every(({ status }) => status === 'completed'));
    await program.end();
    expect(await program.stderr).toBe('');
  });

  it('[ENGINE-18] [ENGINE-30] reports progress, runs steps and asks from there', async () => {
    const site = await openSite();
    const program = site.start();
    const taskId = await program.submit('aloneTalk');
    const asking = await untilStatus(site, taskId, 'input_required');
    expect(asking).toMatchObject({ progress: { value: 0.5, message: 'half way' } });
    await site.access.answer(taskId, { q1: accept });
    const outcome = await site.access.outcome(taskId);
    expect(outcome).toMatchObject({ kind: 'result', value: { made: 'made', answer: { yes: true } } });
    expect(outcome).not.toMatchObject({ value: { pid: program.child.pid } });
  });

  it('[ENGINE-18] [ENGINE-34] frees its slot while it waits, and is parked like any other', async () => {
    const site = await openSite();
    const program = site.start({ concurrency: 1, parkMs: 300 });
    const taskId = await program.submit('aloneTalk');
    await untilStatus(site, taskId, 'input_required');
    expect(await site.access.outcome(await program.submit('where'))).toMatchObject({ kind: 'result' });
    await until(async () => (await site.get(taskId)).worker === undefined);
    const [run] = await site.runs();
    await until(async () => !(await isRunning(run?.pid ?? 0)));
    await site.access.answer(taskId, { q1: accept });
    expect(await site.access.outcome(taskId)).toMatchObject({ kind: 'result', value: { made: 'made' } });
    expect((await site.runs()).map(({ what }) => what)).toEqual(['ran', 'step', 'ran']);
    // A slot that was lost on the way would be missing now.
    expect(await site.access.outcome(await program.submit('where'))).toMatchObject({ kind: 'result' });
  });

  it('[BAD-262] frees its slot while it idles', async () => {
    const site = await openSite();
    const program = site.start({ concurrency: 1 });
    const taskId = await program.submit('aloneIdle');
    await site.untilRuns(1);
    expect(await site.access.outcome(await program.submit('where'))).toMatchObject({ kind: 'result' });
    await site.touch('go');
    expect(await site.access.outcome(taskId)).toMatchObject({ kind: 'result' });
  });

  it('[ENGINE-18] whose process ends by itself has crashed, or is run again when it may be', async () => {
    const site = await openSite();
    const program = site.start();
    const once = await program.submit('aloneExit');
    const again = await program.submit('aloneExitFirst');
    const neighbour = await program.submit('holdOnce', { until: 'go' });
    expect(await site.access.outcome(once)).toEqual({
      kind: 'error',
      error: {
        code: 'CRASHED',
        message: 'its process ended with code 3 before it had an outcome; this work may not be repeated',
      },
    });
    expect(await site.access.outcome(again)).toEqual({ kind: 'result', value: { attempt: 2 } });
    await site.touch('go');
    expect(await site.access.outcome(neighbour)).toMatchObject({ value: { pid: program.child.pid, attempt: 1 } });
  });

  it('[ENGINE-14] [ENGINE-18] [ENGINE-41] that never yields is timed out, and its process and what that started are gone', async () => {
    const site = await openSite();
    const program = site.start();
    const taskId = await program.submit('aloneSpin');
    const [run] = await site.untilRuns(1);
    expect(await isRunning(await readSleeper(site))).toBe(true);
    expect(await site.access.outcome(taskId)).toMatchObject({ kind: 'error', error: { code: 'TIMED_OUT' } });
    expect(await isRunning(run?.pid ?? 0)).toBe(false);
    expect(await isRunning(await readSleeper(site))).toBe(false);
  });

  it('[ENGINE-41] leaves no program behind when its process ends by itself', async () => {
    const site = await openSite();
    const taskId = await site.start().submit('aloneExitWithSleeper');
    expect(await site.access.outcome(taskId)).toMatchObject({ kind: 'error', error: { code: 'CRASHED' } });
    expect(await isRunning(await readSleeper(site))).toBe(false);
  });

  it('[ENGINE-07] [ENGINE-18] is killed when its task is cancelled', async () => {
    const site = await openSite();
    const program = site.start();
    const taskId = await program.submit('aloneHold', { until: 'never' });
    const [run] = await site.untilRuns(1);
    await site.access.cancel(taskId);
    await until(async () => !(await isRunning(run?.pid ?? 0)));
    expect(await site.access.outcome(taskId)).toMatchObject({ kind: 'cancelled' });
    expect(await isRunning(program.child.pid ?? 0)).toBe(true);
  });

  it('[ENGINE-41] ends with its worker: what a killed program left running is ended by the next one', async () => {
    const site = await openSite();
    const program = site.start();
    const taskId = await program.submit('aloneHold', { until: 'never' });
    const [run] = await site.untilRuns(1);
    await program.kill();
    site.start();
    expect(await site.access.outcome(taskId)).toMatchObject({ kind: 'interrupted' });
    expect(await isRunning(run?.pid ?? 0)).toBe(false);
  });
});
