import { renameSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { openSqliteStore } from 'holdfast';
import { until, untilStatus } from 'holdfast/testing';
import { describe, expect, it, onTestFinished } from 'vitest';
import { openDriver } from '../../../dist/sqlite/driver.js';
import { createGate, openRig } from '../../engine/open-rig.ts';

const PAGE = 4096;

/** Overwrites all but the first page of the file, and makes everybody read them again. */
async function damage(path: string): Promise<void> {
  const other = openDriver(path, { readOnly: false });
  other.exec('PRAGMA busy_timeout = 5000');
  // Pages that still lie in the log would hide those of the file.
  await until(() => (other.prepare('PRAGMA wal_checkpoint(TRUNCATE)').get() as { busy: number }).busy === 0);
  const version = (other.prepare('PRAGMA user_version').get() as { user_version: number }).user_version;
  const file = await open(path, 'r+');
  const { size } = await file.stat();
  await file.write(Buffer.alloc(size - PAGE, 0xa5), 0, undefined, PAGE);
  await file.close();
  // A commit of somebody else is what makes a connection drop the pages it remembers.
  other.exec(`PRAGMA user_version = ${version}`);
  other.close();
}

/** An engine with some history and a running task; what goes wrong in the background is kept. */
async function openBusy() {
  const rig = await openRig();
  const errors: unknown[] = [];
  const onError = (error: unknown) => errors.push(error);
  const store = await openSqliteStore({ path: rig.path, onError });
  onTestFinished(() => store.close());
  const gate = createGate();
  const tools = { hold: { run: () => gate.opened }, quick: { run: () => 'quick' } };
  const engine = await rig.engine(tools, { store, onError, shutdownGraceMs: 50, abortGraceMs: 50 });
  for (let i = 0; i < 20; i++) await engine.submit('quick', { text: 'x'.repeat(2000) });
  const running = (await engine.submit('hold')).task.taskId;
  await untilStatus(engine, running, 'working');
  return { path: rig.path, engine, running, errors, finish: gate.open };
}

const corrupt = (path: string) => ({ code: 'STORE_CORRUPT', message: expect.stringContaining(path) });

describe('a database that is damaged under a running engine', () => {
  it('[INPUT-08] is STORE_CORRUPT for every call, is reported, and does not keep the engine from closing', async () => {
    const { path, engine, running, errors, finish } = await openBusy();
    await damage(path);

    await expect(engine.submit('quick')).rejects.toMatchObject(corrupt(path));
    await expect(engine.get(running)).rejects.toMatchObject(corrupt(path));
    await expect(engine.cancel(running)).rejects.toMatchObject(corrupt(path));
    await expect(engine.list()).rejects.toMatchObject(corrupt(path));
    await expect(engine.watch(running).next()).rejects.toMatchObject(corrupt(path));
    await expect(engine.outcome(running)).rejects.toMatchObject(corrupt(path));

    finish();
    await until(() => errors.length > 0);
    await engine.close();
    for (const error of errors) expect(error).toMatchObject({ code: 'STORE_CORRUPT' });
  });

  it('[INPUT-08] that is moved away for a while costs a heartbeat, which comes back with it', async () => {
    const rig = await openRig();
    const away = `${rig.path}.away`;
    await rig.engine({ quick: { run: () => 'quick' } });
    renameSync(rig.path, away);
    const [error] = await until(() => {
      const errors = rig.takeErrors();
      return errors.length > 0 && errors;
    });
    expect(error).toMatchObject({
      code: expect.stringMatching(/^STORE_(GONE|NOT_FOUND)$/),
      message: expect.stringContaining(rig.path),
    });
    renameSync(away, rig.path);
    const [before] = await rig.store.workers.list();
    const renewed = await until(async () => {
      const [now] = await rig.store.workers.list();
      return now && now.until !== before?.until && now;
    });
    // On a machine so busy that the lease ran out meanwhile, the worker has come back under another id.
    expect(renewed).toEqual({ ...before, until: expect.any(Number), workerId: expect.any(String) });
    rig.takeErrors();
  });
});
