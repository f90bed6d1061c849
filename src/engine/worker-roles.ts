/**
 * What a process does that was started to run tasks: the detached worker, or one isolated attempt.
 */
import type { WorkerKind } from '../store/contract.ts';
import { Attempt } from './attempt.ts';
import { runAttemptProcess } from './attempt-process.ts';
import type { EngineParts } from './engine-parts.ts';
import { Housekeeping } from './housekeeping.ts';
import { IsolatedAttempt } from './isolated-attempt.ts';
import { keepAlive } from './keep-alive.ts';
import { TaskWorker } from './task-worker.ts';
import { toCommandLine } from './worker-process.ts';

interface WorkerPlace {
  readonly workerId: string;
  readonly kind: WorkerKind;
  onLost(): void;
  onDrained(): void;
}

export function createTaskWorker(parts: EngineParts, place: WorkerPlace): TaskWorker {
  // A store that lives in this thread only cannot be reached from another process.
  const canIsolate =
    toCommandLine() !== undefined && process.platform !== 'win32' && parts.store.heartbeat !== undefined;
  return new TaskWorker({
    ...parts,
    ...place,
    startAttempt: (host, tool, work) =>
      tool.isolate && canIsolate ? new IsolatedAttempt(host, tool, work) : new Attempt(host, tool, work),
  });
}

const IDLE_LOOK_MS = 250;

/** The detached worker: claims until there is nothing left to do, then ends the process. Never returns. */
export async function runDetachedRole(parts: EngineParts, workerId: string): Promise<never> {
  const { clock, store } = parts;
  keepAlive();
  const housekeeping = new Housekeeping(parts);
  const leave = async (code = 0): Promise<never> => {
    await housekeeping.stop();
    await store.close();
    process.exit(code);
  };
  const go = () => void leave();
  const worker = createTaskWorker(parts, { workerId, kind: 'detached', onLost: go, onDrained: go });
  if (!(await worker.start())) return leave();

  const shutDown = () => void worker.stop(parts.shutdownGraceMs).then(() => leave());
  process.once('SIGTERM', shutDown);
  process.once('SIGINT', shutDown);
  await housekeeping.start();

  for (;;) {
    await new Promise<void>((resolve) => clock.after(Math.min(IDLE_LOOK_MS, parts.idleMs), resolve));
    if (!worker.isIdle || worker.idleMs < parts.idleMs) continue;
    await housekeeping.deliver();
    if (await worker.retireIfIdle()) return leave();
  }
}

/** One isolated attempt: runs it and ends the process. Never returns. */
export async function runAttemptRole(parts: EngineParts): Promise<never> {
  keepAlive();
  await runAttemptProcess(parts, parts.tools);
  await parts.store.close();
  process.exit(0);
}
