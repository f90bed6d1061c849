import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { until } from 'holdfast/testing';
import { describe, expect, it } from 'vitest';
import { programPath } from '../../programs/program-path.js';
import { isRunning, openSite, toProgram } from './start-program.ts';

const DETACHED = { workers: 'detached' } as const;

describe('the detached worker', () => {
  it('[ENGINE-20] [ENGINE-23] runs the work in a process of its own, which goes on when the submitter is killed', async () => {
    const site = await openSite();
    const program = site.start(DETACHED);
    const taskId = await program.submit('holdOnce', { until: 'go' });
    const [run] = await site.untilRuns(1);
    expect(run).toMatchObject({ isWorker: true });
    expect(run?.pid).not.toBe(program.child.pid);
    await program.kill();
    await site.touch('go');
    expect(await site.access.outcome(taskId)).toEqual({ kind: 'result', value: { pid: run?.pid, attempt: 1 } });
  });

  it('[ENGINE-23] is not started before there is work', async () => {
    const site = await openSite();
    const program = site.start(DETACHED);
    await program.end();
    expect(await site.store.workers.list()).toEqual([]);
    expect(await program.stderr).toBe('');
  });

  it('[ENGINE-20] is started even when the submitter closes its engine at once', async () => {
    const site = await openSite();
    const program = site.start(DETACHED);
    program.child.stdin.end('["submit", "where"]\n');
    const { tasks } = await until(async () => {
      const page = await site.access.list();
      return page.tasks.length === 1 && page;
    });
    const outcome = await site.access.outcome(tasks[0]?.taskId ?? '');
    expect(outcome).toMatchObject({ kind: 'result', value: { isWorker: true } });
    expect(await program.stderr).toBe('');
  });

  it('[ENGINE-22] serving processes that submit at the same time share one worker', async () => {
    const site = await openSite();
    // The programs may come up seconds after one another on a busy machine, and the worker must still be there.
    const programs = [1, 2, 3].map(() => site.start({ ...DETACHED, idleMs: 60_000 }));
    const taskIds = await Promise.all(programs.map((program) => program.submit('where')));
    const outcomes = await Promise.all(taskIds.map((taskId) => site.access.outcome(taskId)));
    const pids = outcomes.map((outcome) => outcome.kind === 'result' && (outcome.value as { pid: number }).pid);
    expect(new Set(pids).size).toBe(1);
    expect(programs.map(({ child }) => child.pid)).not.toContain(pids[0]);
  });

  it('[ENGINE-24] ends when it has had nothing to do for a while', async () => {
    const site = await openSite();
    const program = site.start(DETACHED);
    await program.submit('hold', { until: 'go' });
    const [run] = await site.untilRuns(1);
    await site.touch('go');
    await until(async () => !(await isRunning(run?.pid ?? 0)));
    expect(await site.store.workers.list()).toEqual([]);
  });

  it('[ENGINE-48] ends in the middle of its work when the directory of its store is gone', async () => {
    const site = await openSite();
    const program = site.start(DETACHED);
    await program.submit('hold', { until: 'never' });
    const [run] = await site.untilRuns(1);
    await program.kill();
    expect(await isRunning(run?.pid ?? 0)).toBe(true);
    // A heartbeat may write between the look at the folder and its end.
    await until(() => rm(site.folder, { recursive: true, force: true }).then(() => true));
    await until(async () => !(await isRunning(run?.pid ?? 0)), { what: 'the worker to end', timeoutMs: 60_000 });
  });

  it('[ENGINE-26] is replaced by a serving process when it is killed, and its work is run again or interrupted', async () => {
    const site = await openSite();
    const program = site.start(DETACHED);
    const again = await program.submit('hold', { until: 'go' });
    const once = await program.submit('holdOnce', { until: 'go' });
    const [run] = await site.untilRuns(2);
    process.kill(run?.pid ?? 0, 'SIGKILL');
    expect(await site.access.outcome(once)).toMatchObject({ kind: 'interrupted' });
    const runs = await site.untilRuns(3);
    expect(runs[2]).toMatchObject({ taskId: again, attempt: 1, isWorker: true });
    expect(runs[2]?.pid).not.toBe(run?.pid);
    await site.touch('go');
    expect(await site.access.outcome(again)).toMatchObject({ kind: 'result', value: { attempt: 1 } });
  });

  it('[ENGINE-27] the next process to open the store recovers what a killed worker and a killed server left', async () => {
    const site = await openSite();
    const first = site.start(DETACHED);
    const taskId = await first.submit('hold', { until: 'go' });
    const [run] = await site.untilRuns(1);
    await first.kill();
    process.kill(run?.pid ?? 0, 'SIGKILL');
    site.start(DETACHED);
    await site.touch('go');
    expect(await site.access.outcome(taskId)).toMatchObject({ kind: 'result', value: { attempt: 2 } });
  });

  it('[ENGINE-35] takes up a parked task that somebody without a worker has answered', async () => {
    const site = await openSite();
    const program = site.start({ ...DETACHED, parkMs: 1 });
    const taskId = await program.submit('talk');
    await until(async () => (await site.get(taskId)).questions.length === 1 && !(await site.get(taskId)).worker);
    await until(async () => (await site.store.workers.list()).length === 0);
    await site.access.answer(taskId, { q1: { action: 'accept', content: { yes: true } } });
    const value = { made: 'made', answer: { yes: true } };
    expect(await site.access.outcome(taskId)).toMatchObject({ kind: 'result', value });
    expect((await site.runs()).map(({ what }) => what)).toEqual(['ran', 'step', 'ran']);
    expect(await site.get(taskId)).toMatchObject({ attempt: 1, fence: 2 });
  });

  it('[ENGINE-25] a newer build takes over: the old worker claims nothing more, finishes and ends', async () => {
    const site = await openSite();
    const identity = 'two-builds';
    const old = site.start({ ...DETACHED, identity, leaseMs: 3000, build: { id: 'old', at: 1 } });
    const held = await old.submit('holdOnce', { until: 'go' });
    const [run] = await site.untilRuns(1);
    const oldPid = run?.pid ?? 0;
    const next = site.start({ ...DETACHED, identity, leaseMs: 3000, build: { id: 'new', at: 2 } });
    const where = async (taskId: string) => {
      const outcome = await site.access.outcome(taskId);
      return outcome.kind === 'result' && (outcome.value as { pid: number }).pid;
    };
    // The first task of the new build may still go to the old worker; that it is there makes the old one drain.
    await next.submit('where');
    await until(async () => (await site.store.workers.list()).some(({ state }) => state === 'draining'));
    expect(await where(await next.submit('where'))).not.toBe(oldPid);
    expect(await where(await old.submit('where'))).not.toBe(oldPid);
    expect(await isRunning(oldPid)).toBe(true);
    await site.touch('go');
    expect(await where(held)).toBe(oldPid);
    await until(async () => !(await isRunning(oldPid)));
  });

  it('[ENGINE-21] its token is not visible to what the tools start', async () => {
    const site = await openSite();
    const taskId = await site.start(DETACHED).submit('environment');
    const value = { isWorker: true, printed: 'no token' };
    expect(await site.access.outcome(taskId)).toEqual({ kind: 'result', value });
    const inline = await site.start({ workers: 'inline', identity: 'inline' }).submit('where');
    expect(await site.access.outcome(inline)).toMatchObject({ value: { isWorker: false } });
  });

  it('[ENGINE-28] a program without an entry file runs its work inline and warns on stderr', async () => {
    const site = await openSite();
    const code = `
      const { createEngine, openSqliteStore } = await import('holdfast');
      const store = await openSqliteStore({ path: ${JSON.stringify(join(site.folder, 'tasks.db'))} });
      const run = () => process.pid;
      const engine = await createEngine({ name: 'inline', store, workers: 'detached', tools: { where: { run } } });
      await engine.start();
      const { task } = await engine.submit('where');
      console.log(JSON.stringify(await engine.outcome(task.taskId)), process.pid);
      await engine.close();
    `;
    const program = toProgram(['--input-type=module', '-e', code]);
    const { pid } = program.child;
    let printed = '';
    program.child.stdout.on('data', (chunk) => {
      printed += chunk;
    });
    await program.end();
    expect(printed.trim()).toBe(`{"kind":"result","value":${pid}} ${pid}`);
    expect(await program.stderr).toMatch(/run in this process .* no entry file/);
  });

  it('[ENGINE-29] a worker that never reaches start() leaves the work to run inline, with a warning', async () => {
    const site = await openSite();
    const program = toProgram([programPath('never-starts.js'), site.folder]);
    const task = await until(async () => (await site.access.list()).tasks[0]);
    const outcome = await site.access.outcome(task.taskId);
    expect(outcome).toEqual({ kind: 'result', value: { pid: program.child.pid, isWorker: false } });
    await program.end();
    expect(await program.stderr).toMatch(/has not registered after 900 ms/);
    expect(await site.store.workers.list()).toEqual([]);
  });

  it('[ENGINE-17] [INPUT-05] a tool that blocks its thread for too long costs the worker, and no task that shared it is lost', async () => {
    const site = await openSite();
    const program = site.start({ ...DETACHED, leaseMs: 2000, maxBlockMs: 1000 });
    const blocker = await program.submit('blockFirst', { ms: 60_000 });
    const again = await program.submit('hold', { until: 'go' });
    const once = await program.submit('holdOnce', { until: 'go' });
    const [run] = await site.untilRuns(3);
    await site.touch('block');
    expect(await site.access.outcome(once)).toMatchObject({ kind: 'interrupted' });
    expect(await isRunning(run?.pid ?? 0)).toBe(false);
    await site.touch('go');
    expect(await site.access.outcome(blocker)).toMatchObject({ kind: 'result', value: { attempt: 1 } });
    expect(await site.access.outcome(again)).toMatchObject({ kind: 'result', value: { attempt: 1 } });
  });
});
