/** What kills a worker between the acknowledgement of its first task and its registration. */
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { until } from 'holdfast/testing';
import { describe, expect, it, onTestFinished } from 'vitest';
import { programPath } from '../../programs/program-path.js';
import { isRunning, openSite, type Program, type Site, toProgram } from './start-program.ts';

const PATIENT = { timeoutMs: 60_000 } as const;

/** Starts the program; resolves when its task is acknowledged. */
async function serve(site: Site): Promise<Program> {
  const program = toProgram([programPath('slow-start.js'), site.folder]);
  onTestFinished(() => program.kill());
  await once(program.child.stdout, 'readable');
  return program;
}

/** The pids of the workers that were begun, and a way to wait for so many of them. */
function workersOf(site: Site) {
  const file = join(site.folder, 'workers.txt');
  // A line that is only being written is none yet.
  const pids = () => (existsSync(file) ? (readFileSync(file, 'utf8').match(/^\d+(?=\n)/gm) ?? []).map(Number) : []);
  onTestFinished(async () => {
    for (const pid of pids()) if (await isRunning(pid)) process.kill(pid, 'SIGKILL');
  });
  return (count: number) => until(() => (pids().length >= count ? pids() : undefined), PATIENT);
}

/** Ends one process, and never a group: 0 would be our own. */
function end(pid: number | undefined): void {
  if (pid === undefined || pid <= 1) throw new Error(`${pid} is no worker`);
  process.kill(pid, 'SIGKILL');
}

async function outcomeOf(site: Site) {
  const task = await until(async () => (await site.access.list()).tasks[0], PATIENT);
  return until(async () => (await site.get(task.taskId)).outcome, PATIENT);
}

describe('a worker killed before it registers', () => {
  it('[SEC-390] together with its server is replaced by the next server at once, not after startMs', async () => {
    const site = await openSite();
    const untilWorkers = workersOf(site);
    const first = await serve(site);
    const [pid] = await untilWorkers(1);
    await first.kill();
    end(pid);
    await site.touch('go');
    await serve(site);
    expect(await outcomeOf(site)).toMatchObject({ kind: 'result', value: { isWorker: true } });
  });

  it('[SEC-390] together with its server is replaced by a server that was there before', async () => {
    const site = await openSite();
    const untilWorkers = workersOf(site);
    const starter = await serve(site);
    const [pid] = await untilWorkers(1);
    const other = await serve(site);
    await starter.kill();
    end(pid);
    await site.touch('go');
    expect(await outcomeOf(site)).toMatchObject({ kind: 'result', value: { isWorker: true } });
    expect(await isRunning(other.child.pid ?? 0)).toBe(true);
  });

  it('[SEC-391] while its server goes on is replaced by another worker, not by the server itself', async () => {
    const site = await openSite();
    const untilWorkers = workersOf(site);
    const server = await serve(site);
    const [pid] = await untilWorkers(1);
    end(pid);
    await site.touch('go');
    expect(await outcomeOf(site)).toMatchObject({ kind: 'result', value: { isWorker: true } });
    await server.end();
    expect(await server.stderr).toBe('');
  });

  it('[SEC-391] again and again leaves the work to the server, which says so', async () => {
    const site = await openSite();
    const untilWorkers = workersOf(site);
    const server = await serve(site);
    for (let count = 1; count <= 2; count++) end((await untilWorkers(count)).at(-1));
    expect(await outcomeOf(site)).toEqual({ kind: 'result', value: { pid: server.child.pid, isWorker: false } });
    await server.end();
    expect(await server.stderr).toMatch(/run in this process .*\(SIGKILL\)/);
  });
});

it('[SEC-392] a worker whose server is killed while it starts does the work, even if its place was cleared away', async () => {
  const site = await openSite();
  const untilWorkers = workersOf(site);
  const server = await serve(site);
  const [pid] = await untilWorkers(1);
  // Another program on the same store, which buries what is dead and runs nothing of this one's.
  site.start({ workers: 'inline' });
  await server.kill();
  await until(async () => (await site.store.workers.list()).every(({ state }) => state !== 'starting'), PATIENT);
  expect(await isRunning(pid ?? 0)).toBe(true);
  await site.touch('go');
  expect(await outcomeOf(site)).toEqual({ kind: 'result', value: { pid, isWorker: true } });
});
