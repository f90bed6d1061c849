/** The roles of a process that was started to run tasks: the detached worker, or one isolated attempt. */
import { existsSync } from 'node:fs';
import { isMainThread } from 'node:worker_threads';
import type { TaskError } from '../../errors.ts';
import { keepAlive } from '../../keep-alive.ts';
import { warn } from '../../stderr.ts';
import type { WorkerKind } from '../../store/contracts/worker-contract.ts';
import { Attempt } from '../attempts/attempt.ts';
import { sendAttemptMessage } from '../attempts/attempt-messages.ts';
import { runAttemptProcess } from '../attempts/attempt-process.ts';
import { IsolatedAttempt } from '../attempts/isolated-attempt.ts';
import { Placement } from '../attempts/placement.ts';
import type { EngineParts } from '../engine-parts.ts';
import { isFinalRefusal } from '../final-refusal.ts';
import { Housekeeping } from '../recovery/housekeeping.ts';
import { reportExitReason } from './exit-reason.ts';
import { TaskWorker } from './task-worker.ts';
import { WORKER_FAILED } from './worker-life.ts';
import { isWorker, toCommandLine } from './worker-process.ts';
import { toStartTimeoutMs } from './worker-start.ts';

interface WorkerPlace {
  readonly workerId: string;
  readonly kind: WorkerKind;
  onLost(reason?: TaskError): void;
  onDrained(): void;
}

export function createTaskWorker(parts: EngineParts, place: WorkerPlace): TaskWorker {
  // A store that exists in this thread only cannot be reached from another process.
  const line = toCommandLine(parts.workerEntry);
  const canIsolate = line !== undefined && process.platform !== 'win32' && parts.store.heartbeat !== undefined;
  // A thread, or a child with an IPC channel, is no program that could be run again: its command line may be another program's.
  const isWhole = parts.workerEntry !== undefined || (isMainThread && process.channel === undefined);
  // With detached workers, or in a worker, the program is run again anyway.
  const placement = new Placement({ canIsolate, isWhole, movesByDefault: parts.workers === 'detached' || isWorker });
  return new TaskWorker({
    ...parts,
    ...place,
    placement,
    startAttempt: (host, tool, work) =>
      work.place === 'apart'
        ? new IsolatedAttempt(host, tool, {
            ...work,
            line,
            startMs: toStartTimeoutMs(parts.startMs),
            onStartFailed: () => placement.disableMoving(),
          })
        : new Attempt(host, tool, work),
  });
}

const POLL_INTERVAL_MS = 1000;
const MIN_POLL_INTERVAL_MS = 10;
const EXIT_TIMEOUT_MS = 30_000;

/** The detached worker: claims until there is nothing left to do, then exits. Never returns. */
export async function runDetachedRole(parts: EngineParts, workerId: string): Promise<never> {
  const { clock, store } = parts;
  keepAlive();
  const report = (error: unknown) => {
    parts.report(error);
    if (isFinalRefusal(error)) worker.onStoreRefused(error);
  };
  const housekeeping = new Housekeeping({ ...parts, report });
  let exiting: Promise<never> | undefined;
  const exit = (code = 0): Promise<never> => {
    exiting ??= exitAfter(parts, code, async () => {
      await housekeeping.stop();
      await store.close();
    });
    return exiting;
  };
  const onDrained = () => void exit();
  const onLost = (reason?: TaskError) => {
    if (reason) warn('this worker ends, and leaves its tasks to those who can still write them');
    void exit(reason ? WORKER_FAILED : 0);
  };
  const worker = createTaskWorker(parts, { workerId, kind: 'detached', onLost, onDrained });
  reportExitReason({ workerId, listTools: () => worker.runningTools, isExiting: () => exiting !== undefined });
  try {
    if (!(await worker.start())) return exit();
  } catch (error) {
    parts.report(error);
    return exit(WORKER_FAILED);
  }

  const shutDown = () => void worker.stop(parts.shutdownGraceMs).then(() => exit());
  process.once('SIGTERM', shutDown);
  process.once('SIGINT', shutDown);
  await housekeeping.start();

  for (;;) {
    await new Promise<void>((resolve) => clock.after(toPollMs(parts.idleMs - worker.idleMs), resolve));
    if (exiting) return exiting;
    // Its results could not be stored any more, and no process could tell it to stop.
    if (store.directory !== undefined && !existsSync(store.directory)) return exit(WORKER_FAILED);
    if (!worker.isIdle || worker.idleMs < parts.idleMs) continue;
    await housekeeping.deliver();
    if (await worker.retireIfIdle()) return exit();
  }
}

/** Until it may have been idle for long enough, but at most `LOOK_MS`, to check that the store is still there. */
function toPollMs(leftMs: number): number {
  return Math.max(MIN_POLL_INTERVAL_MS, Math.min(POLL_INTERVAL_MS, leftMs));
}

/** One isolated attempt: runs it and exits. Never returns. */
export async function runAttemptRole(parts: EngineParts, messageFd: number): Promise<never> {
  keepAlive();
  let code = 0;
  try {
    await runAttemptProcess(parts, (message) => sendAttemptMessage(messageFd, message));
  } catch (error) {
    parts.report(error);
    code = WORKER_FAILED;
  }
  return exitAfter(parts, code, () => parts.store.close());
}

// Whatever goes wrong, `start` must not return in a worker: the program would continue as a second server.
async function exitAfter({ report, clock }: EngineParts, code: number, last: () => Promise<void>): Promise<never> {
  // Nothing monitors a worker: one that hangs on exit would stay for ever.
  const tooLong = new Promise<void>((resolve) => clock.after(EXIT_TIMEOUT_MS, resolve));
  await Promise.race([last().catch(report), tooLong]);
  process.exit(code);
}
