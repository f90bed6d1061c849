/** Programs of workers that another host has buried: who ends them, and who leaves them alone. */
import { syncBuiltinESMExports } from 'node:module';
import os from 'node:os';
import { describe, expect, it, onTestFinished } from 'vitest';
import { endGroup, spawnGated } from '../../../src/process/process-group.ts';
import { currentHost, isAlive, type ProcessRef } from '../../../src/process/process-ref.ts';
import type { Store } from '../../../src/store/contract.ts';
import { ORPHAN_KEEP_MS } from '../../../src/store/contracts/worker-contract.ts';
import { LOOK_MS, openWatch, startDead, type Watch } from '../open-watch.ts';

const MINUTE_MS = 60_000;

/** Lets this process take itself for one of another machine meanwhile. */
async function elsewhere(act: () => Promise<void>): Promise<void> {
  const { hostname } = os;
  const answer = (name: typeof hostname) => {
    os.hostname = name;
    syncBuiltinESMExports();
  };
  answer(() => 'another-machine');
  try {
    await act();
  } finally {
    answer(hostname);
  }
}

/** A program that a worker has started here. */
async function startProgram({ store }: Watch, workerId: string, taskId = 't'): Promise<ProcessRef> {
  const { ref, release } = await spawnGated('sleep', ['1000']);
  onTestFinished(async () => void (await endGroup(ref, { graceMs: 0 })));
  await store.workers.track({ ...ref, workerId, taskId });
  release();
  return ref;
}

/** As another host does that has seen a worker be silent. */
async function recover({ store }: Watch, workerId: string): Promise<void> {
  const worker = (await store.workers.list()).find((one) => one.workerId === workerId);
  const dead = { workerId, until: worker?.until ?? 0, reason: 'it was silent', delaysMs: [0] as const };
  expect(await store.tasks.recover(dead)).toBeDefined();
}

/** How often the store was asked for orphans. */
function countAsked({ workers }: Store): () => number {
  const ask = workers.orphanedGroups;
  let asked = 0;
  Object.assign(workers, {
    orphanedGroups: (host: string) => {
      asked += 1;
      return ask(host);
    },
  });
  return () => asked;
}

describe.each(['sqlite', 'memory'] as const)('two hosts on one store (%s)', (kind) => {
  it('[PG-290] what a worker left on one stays on record when the other buries it, and is ended by the first', async () => {
    const watch = await openWatch(kind);
    const { workers } = watch.store;
    const taskId = await watch.worker('dead', { process: await startDead(), idempotent: true });
    const program = await startProgram(watch, 'dead', taskId);
    const record = { ...program, workerId: 'dead', taskId };
    await elsewhere(async () => {
      const other = watch.observer();
      await other.look(30);
      await other.settled();
      expect(await watch.isThere('dead')).toBe(false);
      expect(await watch.events(taskId)).toEqual(['submitted', 'claimed', 'stalled', 'requeued']);
      // Also not later, and not by one that has just been started there.
      await watch.clock.advance(2 * MINUTE_MS);
      for (const one of [other, watch.observer()]) {
        await one.look();
        await one.settled();
      }
    });
    expect(isAlive(program)).toBe(true);
    expect(await workers.groups('dead')).toEqual([record]);
    expect(await workers.orphanedGroups(currentHost())).toEqual([record]);

    const own = watch.observer();
    await own.look();
    await own.settled();
    expect(isAlive(program)).toBe(false);
    expect(await workers.orphanedGroups(currentHost())).toEqual([]);
    expect(watch.errors).toEqual([]);
  });
});

