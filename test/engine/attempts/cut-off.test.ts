import type { Store, TaskContext } from 'holdfast';
import { until } from 'holdfast/testing';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createGate, openRig, untilAborted } from '../open-rig.ts';
import { isRunning } from '../workers/start-program.ts';

const LEASE_MS = 1000;

/** A store of several machines that can be cut off: what is asked then is answered when it is mended. */
async function openCuttable() {
  const mended = createGate();
  let isCut = false;
  const toCuttable = <T extends object>(verbs: T): T =>
    new Proxy(verbs, {
      get(target, name) {
        const verb: unknown = Reflect.get(target, name);
        if (typeof verb !== 'function') return verb;
        return async (...args: unknown[]) => {
          if (isCut) await mended.opened;
          return verb.apply(target, args) as unknown;
        };
      },
    });
  const toEngineStore = (store: Store) => {
    const { tasks, workers, outbox, holds, deadlines, programs } = store;
    const parts = Object.entries({ tasks, workers, outbox, holds, deadlines, programs });
    const cuttable = parts.map(([name, verbs]) => [name, toCuttable(verbs)]);
    return Object.assign(store, { isShared: true }, Object.fromEntries(cuttable));
  };
  const rig = await openRig('memory', { toEngineStore });
  // Before the engine is closed.
  onTestFinished(() => mended.open());
  const cut = () => {
    isCut = true;
  };
  return { rig, cut };
}

/** Runs a tool that starts a program and is cut off then; its program must not wait for what the store does not say. */
async function expectEnded(goOn: (task: TaskContext, cut: () => void) => unknown): Promise<void> {
  const { rig, cut } = await openCuttable();
  let pid = 0;
  const run = async (_args: unknown, task: TaskContext) => {
    ({ pid } = await task.spawn('sleep', ['1000'], { events: false }));
    return goOn(task, cut);
  };
  const engine = await rig.engine({ run: { run } }, { leaseMs: LEASE_MS, onError: () => {} });
  await engine.submit('run');
  await until(() => pid !== 0, { what: 'the program' });
  expect(await isRunning(pid)).toBe(true);
  await until(async () => !(await isRunning(pid)), { what: 'the program to end' });
}

describe('a worker that is cut off from a store of several machines ends the programs of its tools in time', () => {
  it('[PG-122] although an event of theirs is on its way', async () => {
    await expectEnded((task, cut) => {
      cut();
      void task.progress(0.5);
      return untilAborted(task.signal);
    });
  });

  it('[PG-122] although another program is just being started', async () => {
    await expectEnded((task, cut) => {
      cut();
      task.spawn('sleep', ['1000']).catch(() => {});
      return untilAborted(task.signal);
    });
  });

  it('[PG-122] although its tool has returned, and that is on its way', async () => {
    await expectEnded((_task, cut) => cut());
  });
});
