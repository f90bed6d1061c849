import type { Store } from 'holdfast';
import { until, untilStatus } from 'holdfast/testing';
import { expect, it, onTestFinished, vi } from 'vitest';
import { programPath } from '../../programs/program-path.js';
import { createGate, openRig } from '../open-rig.ts';

const LEASE_MS = 300;

it('[BAD-264] a worker whose heartbeat thread takes longer than a lease to load keeps its tasks', async () => {
  const rig = await openRig();
  const gate = createGate();
  const heartbeat = { module: programPath('never-loads.js'), options: {} };
  const engine = await rig.engine(
    { once: { run: () => gate.opened } },
    { store: { ...rig.store, heartbeat }, leaseMs: LEASE_MS, superviseMs: 10 },
  );
  const { taskId } = (await engine.submit('once')).task;
  await untilStatus(engine, taskId, 'working');
  const leasedUntil = async () => (await rig.store.workers.list('test'))[0]?.until ?? 0;
  const first = await leasedUntil();
  await until(async () => (await leasedUntil()) > first + 3 * LEASE_MS);
  gate.open();
  expect(await engine.outcome(taskId)).toEqual({ kind: 'result', value: null });
});

it('[PG-295] a worker on a shared store stops its tools before its lease is over, also while the beats change threads', async () => {
  const rig = await openRig();
  // One beat of the main thread reaches the store. Then nothing does, and another thread takes the beats over.
  const leaseMs = 5000;
  vi.stubEnv('HOLDFAST_TEST_LATE_MS', '4600');
  onTestFinished(() => void vi.unstubAllEnvs());
  let renewedAt = Number.NaN;
  let beats = 0;
  const renew: Store['workers']['renew'] = async (...args) => {
    beats += 1;
    if (beats > 1) return new Promise(() => {});
    renewedAt = performance.now();
    return rig.store.workers.renew(...args);
  };
  const heartbeat = { module: programPath('late-heart.js'), options: {} };
  const store = { ...rig.store, isShared: true, heartbeat, workers: { ...rig.store.workers, renew } };
  let stoppedAt = Number.NaN;
  const run = async (_args: unknown, { signal }: { readonly signal: AbortSignal }) => {
    await new Promise((resolve) => signal.addEventListener('abort', resolve));
    stoppedAt = performance.now();
  };
  const engine = await rig.engine({ once: { idempotent: true, run } }, { store, leaseMs });
  await engine.submit('once');
  await until(() => stoppedAt > renewedAt, { what: 'the tool to be stopped' });
  expect(stoppedAt - renewedAt).toBeLessThan(leaseMs);
});
