import type { Clock } from '../../clock.ts';
import type { EventGap, TaskEvent } from '../../task/event.ts';
import type { Task } from '../../task/record.ts';
import { isTerminal } from '../../task/status.ts';
import type { Submitted } from '../server-port.ts';

export interface BriefWait {
  /** How long the work may take, in ms. */
  readonly ms: number;
  /** After how many ms the answer must be sent in any case: shortly before its client times out. */
  readonly maxMs: number;
  readonly clock: Clock;
  /** Receives the events that happen meanwhile. */
  onEvent?(event: TaskEvent | EventGap): Promise<void>;
}

/**
 * Resolves with the task once it has ended or asked something, or as it is when its work has run for `ms`.
 *
 * Starting a worker may take longer than the work. That time is not the tool's: `ms` counts from the claim, or from
 * when a worker is there that could have claimed the task but is busy with others.
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

/** Two deadlines: one that `wind` sets when the work begins, and a final one (`maxMs`) from the start. */
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
