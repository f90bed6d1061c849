import { keepAlive } from '../../keep-alive.ts';
import type { Outcome } from '../../task/outcome.ts';
import type { Task } from '../../task/record.ts';
import type { ChangeRouter, ChangeWaiter } from '../change-router.ts';
import { LOCAL, type Principal } from '../principal.ts';

interface OutcomeWait {
  readonly router: ChangeRouter;
  readonly principal: Principal | undefined;
  readonly signal: AbortSignal | undefined;
  /** Reads a task by its id or alias, for its principal. */
  find(ref: string): Promise<Task>;
}

/** Resolves when a task has ended. A task that this process has submitted and ends itself is not read. */
export async function awaitOutcome(ref: string, { router, find, principal, signal }: OutcomeWait): Promise<Outcome> {
  // Opened before the task is read, so that it need not be read twice; an alias is not the id of its task.
  let waiter = router.openChangeWaiter(ref, 'ended');
  try {
    const own = router.own.find(ref, principal ?? LOCAL);
    const knownOpenForMs = own ? router.knownOpenForMs(own) : 0;
    let task = knownOpenForMs > 0 ? undefined : await find(ref);
    if (task && task.taskId !== ref) {
      waiter.close();
      waiter = router.openChangeWaiter(task.taskId, 'ended');
      task = await find(task.taskId);
    }
    signal?.throwIfAborted();
    while (!task?.outcome) {
      await waitKeepingAlive(waiter, { signal, ...(task === undefined && { withinMs: knownOpenForMs }) });
      signal?.throwIfAborted();
      const outcome = await own?.settling;
      if (outcome) return toCopy(outcome);
      task = await find(task?.taskId ?? ref);
    }
    return task.outcome;
  } finally {
    waiter.close();
  }
}

interface WaitOptions {
  readonly signal: AbortSignal | undefined;
  readonly withinMs?: number;
}

/** Waits for a change and keeps the process alive meanwhile, because the caller waits. */
export async function waitKeepingAlive(waiter: ChangeWaiter, { signal, withinMs }: WaitOptions): Promise<void> {
  const stopKeepingAlive = keepAlive();
  try {
    await waiter.wait(signal, withinMs);
  } finally {
    stopKeepingAlive();
  }
}

/** Copies the outcome as a read would: every waiter gets a copy of its own. */
function toCopy(outcome: Outcome): Outcome {
  return JSON.parse(JSON.stringify(outcome)) as Outcome;
}
