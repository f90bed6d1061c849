import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Clock, createEngine, type Store, type TaskContext, TaskError, type TaskStore } from 'holdfast';
import { until, untilStatus } from 'holdfast/testing';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { createGate, openRig } from '../open-rig.ts';

const YES = { type: 'object', properties: { yes: { type: 'boolean' } } };
const locked = () => new TaskError('STORE_LOCKED', 'the store is locked');

/** The same store, some of whose verbs behave otherwise. */
function withVerbs(store: Store, verbs: Partial<TaskStore>): Store {
  const own = <T extends object>(target: T, other: object) =>
    new Proxy(target, {
      get: (_target, name) => {
        const value: unknown = Reflect.get(Reflect.has(other, name) ? other : target, name);
        return typeof value === 'function' ? value.bind(target) : value;
      },
    });
  return own(store, { tasks: own(store.tasks, verbs) });
}

describe('a store in trouble', () => {
  it('[ENGINE-16] does not cost a result that is waiting to be written when the engine closes', async () => {
    const rig = await openRig();
    let isLocked = true;
    let tries = 0;
    const store = withVerbs(rig.store, {
      settle: async (...call) => {
        tries++;
        if (isLocked) throw locked();
        return rig.store.tasks.settle(...call);
      },
    });
    const engine = await rig.engine({ once: { run: () => 'done' } }, { store, shutdownGraceMs: 1 });
    const { taskId } = (await engine.submit('once')).task;
    await until(() => tries === 3);
    isLocked = false;
    await engine.close();
    expect((await engine.get(taskId)).outcome).toEqual({ kind: 'result', value: 'done' });
    expect(rig.takeErrors().length).toBeGreaterThanOrEqual(3);
  });

  it('[ENGINE-30] lets a tool ask again under the same key when a question could not be written', async () => {
    const rig = await openRig();
    let refused = 0;
    const store = withVerbs(rig.store, {
      ask: async (...call) => {
        // Trouble that may pass is waited out, and the tool hears nothing of it.
        if (refused++ === 0) throw new TaskError('STORE_READ_ONLY', 'the store cannot be written');
        return rig.store.tasks.ask(...call);
      },
    });
    const run = async (_args: unknown, task: TaskContext) => {
      const question = { key: 'go', message: 'Go on?', schema: YES };
      return task.ask(question).catch(() => task.ask(question));
    };
    const engine = await rig.engine({ asks: { run } }, { store });
    const { taskId } = (await engine.submit('asks')).task;
    await untilStatus(engine, taskId, 'input_required');
    await engine.answer(taskId, { go: { action: 'accept', content: { yes: true } } });
    expect(await engine.outcome(taskId)).toEqual({ kind: 'result', value: { yes: true } });
  });
});

describe('an engine', () => {
  it('[ENGINE-16] that is closed while it starts leaves no worker and no listener behind', async () => {
    const rig = await openRig();
    let listeners = 0;
    const changes: Store['changes'] = {
      subscribe(listener) {
        listeners++;
        const unsubscribe = rig.store.changes.subscribe(listener);
        return () => {
          listeners--;
          unsubscribe();
        };
      },
    };
    const engine = await rig.idleEngine({ any: { run: () => 1 } }, { store: { ...rig.store, changes } });
    const starting = engine.start();
    await engine.close();
    await starting;
    expect(await rig.store.workers.list()).toEqual([]);
    expect(listeners).toBe(0);
  });

  it('[ENGINE-46] that is closed wakes those who wait on its own store', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'holdfast-engine-'));
    vi.stubEnv('HOLDFAST_DIR', folder);
    onTestFinished(async () => {
      vi.unstubAllEnvs();
      await rm(folder, { recursive: true, force: true });
    });
    const engine = await createEngine({ name: 'closes', tools: { any: { run: () => 1 } } });
    const { taskId } = (await engine.submit('any')).task;
    const waiting = engine.outcome(taskId).catch((error) => error.code);
    await engine.get(taskId);
    await engine.close();
    expect(await waiting).toBe('STORE_CLOSED');
  });

  it('[ENGINE-47] goes on when its onError throws', async () => {
    const rig = await openRig();
    const onError = () => {
      throw new Error('no log');
    };
    const estimateMs = () => {
      throw new Error('no idea');
    };
    const engine = await rig.engine({ any: { run: () => 'done', estimateMs } }, { onError });
    const { taskId } = (await engine.submit('any')).task;
    expect(await engine.outcome(taskId)).toEqual({ kind: 'result', value: 'done' });
  });

  it('[ENGINE-10] takes nobody for dead because the whole machine was paused', async () => {
    const rig = await openRig();
    let pausedMs = 0;
    let looks = 0;
    const clock: Clock = {
      now: () => Date.now(),
      monotonic: () => performance.now() + pausedMs,
      after: (ms, fn) => {
        if (ms === 20) looks++;
        const timer = setTimeout(fn, Math.min(ms, 2 ** 31 - 1));
        return () => clearTimeout(timer);
      },
    };
    const gate = createGate();
    const holds = { concurrency: 1, run: () => gate.opened };
    const engine = await rig.engine({ holds }, { clock, superviseMs: 20 });
    const { taskId } = (await engine.submit('holds')).task;
    // While something waits to be run it is looked often.
    await engine.submit('holds');
    await untilStatus(engine, taskId, 'working');
    for (let pause = 1; pause <= 3; pause++) {
      const seen = looks;
      const [beat] = await rig.store.workers.list();
      await until(async () => (await rig.store.workers.list())[0]?.until !== beat?.until);
      await until(() => looks > seen + 3);
      pausedMs += 60_000;
    }
    gate.open();
    expect(await engine.outcome(taskId)).toMatchObject({ kind: 'result' });
  });
});

