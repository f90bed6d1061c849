/**
 * Reads one run from `codex_app_state.v1.json`, leniently: programs of several versions write that file, and any field
 * may be missing.
 */
import { isObject } from '../../../is-object.ts';
import { isRunEnd } from '../run-notifications.ts';

/** One entry of a window's log. */
export interface LoggedEvent {
  readonly seq?: number;
  readonly ts?: string;
  readonly source?: string;
  readonly [field: string]: unknown;
}

/** Identifies a run: by the task it was started for, or by its window and the time of the request. */
export interface RunName {
  /** `mcpTasks[].id`. */
  readonly taskId?: string;
  readonly windowId?: string;
  /** Epoch ms; runs that began earlier belong to other calls. Used only where the file has no entry for the task. */
  readonly requestedAt?: number;
}

/** A run as far as the file describes it. */
export interface RunState {
  readonly runId: string | undefined;
  /** The run's entries in the window's log. */
  readonly events: readonly LoggedEvent[];
  /** The number of entries in the window's log. */
  readonly logLength: number;
  readonly end: { readonly status: string; readonly finishedAt: string } | undefined;
}

type Row = { readonly [field: string]: unknown };

/** Returns the run from a file's text; `boundTo` is the run id that was found before. Throws when the text is not a state. */
export function readRunState(text: string, name: RunName, boundTo?: string): RunState {
  const state: unknown = JSON.parse(text);
  if (!isObject(state)) throw new Error('the state is not an object');
  const runs = toRows(state.runs);
  const tasks = toRows(state.mcpTasks);
  const task = name.taskId === undefined ? undefined : tasks.find(({ id }) => id === name.taskId);
  const runId = toText(task?.runId) || boundTo || (task ? '' : findByTime({ runs, tasks }, name));
  const run = runs.find(({ id }) => id === runId && runId !== '');
  const windowId = toText(run?.windowId) || toText(task?.windowId) || name.windowId;
  const log = toEvents(state.windowLogs, windowId);
  return {
    runId: runId || undefined,
    events: run || runId ? log.filter(isOf({ runs, run, runId, windowId })) : [],
    logLength: log.length,
    end: toEnd(run) ?? toEnd(task),
  };
}

/** Returns the earliest run of the window that began after the request and belongs to no task. */
function findByTime({ runs, tasks }: { runs: Row[]; tasks: Row[] }, { windowId, requestedAt }: RunName): string {
  if (windowId === undefined || requestedAt === undefined) return '';
  const taken = new Set(tasks.map(({ runId }) => runId));
  const mine = runs.filter(
    ({ id, windowId: at, startedAt }) => at === windowId && !taken.has(id) && toTime(startedAt) >= requestedAt,
  );
  const [first] = mine.sort((a, b) => toTime(a.startedAt) - toTime(b.startedAt));
  return toText(first?.id);
}

interface Owner {
  readonly runs: readonly Row[];
  readonly run: Row | undefined;
  readonly runId: string;
  readonly windowId: string | undefined;
}

/** Selects the entries of a run. An entry that names no run belongs to the run that had begun last when it was written. */
function isOf({ runs, run, runId, windowId }: Owner): (event: LoggedEvent) => boolean {
  const from = toTime(run?.startedAt);
  const later = runs.map((one) => (one.windowId === windowId ? toTime(one.startedAt) : Number.NaN));
  const until = Math.min(Number.POSITIVE_INFINITY, ...later.filter((at) => at > from));
  return (event) => {
    if (typeof event.runId === 'string') return event.runId === runId;
    const at = toTime(event.ts);
    // Without times, runs cannot be told apart.
    return Number.isNaN(at) || Number.isNaN(from) || (at >= from && at < until);
  };
}

function toEnd(row: Row | undefined): RunState['end'] {
  const status = toText(row?.status);
  return isRunEnd(status) ? { status, finishedAt: toText(row?.finishedAt) } : undefined;
}

function toEvents(windowLogs: unknown, windowId: string | undefined): LoggedEvent[] {
  const log = isObject(windowLogs) && windowId !== undefined ? windowLogs[windowId] : undefined;
  const events = isObject(log) ? log.events : undefined;
  return Array.isArray(events) ? events.filter((row) => isObject(row)) : [];
}

function toRows(value: unknown): Row[] {
  return Array.isArray(value) ? value.filter((row) => isObject(row)) : [];
}

function toTime(value: unknown): number {
  return typeof value === 'string' ? Date.parse(value) : Number.NaN;
}

function toText(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
