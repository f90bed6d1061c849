import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { until } from 'holdfast/testing';
import { describe, expect, it } from 'vitest';
import { openSite, type Site } from '../workers/start-program.ts';

// The process table tells who is gone; a busy machine must not make anybody late.
const PATIENT = { identity: 'same', leaseMs: 20_000 };
const DETACHED = { ...PATIENT, workers: 'detached' } as const;

const CRASHED = 'its process ended by SIGSEGV before it had an outcome; no attempt left of 3';

async function reasons(site: Site, taskId: string): Promise<string[]> {
  const events = await site.store.tasks.events(taskId, 0, 100);
  return events.flatMap((event) => (event.type === 'requeued' ? event.reason : []));
}

/** The worker logs of a store, in one text. */
async function readLogs(site: Site): Promise<string> {
  const names = (await readdir(site.folder, { recursive: true })).filter((name) => name.endsWith('.log'));
  return (await Promise.all(names.map((name) => readFile(join(site.folder, name), 'utf8')))).join('');
}

describe('a task that crashes its worker', () => {
  it('[BAD-253] [BAD-254] ends as CRASHED with the signal, and those beside it keep their attempts and end as they would', async () => {
    const site = await openSite();
    const program = site.start(DETACHED);
    const culprit = await program.submit('crash');
    const again = [await program.submit('hold', { until: 'go' }), await program.submit('hold', { until: 'go' })];
    const once = await program.submit('holdOnce', { until: 'go' });
    await site.untilRuns(4);
    await site.touch('crash');
    expect(await site.access.outcome(once)).toEqual({
      kind: 'interrupted',
      reason: 'its worker process ended; this work may not be repeated',
    });
    expect(await site.access.outcome(culprit)).toEqual({
      kind: 'error',
      error: { code: 'CRASHED', message: CRASHED },
    });
    expect(await reasons(site, culprit)).toEqual(['suspect', 'crashed', 'crashed']);
    await site.touch('go');
    const pids = new Set<unknown>();
    for (const taskId of again) {
      const outcome = await site.access.outcome(taskId);
      expect(outcome).toMatchObject({ kind: 'result', value: { attempt: 1 } });
      if (outcome.kind === 'result') pids.add((outcome.value as { pid: number }).pid);
      expect(await reasons(site, taskId)).toEqual(['suspect']);
      expect(await site.get(taskId)).not.toHaveProperty('losses');
    }
    expect(pids.size).toBe(2);
  });

  it('[BAD-255] is not blamed when its whole worker is killed from outside', async () => {
    const site = await openSite();
    const program = site.start(DETACHED);
    const tasks = [await program.submit('hold', { until: 'go' }), await program.submit('hold', { until: 'go' })];
    for (let kill = 1; kill <= 2; kill++) {
      await site.untilRuns(2 * kill);
      const worker = await until(async () => (await site.store.workers.list()).find((one) => one.process));
      process.kill(worker.process?.pid ?? Number.NaN, 'SIGKILL');
    }
    await site.untilRuns(6);
    await site.touch('go');
    for (const taskId of tasks) {
      expect(await site.access.outcome(taskId)).toMatchObject({ kind: 'result', value: { attempt: 1 } });
      expect(await reasons(site, taskId)).toEqual(['suspect', 'suspect']);
    }
  });

  it('[BAD-256] in a process of its own that may not be repeated ends as CRASHED, and as interrupted when it was told to go', async () => {
    const site = await openSite();
    const program = site.start(PATIENT);
    const crashed = await program.submit('aloneCrash');
    const told = await program.submit('aloneHold', { until: 'go' });
    const runs = await site.untilRuns(2);
    await site.touch('crash');
    process.kill(runs.find(({ taskId }) => taskId === told)?.pid ?? Number.NaN, 'SIGTERM');
    const message = 'its process ended by SIGSEGV before it had an outcome; this work may not be repeated';
    expect(await site.access.outcome(crashed)).toEqual({ kind: 'error', error: { code: 'CRASHED', message } });
    const reason = 'its process ended by SIGTERM before it had an outcome; this work may not be repeated';
    expect(await site.access.outcome(told)).toEqual({ kind: 'interrupted', reason });
  });
});

describe('a task that crashes the program of an inline worker', () => {
  it('[BAD-253] does so once: the next program runs it apart, and goes on itself', async () => {
    const site = await openSite();
    const first = site.start(PATIENT);
    const culprit = await first.submit('crash');
    const innocent = await first.submit('hold', { until: 'go' });
    await site.untilRuns(2);
    await site.touch('crash');
    await until(() => first.child.signalCode === 'SIGSEGV', { timeoutMs: 60_000 });
    const second = site.start(PATIENT);
    expect(await site.access.outcome(culprit)).toMatchObject({ error: { code: 'CRASHED', message: CRASHED } });
    await site.touch('go');
    expect(await site.access.outcome(innocent)).toMatchObject({ kind: 'result', value: { attempt: 1 } });
    expect(second.child.signalCode).toBeNull();
  });
});

describe('a suspect whose program cannot be run again', () => {
  it('[BAD-261] is not failed for it: it runs in the worker, and a line on stderr says why', async () => {
    const site = await openSite();
    const options = { ...PATIENT, onlyOnce: true };
    const first = site.start(options);
    const tasks = [await first.submit('hold', { until: 'go' }), await first.submit('hold', { until: 'go' })];
    await site.untilRuns(2);
    await first.kill();
    const second = site.start(options);
    await site.untilRuns(3);
    await site.touch('go');
    for (const taskId of tasks) {
      const value = { pid: second.child.pid, attempt: 1 };
      expect(await site.access.outcome(taskId)).toEqual({ kind: 'result', value });
    }
    await second.end();
    expect(await second.stderr).toMatch(
      /tool hold cannot have a process of its own, and runs in its worker: .* code 9/,
    );
  });
});

describe('a tool that blocks the thread of a detached worker', () => {
  it('[BAD-258] is named while it does, and has a process of its own at its next call', async () => {
    const site = await openSite();
    const program = site.start({ ...DETACHED, leaseMs: 6000, idleMs: 60_000 });
    const first = await program.submit('blockOnce', { until: 'unblock' });
    await site.untilRuns(1);
    await site.touch('block');
    const named = /for \d+ s while tool blockOnce was at work; its next calls run in processes of their own\n/;
    await until(async () => named.test(await readLogs(site)), { timeoutMs: 60_000 });
    await site.touch('unblock');
    const outcome = await site.access.outcome(first);
    const worker = outcome.kind === 'result' ? (outcome.value as { pid: number }).pid : 0;
    const next = await site.access.outcome(await program.submit('blockOnce', { until: 'unblock' }));
    expect(next).toMatchObject({ kind: 'result' });
    expect(next).not.toMatchObject({ value: { pid: worker } });
    // Others stay where they were.
    expect(await site.access.outcome(await program.submit('where'))).toMatchObject({ value: { pid: worker } });
  });
});
