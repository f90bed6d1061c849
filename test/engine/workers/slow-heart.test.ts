import { until, untilStatus } from 'holdfast/testing';
import { expect, it } from 'vitest';
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
