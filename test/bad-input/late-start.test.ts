import { openSqliteStore } from 'holdfast';
import { expect, it, onTestFinished } from 'vitest';
import { openDriver } from '../../dist/sqlite/driver.js';
import { openRig } from '../engine/open-rig.ts';

it('[INPUT-10] an engine that is started while the store is locked says STORE_LOCKED, and can be started later', async () => {
  const rig = await openRig();
  const store = await openSqliteStore({ path: rig.path, lockWaitMs: 50 });
  onTestFinished(() => store.close());
  const engine = await rig.idleEngine({ quick: { run: () => 'quick' } }, { store });
  const { taskId } = (await engine.submit('quick')).task;
  const other = openDriver(rig.path, { readOnly: false });
  other.exec('BEGIN IMMEDIATE');

  await expect(engine.start()).rejects.toMatchObject({
    code: 'STORE_LOCKED',
    message: expect.stringContaining('50 ms'),
  });
  expect((await engine.get(taskId)).status).toBe('queued');

  other.exec('ROLLBACK');
  other.close();
  await engine.start();
  expect(await engine.outcome(taskId)).toEqual({ kind: 'result', value: 'quick' });
  await engine.close();
});
