import { spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createMemoryStore, openSqliteStore, type Store } from 'holdfast';
import { createFakeClock, type FakeClock } from 'holdfast/testing';
import { onTestFinished } from 'vitest';
import { Supervisor } from '../../dist/engine/recovery/supervisor.js';
import { type ProcessRef, toProcessRef } from '../../src/process/process-ref.ts';
import { makeTaskId } from '../../src/task/id.ts';
import type { StoreKind } from './open-rig.ts';

export const LEASE_MS = 6000;
export const BEAT_MS = LEASE_MS / 3;
export const LOOK_MS = 1000;

/** A worker that cannot be seen from here, as in another container. */
const ELSEWHERE: ProcessRef = { host: 'elsewhere', pid: 7, startTime: 'then' };

export interface Observer {
  /** Looks once, and then so many times more with the usual pause before each. */
  look(times?: number): Promise<void>;
  settled(): Promise<void>;
  /** How often tasks became free after a look had ended. */
  freed(): number;
}

/** A store with one worker on it, a clock that tests move, and those who watch it. */
export interface Watch {
  readonly store: Store;
  readonly clock: FakeClock;
  readonly folder: string;
  readonly path: string;
  readonly errors: unknown[];
  /** A process that looks for dead workers; each has its own memory. */
  observer(): Observer;
  /** Registers a worker and lets it claim a task; returns the id of the task. */
  worker(workerId: string, options?: { readonly process?: ProcessRef; readonly idempotent?: boolean }): Promise<string>;
  /** Lets a registered worker claim a new task. */
  claimed(workerId: string, idempotent: boolean): Promise<string>;
  beat(workerId: string): Promise<void>;
  events(taskId: string): Promise<string[]>;
  isThere(workerId: string): Promise<boolean>;
}

export async function openWatch(kind: StoreKind = 'sqlite'): Promise<Watch> {
  const folder = await mkdtemp(join(tmpdir(), 'holdfast-watch-'));
  const path = join(folder, 'tasks.db');
  const clock = createFakeClock();
  const store =
    kind === 'sqlite' ? await openSqliteStore({ path, clock, lockWaitMs: 20 }) : createMemoryStore({ clock });
  const errors: unknown[] = [];
  onTestFinished(async () => {
    await store.close();
    await rm(folder, { recursive: true, force: true });
  });
  return {
    store,
    clock,
    folder,
    path,
    errors,
    observer: () => toObserver(store, clock, errors),
    async worker(workerId, { process = ELSEWHERE, idempotent = false } = {}) {
      const build = { id: 'build', at: 1 };
      const worker = { workerId, identity: workerId, kind: 'inline', build, leaseMs: LEASE_MS, process } as const;
      await store.workers.register(worker);
      return submitTo(store, { workerId, idempotent, now: clock.now() });
    },
    claimed: (workerId, idempotent) => submitTo(store, { workerId, idempotent, now: clock.now() }),
    beat: async (workerId) => void (await store.workers.renew(workerId, LEASE_MS)),
    events: async (taskId) => (await store.tasks.events(taskId, 0, 100)).map(({ type }) => type),
    isThere: async (workerId) => (await store.workers.list()).some((one) => one.workerId === workerId),
  };
}

function toObserver(store: Store, clock: FakeClock, errors: unknown[]): Observer {
  const report = (error: unknown) => void errors.push(error);
  const times = { leaseMs: LEASE_MS, superviseMs: LOOK_MS, startMs: 10_000 };
  const supervisor = new Supervisor({ store, clock, ...times, report });
  let freed = 0;
  const pass = () =>
    supervisor.pass(() => {
      freed += 1;
    });
  return {
    async look(more = 0) {
      await pass();
      for (let count = 0; count < more; count++) {
        await clock.advance(LOOK_MS);
        await pass();
      }
    },
    settled: () => supervisor.settled(),
    freed: () => freed,
  };
}

interface Held {
  readonly workerId: string;
  readonly idempotent: boolean;
  readonly now: number;
}

async function submitTo(store: Store, { workerId, idempotent, now }: Held): Promise<string> {
  const taskId = makeTaskId(now);
  const plain = { tool: 'work', args: {}, principal: 'ada', ttlMs: null, pollIntervalMs: 1000, deliver: [] };
  const task = { ...plain, taskId, identity: workerId, idempotent, maxAttempts: 3 };
  await store.tasks.create(task, { queueLimit: 10 });
  await store.tasks.claim({ worker: workerId, identity: workerId, free: { work: 1 }, max: 1 });
  return taskId;
}

/** A real process that has ended, and one that goes on until the test ends. */
export async function startDead(): Promise<ProcessRef> {
  const child = spawn('sleep', ['1000']);
  const ref = toProcessRef(child.pid ?? 0);
  const gone = new Promise((resolve) => child.once('exit', resolve));
  child.kill('SIGKILL');
  await gone;
  return ref;
}

export function startAlive(): ProcessRef {
  const child = spawn('sleep', ['1000']);
  onTestFinished(() => void child.kill('SIGKILL'));
  return toProcessRef(child.pid ?? 0);
}