describe('what workers of this host left', () => {
  it('[PG-291] is ended by the look that misses the worker, and what living ones run goes on', async () => {
    const watch = await openWatch();
    for (const workerId of ['lost', 'alive']) await watch.worker(workerId);
    const lost = await startProgram(watch, 'lost');
    const others = await startProgram(watch, 'alive');
    const own = watch.observer();
    await own.look();
    await recover(watch, 'lost');
    await own.look();
    await own.settled();
    expect([isAlive(lost), isAlive(others)]).toEqual([false, true]);
    expect(await watch.store.workers.groups('lost')).toEqual([]);
    expect(await watch.store.workers.groups('alive')).toHaveLength(1);
  });

  it('[PG-291] is ended also when it was started by a worker that did not know yet that it had been removed', async () => {
    const watch = await openWatch();
    const own = watch.observer();
    await own.look();
    const program = await startProgram(watch, 'removed');
    await own.look(MINUTE_MS / LOOK_MS);
    await own.settled();
    expect(isAlive(program)).toBe(false);
    expect(await watch.store.workers.groups('removed')).toEqual([]);
  });

  it('[PG-291] is asked for only when a worker is missed, in the first look, and once a minute', async () => {
    const watch = await openWatch();
    const asked = countAsked(watch.store);
    await watch.worker('one');
    const own = watch.observer();
    await own.look();
    expect(asked()).toBe(1);
    for (let look = 0; look < MINUTE_MS / LOOK_MS - 10; look++) {
      await watch.beat('one');
      await own.look(1);
    }
    expect(await watch.isThere('one')).toBe(true);
    expect(asked()).toBe(1);
    await recover(watch, 'one');
    await own.look(3);
    expect(asked()).toBe(2);
    await own.look(MINUTE_MS / LOOK_MS);
    expect(asked()).toBe(3);
  });

  it('[PG-291] is not taken for gone because a pid, name and namespace are the same and the boot is not', async () => {
    const watch = await openWatch();
    const { workers } = watch.store;
    const group = { host: currentHost(), pid: 77_777, startTime: 'another-boot/5', workerId: 'w', taskId: 't' };
    await workers.track(group);
    Object.assign(watch.store, { isShared: true });
    const shared = watch.observer();
    await shared.look();
    await shared.settled();
    expect(await workers.groups('w')).toEqual([group]);
    // A store of one machine has no second one of this name: that was this one, before it was started again.
    Object.assign(watch.store, { isShared: false });
    const own = watch.observer();
    await own.look();
    await own.settled();
    expect(await workers.groups('w')).toEqual([]);
  });

  it('[PG-291] is struck out before its tasks run again, when the worker is buried here', async () => {
    const watch = await openWatch();
    const taskId = await watch.worker('dead', { process: await startDead(), idempotent: true });
    const program = await startProgram(watch, 'dead', taskId);
    const { workers, tasks } = watch.store;
    const original = tasks.recover;
    let found: unknown;
    tasks.recover = async (dead) => {
      found = [isAlive(program), await workers.groups('dead')];
      return original(dead);
    };
    const own = watch.observer();
    await own.look();
    await own.settled();
    expect(found).toEqual([false, []]);
    expect(await watch.events(taskId)).toEqual(['submitted', 'claimed', 'requeued']);
  });

  it('[PG-291] is tried again in the next look when the store cannot be asked', async () => {
    const watch = await openWatch();
    const program = await startProgram(watch, 'removed');
    const { workers } = watch.store;
    const ask = workers.orphanedGroups;
    workers.orphanedGroups = async () => {
      workers.orphanedGroups = ask;
      throw new Error('no answer');
    };
    const own = watch.observer();
    await own.look();
    expect(watch.errors).toEqual([new Error('no answer')]);
    await own.look();
    await own.settled();
    expect(isAlive(program)).toBe(false);
  });
});

it('[PG-292] records of hosts that never come back are forgotten after a week', async () => {
  const watch = await openWatch();
  const { workers, tasks } = watch.store;
  const group = { host: 'gone for good', pid: 7, startTime: 'then', workerId: 'w', taskId: 't' };
  await workers.track(group);
  const sweep = () => tasks.sweep({ expiresBefore: 0, tombstonesBefore: 0, limit: 10 });
  await watch.clock.advance(ORPHAN_KEEP_MS - 1000);
  await sweep();
  expect(await workers.orphanedGroups('gone for good')).toEqual([group]);
  await watch.clock.advance(1000);
  await sweep();
  expect(await workers.orphanedGroups('gone for good')).toEqual([]);
});
