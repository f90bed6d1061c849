/** The file of a store is taken away while engines work on it. */
import { rmSync, truncateSync } from 'node:fs';
import { openSqliteStore, type Store, type TaskContext, TaskError } from 'holdfast';
import { until, untilStatus } from 'holdfast/testing';
import { describe, expect, it } from 'vitest';
import { openRig, untilAborted } from '../../engine/open-rig.ts';

const gone = { code: 'STORE_GONE' };

describe('a store whose file is deleted', () => {
  it('[BAD-304] acknowledges nothing more, stops its work, and leaves the new file to others', async () => {
    const rig = await openRig();
    const begun: string[] = [];
    let hasBegun = false;
    let stopped: unknown;
    const hold = {
      run: (_: unknown, task: { signal: AbortSignal }) =>
        new Promise<void>((resolve) => {
          hasBegun = true;
          task.signal.addEventListener('abort', () => {
            stopped = task.signal.reason;
            resolve();
          });
        }),
    };
    const old = await rig.engine({ hold, note: { run: () => void begun.push('old') } });
    await old.submit('hold');
    await until(() => hasBegun);

    rmSync(rig.path);
    await expect(old.submit('note')).rejects.toMatchObject(gone);
    const store = await rig.reopen();
    const fresh = await rig.engine({ note: { run: () => void begun.push('fresh') } }, { store });
    const ran = await fresh.submit('note');
    expect(await fresh.outcome(ran.task.taskId)).toMatchObject({ kind: 'result' });
    expect(begun).toEqual(['fresh']);
    await expect(old.submit('note')).rejects.toMatchObject(gone);
    await until(() => stopped !== undefined);
    await old.close();
    for (const error of rig.takeErrors()) expect(error).toMatchObject(gone);
  });

  it('[ROOMS-340] whoever of the engine hears it first, what runs is stopped then, and not with its next write', async () => {
    const rig = await openRig();
    let isGone = false;
    const workers: Store['workers'] = {
      ...rig.store.workers,
      // The supervisor's; what the worker itself asks for is still answered.
      async list(identity) {
        if (isGone) throw new TaskError('STORE_GONE', 'replaced', { data: { final: true } });
        return rig.store.workers.list(identity);
      },
    };
    let reason: unknown;
    const run = async (_: unknown, task: TaskContext) => {
      reason = await untilAborted(task.signal);
    };
    const engine = await rig.engine({ hold: { run } }, { store: { ...rig.store, workers } });
    const { taskId } = (await engine.submit('hold')).task;
    await untilStatus(engine, taskId, 'working');
    isGone = true;
    await until(() => reason, { what: 'the work to be stopped' });
    expect(reason).toMatchObject(gone);
    await engine.close();
    expect(rig.takeErrors()).toEqual([expect.objectContaining(gone)]);
  });

  it('[BAD-305] is cut to nothing: neither the engine on it nor the next one takes it for a new store', async () => {
    const rig = await openRig();
    const engine = await rig.idleEngine({ quick: { run: () => 'x' } });
    await engine.submit('quick');
    truncateSync(rig.path, 0);
    await expect(engine.submit('quick')).rejects.toMatchObject(gone);
    await expect(openSqliteStore({ path: rig.path })).rejects.toMatchObject(gone);
    rig.takeErrors();
  });
});
