/** Workers that live and do not answer, and healthy ones that cannot be heard. */
import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { until } from 'holdfast/testing';
import { describe, expect, it, onTestFinished } from 'vitest';
import { openDriver } from '../../../dist/sqlite/driver.js';
import { STORE_SCHEMA } from '../../../src/store/sqlite/schema.ts';
import { programPath } from '../../programs/program-path.js';
import { openRig } from '../open-rig.ts';
import { isRunning, openSite, type Site, toProgram } from '../workers/start-program.ts';

const PATIENT = { timeoutMs: 60_000 } as const;
const program = (name: string) => programPath(`${name}.js`);

async function eventsOf(site: Site, taskId: string): Promise<string[]> {
  return (await site.store.tasks.events(taskId, 0, 100)).map(({ type }) => type);
}

async function outcomeOf(site: Site, taskId: string) {
  return until(async () => (await site.get(taskId)).outcome, PATIENT);
}

/** A stranger that holds the write lock until it is told to let go. */
async function lockStore(site: Site): Promise<ChildProcessWithoutNullStreams> {
  const stranger = spawn(process.execPath, [program('lock-store'), join(site.folder, 'tasks.db')]);
  onTestFinished(() => void stranger.kill('SIGKILL'));
  await once(stranger.stdout, 'data');
  return stranger;
}

it('[BAD-109] a server learns at once that the worker it has started was killed', async () => {
  const site = await openSite();
  const server = site.start({ workers: 'detached', superviseMs: 600_000 });
  const taskId = await server.submit('hold', { until: 'go' });
  const [run] = await site.untilRuns(1);
  process.kill(run?.pid ?? 0, 'SIGKILL');
  // Long before its next look.
  await until(async () => (await site.runs()).length === 2, PATIENT);
  await site.touch('go');
  expect(await outcomeOf(site, taskId)).toMatchObject({ kind: 'result', value: { attempt: 2 } });
});

describe('a stopped detached worker', () => {
  it('[BAD-110] is killed before its tasks end, which are told first that it stalls', async () => {
    const site = await openSite();
    const server = site.start({ workers: 'detached', leaseMs: 1000 });
    const taskId = await server.submit('holdOnce', { until: 'go' });
    const [run] = await site.untilRuns(1);
    // Its heart takes a moment to start, and may have been marked for that.
    const beat = async () => (await site.store.workers.list())[0]?.until ?? 0;
    const first = await beat();
    await until(async () => (await beat()) !== first, PATIENT);
    process.kill(run?.pid ?? 0, 'SIGSTOP');
    const outcome = await outcomeOf(site, taskId);
    // The very first moment in which the outcome can be read: nothing can act after it.
    expect(await isRunning(run?.pid ?? 0)).toBe(false);
    expect(outcome).toEqual({
      kind: 'interrupted',
      reason: 'its worker stopped responding; this work may not be repeated',
    });
    expect((await eventsOf(site, taskId)).slice(-2)).toEqual(['stalled', 'ended']);
  });

  it('[BAD-111] is killed too when it was stopped in a transaction, so that nobody could write', async () => {
    const site = await openSite();
    const server = toProgram([program('stopped-in-transaction'), site.folder]);
    onTestFinished(() => server.kill());
    const [taskId] = await once(server.child.stdout, 'data').then(([chunk]) => String(chunk).trim().split('\n'));
    expect(await outcomeOf(site, taskId ?? '')).toMatchObject({
      kind: 'interrupted',
      reason: expect.stringContaining('stopped responding'),
    });
    const pid = Number(readFileSync(join(site.folder, 'frozen.txt'), 'utf8'));
    expect(await isRunning(pid)).toBe(false);
  });
});

describe('a store that a stranger locks for longer than a lease', () => {
  it('[BAD-112] interrupts nobody: the work goes on, ends, and its result is kept', async () => {
    const site = await openSite();
    const options = { identity: 'same', leaseMs: 6000, superviseMs: 100 };
    const worker = site.start(options);
    const holds = await worker.submit('holdOnce', { until: 'later' });
    const ends = await worker.submit('holdOnce', { until: 'go' });
    await site.untilRuns(2);
    const other = site.start(options);
    await site.access.outcome(await other.submit('where'));
    const complaints = () => told.match(/heartbeat: .*locked/g)?.length ?? 0;
    let told = '';
    worker.child.stderr.on('data', (chunk) => {
      told += chunk;
    });
    const stranger = await lockStore(site);
    await site.touch('go');
    // Right after a beat that the store did not take: observers who have waited longer are first when it is free again.
    await until(() => complaints() >= 5, PATIENT);
    stranger.stdin.end();
    expect(await outcomeOf(site, ends)).toEqual({ kind: 'result', value: { pid: worker.child.pid, attempt: 1 } });
    expect(await eventsOf(site, ends)).toEqual(['submitted', 'claimed', 'ended']);
    await site.touch('later');
    expect(await outcomeOf(site, holds)).toMatchObject({ kind: 'result', value: { attempt: 1 } });
    expect(await eventsOf(site, holds)).toEqual(['submitted', 'claimed', 'ended']);
  });
});

describe('the pulse of a running worker', () => {
  it('[BAD-113] moves while the store takes no beat, is for its owner alone, and goes with the worker', async () => {
    const site = await openSite();
    const worker = site.start({ leaseMs: 3000 });
    await site.access.outcome(await worker.submit('where'));
    const folder = join(site.folder, 'pulse');
    const [name = ''] = await until(
      () => existsSync(folder) && readdirSync(folder).length > 0 && readdirSync(folder),
      PATIENT,
    );
    const read = () => statSync(join(folder, name));
    expect([statSync(folder).mode & 0o777, read().mode & 0o777]).toEqual([0o700, 0o600]);
    const stranger = await lockStore(site);
    for (let pulses = 0, last = read().mtimeMs; pulses < 3; pulses++, last = read().mtimeMs) {
      await until(() => read().mtimeMs !== last, PATIENT);
    }
    stranger.stdin.end();
    await worker.end();
    expect(readdirSync(folder)).toEqual([]);
  });

  it('[BAD-108] goes when a newer version has taken the store: others must be able to take its tasks', async () => {
    const rig = await openRig();
    await rig.engine({ quick: { run: () => 1 } }, { leaseMs: 300, superviseMs: 60_000 });
    const folder = join(rig.folder, 'pulse');
    await until(() => existsSync(folder) && readdirSync(folder).length > 0, PATIENT);
    const newer = openDriver(rig.path, { readOnly: false });
    newer.exec(`PRAGMA busy_timeout = 10000; PRAGMA user_version = ${STORE_SCHEMA.migrations.length + 1}`);
    newer.close();
    await until(() => readdirSync(folder).length === 0, PATIENT);
    const refusals = rig.takeErrors();
    expect(refusals.length).toBeGreaterThan(0);
    expect(refusals).toEqual(refusals.map(() => expect.objectContaining({ code: 'STORE_SCHEMA_NEWER' })));
  });
});
