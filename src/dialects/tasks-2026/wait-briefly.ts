import type { Clock } from '../../clock.ts';
import type { EventGap, TaskEvent } from '../../task/event.ts';
import type { Task } from '../../task/record.ts';
import { isTerminal } from '../../task/status.ts';
import type { Submitted } from '../server-port.ts';

export interface BriefWait {
  /** How long the work may take. */
  readonly ms: number;
  /** When the answer must be given whatever happens: shortly before its client gives up. */
  readonly maxMs: number;
  readonly clock: Clock;
  /** Hears what happens meanwhile. */
  onEvent?(event: TaskEvent | EventGap): Promise<void>;
}

/**
 * The task once it has ended or asked something, or as it is when its work has had `ms`.
 *
 * A worker that must be started first may take longer than the work. That time is not the tool's: it counts from the
 * claim, or from when somebody is there who could have claimed it and is busy with other tasks.
 */
export async function waitBriefly({ engine, task }: Submitted, wait: BriefWait): Promise<Task> {
  if (isTerminal(task.status) || wait.ms === 0) return task;
  const { taskId, principal } = task;
  const { signal, wind, stop } = startDeadline(wait);
  let isClaimed = false;
  void engine.whenAtWork(signal).then(
    () => isClaimed || wind(),
    () => wind(),
  );
  try {
    for await (const event of engine.watch(taskId, { principal, signal })) {
      await wait.onEvent?.(event);
      if (event.type === 'asked' || event.type === 'ended') break;
      if (event.type === 'claimed' && !isClaimed) wind();
      isClaimed ||= event.type === 'claimed';
    }
  } finally {
    stop();
  }
  return engine.get(taskId, { principal });
}

/** A deadline that is set when the work begins, and one that stands from the beginning. */
function startDeadline({ ms, maxMs, clock }: BriefWait) {
  const over = new AbortController();
  const end = () => over.abort();
  const callOffLast = Number.isFinite(maxMs) ? clock.after(maxMs, end) : undefined;
  let callOff: (() => void) | undefined;
  const stopTimers = () => {
    callOff?.();
    callOffLast?.();
  };
  return {
    signal: over.signal,
    wind() {
      callOff?.();
      if (!over.signal.aborted) callOff = clock.after(ms, end);
    },
    stop() {
      stopTimers();
      end();
    },
  };
}
