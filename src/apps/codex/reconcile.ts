/** Repairs a state that was left behind by processes that no longer exist. */
import { isTerminal, type Task } from '../../index.ts';
import { endRun, freeWindow, type RunIds, toRunOutcome } from './runs/run-record.ts';
import type { CodexState, McpTask } from './state.ts';
import type { StateFile } from './state-file.ts';

const INTERRUPTED = 'interrupted: its process is gone, and nothing is known of how it ended';

/** Compares the runs that are active in the file with the store, and ends those whose tasks have ended there. */
export async function reconcile(file: StateFile, find: (taskId: string) => Promise<Task | undefined>): Promise<void> {
  const state = await file.read();
  const open = new Map<string, Task | undefined>();
  for (const run of findOpen(state)) open.set(run.runId, await find(run.runId));
  const isUnderWay = (runId: string) => {
    const task = open.get(runId);
    return task !== undefined && !isTerminal(task.status);
  };
  const needs = [...open.keys()].some((runId) => !isUnderWay(runId)) || hasStray(state, isUnderWay);
  if (!needs) return;
  file.change((current) => {
    for (const run of findOpen(current)) {
      const task = open.get(run.runId);
      // Runs that were added since the lookup belong to a live process.
      if (!open.has(run.runId) || isUnderWay(run.runId)) continue;
      const lost = { status: 'failed' as const, text: INTERRUPTED, at: new Date().toISOString() };
      endRun(run, task ? toRunOutcome(task) : lost)(current);
    }
    for (const window of current.windows) {
      const { activeRunId } = window;
      if (window.status !== 'idle' && !current.runs.some((run) => run.id === activeRunId && isLive(run.status)))
        freeWindow(window, activeRunId);
    }
  });
  await file.flush();
}

function hasStray({ windows }: CodexState, isUnderWay: (runId: string) => boolean): boolean {
  return windows.some(({ status, activeRunId }) => status !== 'idle' && !isUnderWay(activeRunId));
}

/** Runs that are active in the file, with the ids from their task entries. */
function findOpen({ runs, mcpTasks }: CodexState): RunIds[] {
  const tasks = mcpTasks.filter(({ status, runId }) => runId !== '' && (status === 'queued' || status === 'running'));
  const known = new Set(tasks.map(({ runId }) => runId));
  const rest = runs.filter(({ id, status }) => isLive(status) && !known.has(id));
  return [
    ...tasks.map(toIds),
    ...rest.map(({ id, windowId, options }) => ({
      runId: id,
      windowId,
      workingDirectory: options?.workingDirectory ?? '',
      input: '',
      ...toRequestId(mcpTasks.find(({ runId }) => runId === id)),
    })),
  ];
}

function toIds(task: McpTask): RunIds {
  const { runId, windowId, workingDirectory, input } = task;
  return { runId, windowId, workingDirectory, input, ...toRequestId(task) };
}

function toRequestId(task: McpTask | undefined): { readonly requestId?: string } {
  return task ? { requestId: task.id } : {};
}

function isLive(status: string): boolean {
  return status === 'running' || status === 'aborting';
}
