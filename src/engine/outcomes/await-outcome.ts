import { keepAlive } from '../../keep-alive.ts';
import type { Outcome } from '../../task/outcome.ts';
import type { Task } from '../../task/record.ts';
import type { Bell, ChangeRouter } from '../change-router.ts';
import { LOCAL, type Principal } from '../principal.ts';

interface Waiting {
  readonly router: ChangeRouter;
  readonly principal: Principal | undefined;
  readonly signal: AbortSignal | undefined;
  /** Reads a task by its id or alias, for its principal. */
  find(ref: string): Promise<Task>;
}

/** Resolves when a task has ended. A task that this process has submitted and ends itself is not read. */
export async function awaitOutcome(ref: string, { router, find, principal, signal }: Waiting): Promise<Outcome> {
  // Opened before the task is read, so that it need not be read twice; an alias is not the id of its task.
  let bell = router.openBell(ref, 'ended');
  try {
    const own = router.own.find(ref, principal ?? LOCAL);
    const knownForMs = own ? router.knownForMs(own) : 0;
    let task = knownForMs > 0 ? undefined : await find(ref);
    if (task && task.taskId !== ref) {
      bell.close();
      bell = router.openBell(task.taskId, 'ended');
      task = await find(task.taskId);
    }
    signal?.throwIfAborted();
    while (!task?.outcome) {
      await waitAlive(bell, { signal, ...(task === undefined && { withinMs: knownForMs }) });
      signal?.throwIfAborted();
      const outcome = await own?.settling;
      if (outcome) return toCopy(outcome);
      task = await find(task?.taskId ?? ref);
    }
    return task.outcome;
  } finally {
    bell.close();
  }
}

interface BellWait {
  readonly signal: AbortSignal | undefined;
  readonly withinMs?: number;
}

/** Waits for the bell and keeps the process alive meanwhile, because the caller waits. */
export async function waitAlive(bell: Bell, { signal, withinMs }: BellWait): Promise<void> {
  const letGo = keepAlive();
  try {
    await bell.wait(signal, withinMs);
  } finally {
    letGo();
  }
}

/** Copies the outcome as a read would: every waiter gets a copy of its own. */
function toCopy(outcome: Outcome): Outcome {
  return JSON.parse(JSON.stringify(outcome)) as Outcome;
}
