/** Calls of ordinary clients that a machine holds open when it goes. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { SHARED_ANNOUNCE_MS, SHARED_UNSEEN_MS } from '../../../src/engine/program/stranded.ts';
import { until } from '../../../src/testing/until.ts';
import { readLines } from '../../read-lines.ts';
import { type CallOptions, openPlain, textOf } from '../../server/plain-client.ts';
import { findHindrance, type Machine } from './machine.ts';
import { type Machines, openMachines } from './open-machines.ts';

const GRACE_MS = 10_000;
/** A machine that is busy with three of them says later than it should that it serves. */
const LATE_MS = 10_000;
const PATIENCE_MS = 110_000;
const hindrance = await findHindrance();

/** Two that only take calls and answer them, and between them one that works. */
async function openReplicas() {
  const toFolder = (shared: string, place: number) => join(shared, String(place));
  const opened = await openMachines({
    program: 'plain-server',
    toArgs: (place, shared) => [toFolder(shared, place), 'http'],
  });
  const { machines, shared } = opened;
  for (const [place, { address }] of machines.entries()) {
    mkdirSync(toFolder(shared, place));
    const options = {
      host: address.there,
      http: { allowedHosts: [address.there] },
      profiles: { patient: { giveUpMs: null } },
      unattendedMs: GRACE_MS,
      // Nothing is about the worker here, which must not be taken for dead on a busy machine.
      leaseMs: 60_000,
      ...(place !== 1 && { workers: 'none' }),
    };
    writeFileSync(join(toFolder(shared, place), 'options.json'), JSON.stringify(options));
  }
  const [first, worker, last] = await Promise.all(machines.map(startReplica));
  if (!first || !worker || !last) throw new Error('there are three machines');
  const runs = () => machines.map((_, place) => readLines(join(toFolder(shared, place), 'runs.txt')).sort());
  const known = new Set<string>();
  return {
    ...{ ...opened, first, worker, last, runs },
    /** Calls and waits until the work has begun, which no one but the worker may do. */
    async hold(replica: Replica, gate: string, options?: CallOptions) {
      const calling = replica.call(gate, options);
      await until(() => runs()[1]?.includes(`gate ${gate} 1`), { what: gate, timeoutMs: PATIENCE_MS });
      const { tasks } = await opened.store.tasks.list({ limit: 100 });
      const [task = expect.unreachable('there is no task'), ...more] = tasks.filter(({ taskId }) => !known.has(taskId));
      expect(more).toEqual([]);
      known.add(task.taskId);
      return { taskId: task.taskId, calling, by: (await look(opened, task.taskId)).hold?.by };
    },
    openGate: (name: string) => writeFileSync(join(toFolder(shared, 1), `open-${name}`), ''),
  };
}

type Replica = Awaited<ReturnType<typeof startReplica>>;

async function startReplica(machine: Machine) {
  machine.start();
  const client = await openPlain(await machine.hear(), { name: 'patient' });
  /** What the client is told; nothing when it is told nothing. */
  const call = async (name: string, options: CallOptions = {}): Promise<string | undefined> => {
    const heard = await client.call('gate', { name }, options).catch(() => undefined);
    return heard && textOf(heard);
  };
  return { machine, call };
}

/** A task, and how its caller waits for it. */
async function look({ store }: Machines, taskId: string) {
  const [task, holds] = await Promise.all([store.tasks.get({ taskId }), store.holds.list()]);
  return { ...(task ?? expect.unreachable('it is gone')), hold: holds.find((hold) => hold.taskId === taskId) };
}

type Looked = Awaited<ReturnType<typeof look>>;

function untilSo(lan: Machines, taskId: string, isSo: (found: Looked) => boolean): Promise<Looked> {
  const find = async () => {
    const found = await look(lan, taskId);
    return isSo(found) ? found : undefined;
  };
  return until(find, { what: 'a change of a held call', timeoutMs: PATIENCE_MS });
}

describe.skipIf(hindrance !== undefined)('a machine that holds calls of ordinary clients', () => {
  it('[PG-313] [PG-314] [PG-315] goes without a word: the same call elsewhere takes its work up, or it is cancelled', async () => {
    const lan = await openReplicas();
    const leaving = new AbortController();
    const { signal } = leaving;
    const taken = await lan.hold(lan.first, 'taken-up', { signal });
    const left = await lan.hold(lan.first, 'left', { signal });
    const meta = { 'holdfast/idempotencyKey': 'the same' };
    const keyed = await lan.hold(lan.first, 'keyed', { signal, meta });
    const stays = await lan.hold(lan.last, 'stays');

    // Nobody is told, neither the clients nor the database.
    await lan.first.machine.cut();
    await lan.first.machine.kill();
    const goneAt = performance.now();
    // Whoever gives a key need not wait until the machine counts as gone.
    const withKey = lan.worker.call('keyed', { meta });
    const released = await untilSo(lan, left.taskId, ({ hold }) => hold?.cancelAt !== undefined);
    const releasedMs = Math.round(performance.now() - goneAt);
    expect(releasedMs).toBeGreaterThan(SHARED_UNSEEN_MS - SHARED_ANNOUNCE_MS - LATE_MS);
    expect(released).toMatchObject({ status: 'working' });

    const again = lan.worker.call('taken-up');
    await untilSo(lan, taken.taskId, ({ hold }) => hold?.by !== undefined && hold.by !== taken.by);
    const ended = await untilSo(lan, left.taskId, ({ outcome }) => outcome !== undefined);
    expect(ended.outcome).toEqual({ kind: 'cancelled', reason: 'its client went away and did not come back' });
    expect(ended.endedAt).toBeGreaterThanOrEqual(released.hold?.cancelAt ?? Infinity);
    console.log(`released after ${releasedMs} ms, cancelled after ${Math.round(performance.now() - goneAt)} ms`);

    lan.openGate('taken-up');
    expect(await again).toBe('gate taken-up is open');
    lan.openGate('keyed');
    expect(await withKey).toBe('gate keyed is open');
    // Held for longer than a machine may be silent, by one that is not.
    expect(await look(lan, stays.taskId)).toMatchObject({ hold: { by: stays.by } });
    lan.openGate('stays');
    expect(await stays.calling).toBe('gate stays is open');
    leaving.abort();
    const lost = await Promise.all([taken.calling, left.calling, keyed.calling]);
    expect(lost).toEqual([undefined, undefined, undefined]);
    expect(lan.runs()).toEqual([[], ['gate keyed 1', 'gate left 1', 'gate stays 1', 'gate taken-up 1'], []]);
    expect((await lan.store.tasks.list({ limit: 100 })).tasks).toHaveLength(4);
  }, 240_000);
});
