/** State changes for each stage of a run. */

import { cutText, type OutcomeText, toOutcomeText } from '../../../app-kit/index.ts';
import type { Task } from '../../../index.ts';
import {
  type CodexRun,
  type CodexState,
  type CodexWindow,
  createMcpTask,
  type McpTask,
  type RunOptions,
} from '../state.ts';
import type { StateChange } from '../state-file.ts';

/** What is known of a run when it is submitted. */
export interface RunPlan {
  readonly windowId: string;
  readonly workingDirectory: string;
  readonly input: string;
  /** The id that the host created for the call, if any. */
  readonly requestId?: string;
}

export interface RunIds extends RunPlan {
  readonly runId: string;
}

const MAX_RESULT = 4000;
const MAX_INPUT = 20_000;

/** Adds the window of a directory. */
export function addWindow(window: { id: string; name: string; options: RunOptions }): StateChange {
  return (state) => {
    if (state.windows.some(({ id }) => id === window.id)) return;
    const at = now();
    state.windows.push({
      id: window.id,
      name: window.name,
      threadId: '',
      status: 'idle',
      createdAt: at,
      updatedAt: at,
      activeRunId: '',
      defaultRunOptions: window.options,
      lastRunOptions: null,
      lastRunAt: '',
      source: 'mcp',
    });
  };
}

/** Records a run that waits in the queue. */
export function queueRun(run: RunIds, createdAt: string): StateChange {
  return (state) => {
    const task = findMcpTask(state, run);
    task.createdAt ||= createdAt;
  };
}

/** Records the start of a run. */
export function beginRun(run: RunIds, options: RunOptions): StateChange {
  return (state) => {
    const at = now();
    const task = findMcpTask(state, run);
    if (isOver(task.status)) return;
    task.status = 'running';
    task.startedAt ||= at;
    if (!state.runs.some(({ id }) => id === run.runId)) state.runs.push(toRun(run, { at, options }));
    const window = findWindow(state, run.windowId);
    if (window) {
      window.status = 'running';
      window.activeRunId = run.runId;
      window.lastRunOptions = options;
      window.lastRunAt = at;
      window.updatedAt = at;
    }
    const inputs = state.windowInputs[run.windowId] ?? { items: [], updatedAt: at };
    state.windowInputs[run.windowId] = inputs;
    inputs.items.push({ ts: at, text: cutText(run.input, MAX_INPUT) });
    inputs.updatedAt = at;
  };
}

/** Records the cancel of a run, while its processes are being ended. */
export function abortRun({ runId, windowId }: RunIds): StateChange {
  return (state) => {
    const run = state.runs.find(({ id }) => id === runId);
    if (run?.status === 'running') run.status = 'aborting';
    const window = findWindow(state, windowId);
    if (window?.activeRunId === runId && window.status === 'running') window.status = 'aborting';
  };
}

/** Sets the thread that the window's next run resumes; an empty id starts a new one. */
export function keepThread(windowId: string, threadId: string): StateChange {
  return (state) => {
    const window = findWindow(state, windowId);
    if (window) window.threadId = threadId;
  };
}

export interface RunOutcome extends OutcomeText {
  readonly at: string;
}

/** Records the end of a run. If there are several, the first counts. */
export function endRun(run: RunIds, { status, text, at }: RunOutcome): StateChange {
  return (state) => {
    const error = status === 'completed' ? null : { message: cutText(text, MAX_RESULT) };
    const row = state.runs.find(({ id }) => id === run.runId);
    if (row && !isOver(row.status)) Object.assign(row, { status, finishedAt: at, error });
    freeWindow(findWindow(state, run.windowId), run.runId);
    const task = findMcpTask(state, run);
    const resultText = text.length <= MAX_RESULT ? text : `${cutText(text, MAX_RESULT)}\n\n…`;
    const result = { resultText, resultStatus: status, resultAt: at };
    Object.assign(task, { status, error, finishedAt: at, ...result });
  };
}

/** Converts an ended task to the outcome that the state shows. */
export function toRunOutcome(task: Task): RunOutcome {
  return { ...toOutcomeText(task), at: new Date(task.endedAt ?? Date.now()).toISOString() };
}

export function freeWindow(window: CodexWindow | undefined, runId: string): void {
  if (window?.activeRunId !== runId) return;
  window.status = 'idle';
  window.activeRunId = '';
  window.updatedAt = now();
}

function findWindow({ windows }: CodexState, windowId: string): CodexWindow | undefined {
  return windows.find(({ id }) => id === windowId);
}

function findMcpTask({ mcpTasks }: CodexState, run: RunIds): McpTask {
  const taskId = run.requestId ?? run.runId;
  const known = mcpTasks.find(({ id }) => id === taskId);
  const task = known ?? createMcpTask(taskId);
  if (!known) mcpTasks.push(task);
  const { windowId, workingDirectory, runId } = run;
  return Object.assign(task, { windowId, workingDirectory, runId, input: cutText(run.input, MAX_INPUT) });
}

function toRun(run: RunIds, { at, options }: { at: string; options: RunOptions }): CodexRun {
  return {
    id: run.runId,
    windowId: run.windowId,
    status: 'running',
    startedAt: at,
    finishedAt: '',
    error: null,
    options,
    lastSeq: 0,
  };
}

function isOver(status: string): boolean {
  return status === 'completed' || status === 'failed' || status === 'aborted';
}

function now(): string {
  return new Date().toISOString();
}
