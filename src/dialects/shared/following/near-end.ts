import type { Clock } from '../../../clock.ts';
import type { TaskClient } from '../../../engine/task-client.ts';
import type { Task } from '../../../task/record.ts';
import { isTerminal } from '../../../task/status.ts';

/** How far from its estimated end a task may be to be waited for, in ms, before and after. */
const NEAR_MS = { before: 10, after: 20 };
/** No client notices this wait. Without it, a client that polls a moment too early would return only after a whole interval. */
const WAIT_MS = 10;

/** Returns a reader whose `get` waits a moment for a task that, by its estimate, is about to end. */
export function withNearEnd(engine: TaskClient, clock: Clock): Pick<TaskClient, 'get' | 'now'> {
  return {
    now: () => engine.now(),
    async get(taskId, options) {
      const task = await engine.get(taskId, options);
      if (!isNearEnd(task, engine.now())) return task;
      await waitForEnd(engine, task, clock);
      return engine.get(taskId, options);
    },
  };
}

/** A task that is not claimed yet counts as started when it was created: one that has waited for long is not near its end. */
function isNearEnd({ status, estimateMs, startedAt, createdAt }: Task, now: number): boolean {
  if (estimateMs === undefined || status === 'input_required' || isTerminal(status)) return false;
  const leftMs = (startedAt ?? createdAt) + estimateMs - now;
  return leftMs <= NEAR_MS.before && leftMs >= -NEAR_MS.after;
}

async function waitForEnd(engine: TaskClient, { taskId, principal }: Task, clock: Clock): Promise<void> {
  const over = new AbortController();
  const callOff = clock.after(WAIT_MS, () => over.abort());
  // The read that follows finds whatever happened meanwhile.
  await engine.outcome(taskId, { principal, signal: over.signal }).catch(() => {});
  callOff();
}
