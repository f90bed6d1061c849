import { systemClock } from '../../clock.ts';
import { TaskError } from '../../errors.ts';
import { isAlive, type ProcessRef } from '../../process/process-ref.ts';
import type { Store } from '../../store/contract.ts';
import type { WorkerInfo } from '../../store/contracts/worker-contract.ts';
import { releaseLost } from '../holds/held-task.ts';
import { isServing, SHARED_UNSEEN_MS } from '../program/stranded.ts';
import { Supervisor } from './supervisor.ts';

export interface HandBackOptions {
  /** The name of the store in errors. */
  readonly place: string;
  /** How long workers have to hand back their work. */
  readonly patienceMs: number;
  report(error: unknown): void;
}

const POLL_INTERVAL_MS = 100;
const LEASE_MS = 6000;
const START_MS = 10_000;

/**
 * Ensures that no process runs anything of a store: no worker remains, no task is leased, no call is waited for.
 *
 * Its servers must have been stopped before. Detached workers of this machine are signalled to hand back what they run;
 * the tasks of dead workers are recovered.
 */
export async function handBack(store: Store, options: HandBackOptions): Promise<void> {
  await refuseServed(store, options);
  const timing = { clock: systemClock, leaseMs: LEASE_MS, superviseMs: POLL_INTERVAL_MS, startMs: START_MS };
  const supervisor = new Supervisor({ store, ...timing, report: options.report });
  const signalled = new Set<string>();
  const endsAt = performance.now() + options.patienceMs;
  for (;;) {
    await supervisor.pass(() => {});
    await supervisor.settled();
    const left = await store.workers.list();
    if (left.length === 0) break;
    for (const worker of left) signalStop(worker, signalled);
    if (performance.now() >= endsAt) throw stillWorkedOnError(left, options);
    await new Promise((resolve) => setTimeout(resolve, POLL_INTERVAL_MS));
  }
  for (const hold of await store.holds.list()) if (hold.by !== undefined) await releaseLost(store, hold);
}

async function refuseServed(store: Store, { place }: HandBackOptions): Promise<void> {
  const { now } = store.time();
  const programs = await store.programs.list();
  const serving = programs.flatMap(({ name, servings }) =>
    servings
      .filter((one) => isServing(one, now, store.isShared ? SHARED_UNSEEN_MS : undefined))
      .map(({ process }) => `${name} (${toText(process)})`),
  );
  if (serving.length === 0) return;
  const message = `${place} is served by ${serving.join(', ')}; stop that first, and try again`;
  throw new TaskError('STORE_LOCKED', message);
}

/** Signals a detached worker to stop: it has no terminal, so its owner could hardly do it. */
function signalStop({ workerId, kind, process: ref }: WorkerInfo, signalled: Set<string>): void {
  if (kind !== 'detached' || ref === undefined || signalled.has(workerId) || isAlive(ref) !== true) return;
  signalled.add(workerId);
  try {
    process.kill(ref.pid, 'SIGTERM');
  } catch {
    // Either it is gone, which the next pass finds, or it is another user's, and is named when the time is up.
  }
}

function stillWorkedOnError(left: readonly WorkerInfo[], { place, patienceMs }: HandBackOptions): TaskError {
  const who = left.map(({ process: ref, workerId }) => (ref ? toText(ref) : `worker ${workerId}`)).join(', ');
  const message = `${place} is still worked on after ${patienceMs} ms by ${who}; stop that, and try again`;
  return new TaskError('STORE_LOCKED', message);
}

function toText({ host, pid }: ProcessRef): string {
  return `process ${pid} on ${host.split('/')[0]}`;
}
