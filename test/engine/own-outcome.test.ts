import type { Store } from 'holdfast';
import { until } from 'holdfast/testing';
import { describe, expect, it } from 'vitest';
import { openLightRig, storeKinds } from './open-rig.ts';

/** The same store, and how often tasks were read. */
function countReads(store: Store): { store: Store; reads(): number } {
  let reads = 0;
  const tasks = new Proxy(store.tasks, {
    get(target, name: keyof Store['tasks']) {
      const verb = target[name] as (...args: unknown[]) => unknown;
      return (...args: unknown[]) => {
        if (name === 'get') reads += 1;
        return Reflect.apply(verb, target, args);
      };
    },
  });
  return { store: { ...store, tasks }, reads: () => reads };
}

describe.each(storeKinds)('the outcome of a task of this process, on %s', (kind) => {
  it('[PG-274] is not read, and each who waits has one of their own', async () => {
    const rig = await openLightRig(kind);
    const { store, reads } = countReads(rig.store);
    const engine = await rig.engine({ sum: { run: () => ({ pages: [1, 2] }) } }, { store });
    const { task } = await engine.submit('sum', {});
    const [one, other] = await Promise.all([engine.outcome(task.taskId), engine.outcome(task.taskId)]);
    expect(one).toEqual({ kind: 'result', value: { pages: [1, 2] } });
    expect(other).toEqual(one);
    expect(other).not.toBe(one);
    expect(reads()).toBe(0);
    // Afterwards it is read like any other.
    expect(await engine.outcome(task.taskId)).toEqual(one);
    expect(reads()).toBe(1);
  });

  it('[PG-274] is its principal’s alone', async () => {
    const rig = await openLightRig(kind);
    const engine = await rig.engine({ sleep: { run: (_: unknown, { signal }) => untilAborted(signal) } });
    const { task } = await engine.submit('sleep', {}, { principal: 'ada' });
    await expect(engine.outcome(task.taskId, { principal: 'eve' })).rejects.toMatchObject({ code: 'TASK_NOT_FOUND' });
    await expect(engine.outcome(task.taskId)).rejects.toMatchObject({ code: 'TASK_NOT_FOUND' });
    const waiting = engine.outcome(task.taskId, { principal: 'ada' });
    await engine.cancel(task.taskId, { principal: 'ada' });
    expect(await waiting).toMatchObject({ kind: 'cancelled' });
  });

  it('[PG-274] is that of whoever ended it first', async () => {
    const rig = await openLightRig(kind);
    let begun = false;
    let finish = () => {};
    const work = new Promise<string>((resolve) => {
      finish = () => resolve('done');
    });
    const run = () => {
      begun = true;
      return work;
    };
    const engine = await rig.engine({ slow: { run } });
    const { task } = await engine.submit('slow', {});
    const waiting = engine.outcome(task.taskId);
    await until(() => begun);
    const cancelling = engine.cancel(task.taskId, { reason: 'enough' });
    finish();
    const { cancelled } = await cancelling;
    expect(await waiting).toMatchObject(cancelled ? { kind: 'cancelled' } : { kind: 'result', value: 'done' });
    expect((await engine.get(task.taskId)).outcome).toEqual(await waiting);
  });
});

function untilAborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => signal.addEventListener('abort', () => resolve()));
}
