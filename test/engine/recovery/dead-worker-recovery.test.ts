import { appendFileSync, existsSync } from 'node:fs';
import { join } from 'node:path';
import { until } from 'holdfast/testing';
import { describe, expect, it, onTestFinished } from 'vitest';
import { touchPulse } from '../../../dist/engine/heartbeat/pulse.js';
import { endGroup, spawnGated } from '../../../src/process/process-group.ts';
import { isAlive, type ProcessRef } from '../../../src/process/process-ref.ts';
import { readLines } from '../../read-lines.ts';
import { openWatch, startDead, type Watch } from '../open-watch.ts';

const PATIENT = { timeoutMs: 60_000 };

/** A group of a worker that notes SIGTERM and goes on, as real children of real tools do. */
async function startStubborn(watch: Watch, workerId: string, taskId: string): Promise<ProcessRef> {
  const file = join(watch.folder, 'terms.txt');
  const script = 'trap \'echo term >> "$0"\' TERM; echo ready; while :; do sleep 0.1; done';
  const { child, ref, release } = await spawnGated('bash', ['-c', script, file]);
  onTestFinished(async () => void (await endGroup(ref, { graceMs: 0 })));
  await watch.store.workers.track({ ...ref, workerId, taskId });
  release();
  await new Promise((resolve) => child.stdout.once('data', resolve));
  return ref;
}

const countTerms = (watch: Watch) => readLines(join(watch.folder, 'terms.txt')).length;

describe('what a dead worker left', () => {
  it('[BAD-120] is ended all at once, however many groups there are', async () => {
    const watch = await openWatch();
    const taskId = await watch.worker('dead', { process: await startDead(), idempotent: true });
    const refs = await Promise.all(Array.from({ length: 6 }, () => startStubborn(watch, 'dead', taskId)));
    const observer = watch.observer();
    await observer.look();
    await until(() => refs.some((ref) => isAlive(ref) === false), PATIENT);
    // One after the other, the first to go would be the only one to have been asked.
    expect(countTerms(watch)).toBe(6);
    await observer.settled();
    expect(refs.map((ref) => isAlive(ref))).toEqual(refs.map(() => false));
    expect(await watch.events(taskId)).toEqual(['submitted', 'claimed', 'requeued']);
  });

  it('[BAD-121] keeps only its own tasks waiting: its place is free, and others that died are buried meanwhile', async () => {
    const watch = await openWatch();
    const process = await startDead();
    const place = { workerId: 'dead', identity: 'dead', kind: 'detached', leaseMs: 6000 } as const;
    const build = { id: 'b', at: 1 };
    await watch.store.workers.reserve({ ...place, build });
    await watch.store.workers.register({ ...place, build, process });
    const taskId = await watch.claimed('dead', true);
    const ref = await startStubborn(watch, 'dead', taskId);
    const other = await watch.worker('other', { process, idempotent: true });
    const observer = watch.observer();
    await observer.look();
    expect(isAlive(ref)).toBe(true);
    expect(await watch.events(other)).toEqual(['submitted', 'claimed', 'requeued']);
    expect(await watch.events(taskId)).toEqual(['submitted', 'claimed']);
    const next = { ...place, workerId: 'next', build };
    expect(await watch.store.workers.reserve(next)).toEqual({ kind: 'reserved' });
    // A second look in the middle of it, by the same or by another, changes nothing.
    await observer.look();
    const second = watch.observer();
    await second.look();
    await Promise.all([observer.settled(), second.settled()]);
    expect(isAlive(ref)).toBe(false);
    expect(await watch.events(taskId)).toEqual(['submitted', 'claimed', 'requeued']);
    expect(observer.freed() + second.freed()).toBeGreaterThan(0);
    expect(watch.errors).toEqual([]);
  });

  it('[BAD-122] includes its pulse, and so do those that nobody knows any more', async () => {
    const watch = await openWatch();
    await watch.worker('dead', { process: await startDead() });
    await watch.worker('alive');
    const files = ['dead', 'alive', 'forgotten'].map((name) => join(watch.folder, 'pulse', name));
    for (const file of files) touchPulse(file);
    appendFileSync(join(watch.folder, 'pulse', 'not.ours'), '');
    await watch.observer().look();
    expect(files.map((file) => existsSync(file))).toEqual([false, true, false]);
    expect(existsSync(join(watch.folder, 'pulse', 'not.ours'))).toBe(true);
  });
});
