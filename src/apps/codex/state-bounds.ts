/** Keeps the state within its limits: the oldest finished entries are dropped first, and active ones stay. */
import type { CodexState, LogEntry, WindowLog } from './state.ts';

export interface StateBounds {
  readonly windows: number;
  readonly runs: number;
  readonly tasks: number;
  readonly inputs: number;
  /** Events in the log of one window. */
  readonly events: number;
  /** Approximate size limit of one window's log. */
  readonly logBytes: number;
  /** Size limit of the logs of all windows together. */
  readonly allLogBytes: number;
}

export const BOUNDS: StateBounds = {
  windows: 100,
  runs: 500,
  tasks: 200,
  inputs: 500,
  events: 2000,
  logBytes: 1024 * 1024,
  allLogBytes: 8 * 1024 * 1024,
};

/** The serialized size of each log entry, measured once. */
const sizes = new WeakMap<LogEntry, number>();

/** Changes the state in place. */
export function boundState(state: CodexState, bounds: StateBounds = BOUNDS): void {
  state.windows = dropFirst(state.windows, bounds.windows, ({ status }) => status === 'idle');
  state.runs = dropFirst(state.runs, bounds.runs, ({ status }) => status !== 'running' && status !== 'aborting');
  state.mcpTasks = dropFirst(state.mcpTasks, bounds.tasks, ({ status }) => status !== 'queued' && status !== 'running');
  for (const inputs of Object.values(state.windowInputs)) inputs.items = inputs.items.slice(-bounds.inputs);
  dropOrphans(state);
  boundLogs(state, bounds);
}

function dropFirst<T>(rows: T[], most: number, mayGo: (row: T) => boolean): T[] {
  const surplus = rows.length - most;
  if (surplus <= 0) return rows;
  const gone = new Set(rows.filter(mayGo).slice(0, surplus));
  return rows.filter((row) => !gone.has(row));
}

function dropOrphans({ windows, windowLogs, windowTasks, windowInputs }: CodexState): void {
  const known = new Set(windows.map(({ id }) => id));
  for (const table of [windowLogs, windowTasks, windowInputs]) {
    for (const id of Object.keys(table)) if (!known.has(id)) delete table[id];
  }
}

function boundLogs({ windowLogs }: CodexState, bounds: StateBounds): void {
  const logs = Object.values(windowLogs);
  const lengths = new Map(logs.map((log) => [log, boundLog(log, bounds)]));
  let all = [...lengths.values()].reduce((sum, length) => sum + length, 0);
  const oldestFirst = logs.sort((a, b) => (a.updatedAt < b.updatedAt ? -1 : 1));
  for (const log of oldestFirst) {
    if (all <= bounds.allLogBytes) return;
    all -= lengths.get(log) ?? 0;
    log.events = [];
    log.lines = [];
  }
}

/** Returns the new size of the log. */
function boundLog(log: WindowLog, { events, logBytes }: StateBounds): number {
  let length = 0;
  let from = log.events.length;
  while (from > 0 && log.events.length - from < events) {
    const entry = log.events[from - 1] as LogEntry;
    const size = toSize(entry);
    if (length + size > logBytes && length > 0) break;
    length += size;
    from -= 1;
  }
  log.events = log.events.slice(from);
  log.lines = log.lines.slice(-Math.max(1, log.events.length));
  return length;
}

// The text line of an entry repeats about 200 characters of it.
function toSize(entry: LogEntry): number {
  const known = sizes.get(entry);
  if (known !== undefined) return known;
  const size = JSON.stringify(entry).length + 200;
  sizes.set(entry, size);
  return size;
}
