import { type Task, TaskError } from '../../../index.ts';
import type { CodexApp } from '../codex-app.ts';
import type { CodexState } from '../state.ts';

/** The tool whose tasks are runs. */
export const RUN_TOOL = 'codex_app_window_run';

export interface Stop {
  readonly windowId?: string | undefined;
  /** The id that the host created for a call, or the id of its run. */
  readonly taskId?: string | undefined;
  /** Whether to also stop queued runs of the window. */
  readonly all: boolean;
  readonly principal: string;
}

/** Cancels runs and returns those that were under way. Runs of other principals are not visible. */
export async function stopRuns(app: CodexApp, state: CodexState, stop: Stop): Promise<string[]> {
  const stopped: string[] = [];
  for (const taskId of await findRuns(app, state, stop)) {
    const cancel = app.access.cancel(taskId, { principal: stop.principal, reason: 'stopped on request' });
    if ((await cancel).cancelled) stopped.push(taskId);
  }
  return stopped;
}

/**
 * Throws `INVALID_ARGUMENT` that names the principal's windows. A window whose first run has not been claimed yet is known only
 * by the run's task.
 */
export async function checkWindow(
  app: CodexApp,
  { windows }: CodexState,
  { id, principal }: { readonly id: string; readonly principal: string },
): Promise<void> {
  if (windows.some((window) => window.id === id)) return;
  if ((await listTasks(app, principal)).some((task) => toWindowId(task) === id)) return;
  const known = windows.map((window) => window.id);
  const expected = known.length > 0 ? `expected ${known.join(', ')}` : 'there is none yet';
  throw new TaskError('INVALID_ARGUMENT', `there is no window ${JSON.stringify(id)}; ${expected}`);
}

async function findRuns(app: CodexApp, state: CodexState, stop: Stop): Promise<string[]> {
  const { windowId, taskId, all } = stop;
  const tasks = await listTasks(app, stop.principal);
  if (taskId !== undefined) {
    return tasks.filter((task) => task.alias === taskId || task.taskId === taskId).map((task) => task.taskId);
  }
  if (windowId === undefined) {
    throw new TaskError('INVALID_ARGUMENT', 'which run? expected: a windowId, or the taskId of a call');
  }
  await checkWindow(app, state, { id: windowId, principal: stop.principal });
  const { activeRunId } = state.windows.find(({ id }) => id === windowId) ?? {};
  const isMeant = (task: Task) => (all ? toWindowId(task) === windowId : task.taskId === activeRunId);
  return tasks.filter(isMeant).map((task) => task.taskId);
}

/** Lists tasks from the store, which has a run from the first moment; the state file has it only after a worker claimed it. */
async function listTasks({ access }: CodexApp, principal: string): Promise<Task[]> {
  const found: Task[] = [];
  for (const status of ['working', 'queued'] as const) {
    let cursor: string | undefined;
    do {
      const page = await access.list({ tool: RUN_TOOL, status, limit: 1000, ...(cursor && { cursor }) }, { principal });
      found.push(...page.tasks);
      cursor = page.nextCursor;
    } while (cursor !== undefined);
  }
  return found;
}

function toWindowId({ args }: Task): string | undefined {
  return (args as { readonly prepared?: { readonly windowId?: string } } | null)?.prepared?.windowId;
}
