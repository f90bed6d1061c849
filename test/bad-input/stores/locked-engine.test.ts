import { openSqliteStore } from 'holdfast';
import { until } from 'holdfast/testing';
import { describe, expect, it, onTestFinished } from 'vitest';
import { openDriver } from '../../../dist/sqlite/driver.js';
import { openRig } from '../../engine/open-rig.ts';

async function openLockable() {
  const rig = await openRig();
  const store = await openSqliteStore({ path: rig.path, lockWaitMs: 50 });
  onTestFinished(() => store.close());
  const engine = await rig.idleEngine({ quick: { run: () => 'quick' } }, { store, leaseMs: 100, superviseMs: 60_000 });
  const lock = () => {
    const other = openDriver(rig.path, { readOnly: false });
    other.exec('BEGIN IMMEDIATE');
    return () => other.close();
  };
  return { rig, engine, lock };
}

const locked = expect.objectContaining({ code: 'STORE_LOCKED' });

describe('an engine on a store that somebody has locked', () => {
  it('[INPUT-10] says so when it is started, and can be started later', async () => {
    const { engine, lock } = await openLockable();
    const { taskId } = (await engine.submit('quick')).task;
    const unlock = lock();
    await expect(engine.start()).rejects.toThrow(locked);
    expect((await engine.get(taskId)).status).toBe('queued');
    unlock();
    await engine.start();
    expect(await engine.outcome(taskId)).toEqual({ kind: 'result', value: 'quick' });
    await engine.close();
  });

  it('[INPUT-10] can be closed while its heartbeat waits for the lock', async () => {
    const { rig, engine, lock } = await openLockable();
    await engine.start();
    const unlock = lock();
    // From its first complaint on the heartbeat does little else than wait inside the driver.
    const errors: unknown[] = [];
    await until(() => errors.push(...rig.takeErrors()) > 0);
    await engine.close();
    errors.push(...rig.takeErrors());
    expect(errors).toEqual(errors.map(() => locked));
    unlock();
    expect(await engine.list()).toEqual({ tasks: [] });
  });
});
