/**
 * Three machines that are killed, stopped and cut off.
 *
 * Each once; `HOLDFAST_TEST_HOSTS_MS=600000` goes on for as long as that.
 */
import { describe, expect, it } from 'vitest';
import { steadyNow } from '../../../src/apps/chaos/journal.ts';
import { judge } from '../../../src/campaign/chaos/judge.ts';
import { until } from '../../../src/testing/until.ts';
import { type Lan, openLan, type Run } from './lan.ts';
import { findHindrance, type Machine } from './machine.ts';

const LEASE_MS = 6000;
const PATIENCE_MS = 110_000;
const MS = Number(process.env.HOLDFAST_TEST_HOSTS_MS ?? 0);
const hindrance = await findHindrance();

/** What is done to a machine while it holds a call. What it returns ends that. */
type Blow = (machine: Machine) => Promise<() => Promise<void>>;

const BLOWS: Readonly<Record<'kill' | 'cut' | 'stop', Blow>> = {
  kill: async (machine) => {
    await machine.kill();
    return async () => machine.start();
  },
  cut: async (machine) => {
    await machine.cut();
    return () => machine.mend();
  },
  stop: async (machine) => {
    machine.signal('SIGSTOP');
    return async () => machine.signal('SIGCONT');
  },
};

/** Lets a call be taken over, and says how long that took. */
async function strike(lan: Lan, kind: keyof typeof BLOWS, callId: string): Promise<number> {
  const asker = lan.machines.find(({ isUp }) => isUp) ?? expect.unreachable('no machine is up');
  await lan.hold(callId, asker);
  const first = await lan.untilBegun(callId, 1);
  const { machine } = first;
  await untilNoted(lan, callId, first);
  const fault = lan.note(kind === 'kill' ? 'kill' : 'stop', machine);
  const mend = await BLOWS[kind](machine);
  const second = await lan.untilBegun(callId, 2);
  expect(second.machine).not.toBe(machine);
  await untilNoted(lan, callId, second);
  const before = lan.readAlive(callId, first);
  expect(lan.readAlive(callId, second).first).toBeGreaterThan(before.last);
  const mendedAt = steadyNow();
  await mend();
  // It is one of them again, and what it had begun is over there.
  await lan.untilWorking(machine, mendedAt);
  fault.end();
  const isOver = () => steadyNow() - lan.readAlive(callId, first).last > 1000;
  await until(isOver, { what: 'the end of the first run', timeoutMs: PATIENCE_MS });
  // Only a machine that was stopped cannot know of it before it goes on.
  if (kind !== 'stop') expect(lan.readAlive(callId, first)).toEqual(before);
  lan.release(callId);
  const outcome = await until(() => findOutcome(lan, callId), { what: 'the outcome', timeoutMs: PATIENCE_MS });
  expect(outcome).toMatchObject({ kind: 'result', value: `done ${callId}` });
  return Math.round(second.at - fault.at);
}

/** Both the tool and its program have said that they live. */
async function untilNoted(lan: Lan, callId: string, run: Run): Promise<void> {
  await until(() => lan.hasNoted(callId, run), { what: 'signs of life', timeoutMs: PATIENCE_MS });
}

async function findOutcome({ store }: Lan, callId: string) {
  const { tasks } = await store.tasks.list({ limit: 1000, tool: 'held' });
  return tasks.find(({ idempotencyKey }) => idempotencyKey === callId)?.outcome;
}

describe.skipIf(hindrance !== undefined)('three machines of one name, two minutes ahead, behind and right', () => {
  it(
    '[PG-251] [PG-252] [PG-253] are killed, cut off and stopped: nothing is lost or doubled, and nothing runs on two',
    async () => {
      const lan = await openLan({ leaseMs: LEASE_MS, paceMs: 800 });
      const takeovers: Record<keyof typeof BLOWS, number[]> = { kill: [], cut: [], stop: [] };
      for (const machine of lan.machines) await lan.untilWorking(machine, 0);
      const endsAt = performance.now() + MS;
      for (let round = 0; round === 0 || performance.now() < endsAt; round++) {
        for (const kind of ['kill', 'cut', 'stop'] as const) {
          takeovers[kind].push(await strike(lan, kind, `held-${kind}-${round}`));
        }
      }
      const evidence = await lan.calm();
      console.log(`taken over after ms: ${JSON.stringify(takeovers)}; ${evidence.tasks?.length} tasks`);
      expect(judge(evidence)).toEqual([]);
      expect(evidence.tasks?.length).toBeGreaterThan(10);
    },
    MS + 600_000,
  );

  it('[PG-294] a program that outlived its killed worker is ended there by the next process, not by who took over', async () => {
    const lan = await openLan({ leaseMs: LEASE_MS, paceMs: 800 });
    const callId = 'held-orphan';
    const [asker] = lan.machines;
    if (asker === undefined) return expect.unreachable('there is no machine');
    for (const machine of lan.machines) await lan.untilWorking(machine, 0);
    await lan.hold(callId, asker);
    const first = await lan.untilBegun(callId, 1);
    await untilNoted(lan, callId, first);
    const host = await first.machine.killProgram();
    const second = await lan.untilBegun(callId, 2);
    expect(second.machine).not.toBe(first.machine);
    await untilNoted(lan, callId, second);
    // The others look all the time, and see no process of ours there.
    const takenAt = steadyNow();
    await until(() => lan.readAlive(callId, first).last > takenAt + 5000, { what: 'the program', timeoutMs: 30_000 });
    const listLeft = () => lan.store.workers.orphanedGroups(host);
    expect(await listLeft()).not.toEqual([]);

    first.machine.startProgram();
    const isOver = () => steadyNow() - lan.readAlive(callId, first).last > 1000;
    await until(isOver, { what: 'the end of the program', timeoutMs: PATIENCE_MS });
    await until(async () => (await listLeft()).length === 0, { what: 'the end of its record', timeoutMs: PATIENCE_MS });
    await until(() => steadyNow() - lan.readAlive(callId, second).last < 500, { what: 'the second run' });
    lan.release(callId);
    const outcome = await until(() => findOutcome(lan, callId), { what: 'the outcome', timeoutMs: PATIENCE_MS });
    expect(outcome).toMatchObject({ kind: 'result', value: `done ${callId}` });
  }, 600_000);
});
