/** Work runs in the serving process only for as long as there is no detached worker. */
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { until } from 'holdfast/testing';
import { describe, expect, it, onTestFinished } from 'vitest';
import { programPath } from '../../programs/program-path.js';
import { readLines } from '../../read-lines.ts';
import { isRunning, openSite, type Site, toProgram } from './start-program.ts';
import { untilDetached } from './until-detached.ts';

const DETACHED = { workers: 'detached' } as const;
const PATIENT = { timeoutMs: 60_000 } as const;

const kindsOf = async (site: Site) => (await site.store.workers.list()).map(({ kind }) => kind);

describe('when the detached worker does not start', () => {
  it('[BAD-150] work goes on in the serving process until one does, which then takes all that is new', async () => {
    const site = await openSite();
    await site.touch('no-workers');
    const program = site.start(DETACHED);
    const held = await program.submit('holdOnce', { until: 'go' });
    expect((await site.untilRuns(1))[0]).toMatchObject({ isWorker: false, pid: program.child.pid });
    await rm(join(site.folder, 'no-workers'));
    const workerPid = await untilDetached(site, program);
    expect(workerPid).not.toBe(program.child.pid);
    await site.touch('go');
    expect(await site.access.outcome(held)).toMatchObject({ kind: 'result', value: { pid: program.child.pid } });
    await until(async () => !(await kindsOf(site)).includes('inline'), PATIENT);
    await program.end();
    const lines = (await program.stderr).trim().split('\n');
    expect(lines).toEqual([
      expect.stringMatching(/tasks run in this process and end with it for now: .*\(code 9\)/),
      'holdfast: a detached worker runs the tasks again',
    ]);
  });

  it('[BAD-151] a worker that another process has started is enough', async () => {
    const site = await openSite();
    await site.touch('no-workers');
    const first = site.start(DETACHED);
    await first.submit('holdOnce', { until: 'go' });
    await site.untilRuns(1);
    await rm(join(site.folder, 'no-workers'));
    const second = site.start(DETACHED);
    const workerPid = await untilDetached(site, second);
    await site.touch('go');
    await until(async () => !(await kindsOf(site)).includes('inline'), PATIENT);
    expect([first.child.pid, second.child.pid]).not.toContain(workerPid);
  });
});

/** A server whose clock is moved by hand, and its worker, which waits for the file `go`. */
async function openLate() {
  const site = await openSite();
  const program = toProgram([programPath('late-worker.js'), site.folder]);
  onTestFinished(() => program.kill());
  const noted = (name: string) => readLines(join(site.folder, name));
  const task = await until(async () => (await site.access.list()).tasks[0], PATIENT);
  const outcome = async () => (await site.get(task.taskId)).outcome;
  await until(() => noted('workers.txt').length > 0, PATIENT);
  const [pid] = noted('workers.txt').map(Number);
  onTestFinished(async () => {
    if (pid && (await isRunning(pid))) process.kill(pid, 'SIGKILL');
  });
  // The line with the id of the task comes first.
  await program.say('0');
  const pass = async (seconds: number) => {
    for (let left = seconds; left > 0; left--) await program.say('1000');
  };
  return { site, program, pid, noted, outcome, pass };
}

describe('a worker that is alive and still starting', () => {
  it('[BAD-152] is waited for beyond startMs: a busy machine does not cost durability', async () => {
    const { site, program, pid, noted, outcome, pass } = await openLate();
    await pass(25);
    expect(await outcome()).toBeUndefined();
    await site.touch('go');
    await until(outcome, PATIENT);
    await pass(1);
    expect(await outcome()).toEqual({ kind: 'result', value: { pid, isWorker: true } });
    expect(noted('changes.txt')).toEqual([]);
    expect(noted('workers.txt')).toHaveLength(1);
    program.child.stdin.end();
  });

  it('[BAD-153] [BAD-154] does not hold up the work for ever, and takes over when it is there, as onWorkers is told', async () => {
    const { site, program, pid, noted, outcome, pass } = await openLate();
    await pass(35);
    await until(outcome, PATIENT);
    expect(await outcome()).toEqual({ kind: 'result', value: { pid: program.child.pid, isWorker: false } });
    expect(await isRunning(pid ?? 0)).toBe(true);
    await site.touch('go');
    // It finds nothing to do, and ends.
    await until(async () => !(await isRunning(pid ?? 0)), PATIENT);
    await until(() => pass(1).then(() => noted('changes.txt').length === 2), PATIENT);
    expect(noted('workers.txt')).toHaveLength(1);
    expect(noted('changes.txt').map((line) => JSON.parse(line))).toEqual([
      { mode: 'inline', isTemporary: true, why: expect.stringContaining('has not registered after 30000 ms') },
      { mode: 'detached' },
    ]);
    program.child.stdin.end();
  });
});