describe('a tool', () => {
  it('[INPUT-01] that does not wait for a refused progress or an abandoned question harms nobody else', async () => {
    const rig = await openRig();
    const run = async (_args: unknown, task: TaskContext) => {
      void task.progress(Number.NaN);
      void task.ask({ message: 'Go on?', schema: YES });
      void task.step('', () => 1);
      await until(async () => (await rig.store.tasks.get(task))?.status === 'input_required');
      return 'done';
    };
    const engine = await rig.engine({ careless: { run } });
    const { taskId } = (await engine.submit('careless')).task;
    expect(await engine.outcome(taskId)).toEqual({ kind: 'result', value: 'done' });
  });

  it('[ENGINE-30] that has returned does not see its signal abort', async () => {
    const rig = await openRig();
    const signals: AbortSignal[] = [];
    const run = (_args: unknown, task: TaskContext) => {
      signals.push(task.signal);
      return 'done';
    };
    const engine = await rig.engine({ any: { run } });
    const { taskId } = (await engine.submit('any')).task;
    await engine.outcome(taskId);
    await engine.close();
    expect(signals.map(({ aborted }) => aborted)).toEqual([false]);
  });

  it('[ENGINE-43] is estimated by the arguments it will get', async () => {
    const rig = await openRig();
    const estimateMs = ({ pages = 3 }: { pages?: number }) => pages * 100;
    const engine = await rig.idleEngine({ any: { run: () => 1, estimateMs } });
    expect((await engine.submit('any')).task.estimateMs).toBe(300);
  });

  it('[INPUT-13] whose own limits are endless is run, and waits for its next attempt as long as it says', async () => {
    const rig = await openRig();
    const retry = { maxAttempts: Infinity, firstDelayMs: Infinity, maxDelayMs: Infinity };
    const run = () => {
      throw Object.assign(new Error('later'), { retryable: true });
    };
    const engine = await rig.engine({ any: { run, idempotent: true, retry, pollIntervalMs: 1e300 } });
    const { taskId } = (await engine.submit('any')).task;
    const waiting = await until(async () => {
      const task = await engine.get(taskId);
      return task.attempt === 1 && task.status === 'queued' && task;
    });
    expect(waiting.runAt).toBeGreaterThan(Date.now() + 10 ** 11);
  });

  it('[INPUT-13] runs in an engine whose limits are endless', async () => {
    const rig = await openRig();
    const endless = { concurrency: Infinity, queueLimit: Infinity, tombstoneMs: Infinity, maxBlockMs: Infinity };
    const engine = await rig.engine({ any: { run: () => 'done' } }, { ...endless, parkMs: Infinity, sweepMs: 5 });
    const { taskId } = (await engine.submit('any', {}, { ttlMs: 0 })).task;
    await until(async () => (await engine.get(taskId)).outcome?.kind === 'expired');
  });
});
