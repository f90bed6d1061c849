/** Three machines that work for each other, and what they noted of it. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type JournalEntry, readJournals, steadyNow } from '../../../src/apps/chaos/journal.ts';
import type { Evidence } from '../../../src/campaign/chaos/evidence.ts';
import { describeProcess, listMarked } from '../../../src/campaign/chaos/marked.ts';
import { listStoredTasks } from '../../../src/campaign/chaos/read-store.ts';
import { hasVariable } from '../../../src/process/process-table.ts';
import type { Store } from '../../../src/store/contract.ts';
import { until } from '../../../src/testing/until.ts';
import { readLines } from '../../read-lines.ts';
import type { Machine } from './machine.ts';
import { openMachines } from './open-machines.ts';

const PATIENCE_MS = 110_000;
/** Numbers of processes mean nothing on another machine, or after a restart. */
const PIDS = 10_000_000;
/** The program of a held call knows only how long the machine has been up. */
const AHEAD_OF_UPTIME_MS = steadyNow() - Number(readFileSync('/proc/uptime', 'utf8').split(' ')[0]) * 1000;

type Fault = Extract<JournalEntry, { readonly kind: 'fault' }>;

export interface Lan {
  readonly machines: readonly Machine[];
  readonly store: Store;
  /** Lets one machine submit a call that runs until it is released. */
  hold(callId: string, by: Machine): Promise<void>;
  release(callId: string): void;
  /** Waits for the n-th run of a held call, and says where and when it began. */
  untilBegun(callId: string, nth: number): Promise<Run>;
  /** Waits until a machine begins any work after this time. */
  untilWorking(machine: Machine, after: number): Promise<void>;
  /** Notes what is done to a machine from now on; to be ended when it is over. */
  note(fault: 'kill' | 'stop', machine: Machine): { readonly at: number; end(): void };
  /** No new work; resolves when all there is has ended, with all that is known. */
  calm(): Promise<Evidence>;
  /** Whether both a held call and the program that it started have said that they live. */
  hasNoted(callId: string, run: Run): boolean;
  /** When a held call, or the program that it started, was first and last alive in this run. */
  readAlive(callId: string, run: Run): { readonly first: number; readonly last: number };
}

/** One run of a held call. */
export interface Run {
  readonly machine: Machine;
  readonly mark: string;
  readonly at: number;
}

export async function openLan({ leaseMs, paceMs }: { leaseMs: number; paceMs: number }): Promise<Lan> {
  const { machines, store, shared } = await openMachines({
    program: 'member-program',
    toEnv: ({ journal }, shared) => ({ HOLDFAST_MEMBER: JSON.stringify({ journal, shared, leaseMs, paceMs }) }),
  });
  for (const machine of machines) machine.start();
  const faults: { fault: Omit<Fault, 'pids'>; life: string }[] = [];
  const readAll = () => machines.flatMap((machine) => machine.lives.flatMap((life, n) => readLife(machine, life, n)));
  return {
    machines,
    store,
    async hold(callId, by) {
      const taskId = await by.say(callId);
      if (taskId === 'refused') throw new Error(`${callId} was refused`);
    },
    release: (callId) => writeFileSync(join(shared, callId), ''),
    async untilBegun(callId, nth) {
      const find = () =>
        readAll()
          .filter(({ entry }) => entry.kind === 'begun' && entry.callId === callId)
          .sort((one, other) => one.entry.at - other.entry.at)[nth - 1];
      const { machine, mark, entry } = await until(find, { what: `run ${nth} of ${callId}`, timeoutMs: PATIENCE_MS });
      return { machine, mark, at: entry.at };
    },
    async untilWorking(machine, after) {
      const isThere = () =>
        readAll().some((one) => one.machine === machine && one.entry.kind === 'begun' && one.entry.at > after);
      await until(isThere, { what: 'work on a machine that came back', timeoutMs: PATIENCE_MS });
    },
    note(kind, machine) {
      const at = steadyNow();
      const fault = { kind: 'fault', fault: kind, target: 'worker', by: 'chaos', pid: process.pid, at } as const;
      const noted = { fault: { ...fault, untilAt: Number.MAX_SAFE_INTEGER }, life: machine.life.mark };
      faults.push(noted);
      return {
        at,
        end() {
          Object.assign(noted.fault, { untilAt: steadyNow() });
        },
      };
    },
    async calm() {
      writeFileSync(join(shared, 'calm'), '');
      // What one was about to ask for would be new to everybody else.
      const isCalm = () => machines.every(({ life }) => existsSync(join(shared, `calm-${life.mark}`)));
      await until(isCalm, { what: 'the end of new work', timeoutMs: PATIENCE_MS });
      const isOver = async () => (await listStoredTasks(store.tasks)).every(({ isEnded }) => isEnded);
      await until(isOver, { what: 'all work to end', timeoutMs: PATIENCE_MS });
      const marks = machines.flatMap(({ lives }) => lives.map(({ mark }) => mark));
      const listChildren = () =>
        marks.flatMap(listMarked).filter((pid) => hasVariable(pid, 'HOLDFAST_CHAOS_CHILD', '1') === true);
      // What is left after that is told by the judge.
      await until(() => listChildren().length === 0, { timeoutMs: PATIENCE_MS }).catch(() => {});
      const entries = readAll();
      const journal = [
        ...entries.map(({ entry }) => entry),
        ...faults.map(({ fault, life }) => ({
          ...fault,
          pids: [...new Set(entries.filter(({ mark }) => mark === life).map(({ entry }) => entry.pid))],
        })),
      ].sort((a, b) => a.at - b.at);
      return { journal, tasks: await listStoredTasks(store.tasks), left: listChildren().map(describeProcess) };
    },
    hasNoted: (callId, { mark }) =>
      ['tool', 'child'].every((who) => readLines(join(shared, `alive-${callId}-${mark}-${who}`)).length > 0),
    readAlive: (callId, { mark }) => readAlive(shared, `alive-${callId}-${mark}`),
  };
}

interface Told {
  readonly machine: Machine;
  readonly mark: string;
  readonly entry: JournalEntry;
}

function readLife(machine: Machine, { journal, mark }: Machine['life'], n: number): Told[] {
  const offset = (machine.options.place * 1000 + n + 1) * PIDS;
  return readJournals(journal).map((entry) => {
    const parent = 'parent' in entry && entry.parent !== undefined ? { parent: entry.parent + offset } : {};
    return { machine, mark, entry: { ...entry, pid: entry.pid + offset, ...parent } };
  });
}

function readAlive(shared: string, name: string): { readonly first: number; readonly last: number } {
  const read = (who: string) => readLines(join(shared, `${name}-${who}`)).map(Number);
  const times = [...read('tool'), ...read('child').map((seconds) => seconds * 1000 + AHEAD_OF_UPTIME_MS)];
  return { first: Math.min(...times), last: Math.max(...times) };
}
