/**
 * The content of `codex_app_state.v1.json`: windows, runs, logs, plans, inputs and tasks.
 *
 * Parsing is tolerant: invalid parts are dropped, and fields of other programs are kept. All lists have a maximum length, so that
 * the file never gets too large for its readers.
 */
import { isObject } from '../../app-kit/index.ts';
import type { StoredTask } from '../../dialects/ui-prompts/index.ts';
import type { Json } from '../../index.ts';
import { isThreadId } from './ids.ts';
import type { TodoList } from './runs/codex-event.ts';

export interface CodexWindow {
  id: string;
  name: string;
  /** The Codex thread that the next run resumes; empty for none. */
  threadId: string;
  status: 'idle' | 'running' | 'aborting';
  createdAt: string;
  updatedAt: string;
  activeRunId: string;
  defaultRunOptions: RunOptions | null;
  lastRunOptions: RunOptions | null;
  lastRunAt: string;
  source: string;
}

export interface RunOptions {
  readonly workingDirectory: string;
  readonly [option: string]: Json;
}

export interface CodexRun {
  id: string;
  windowId: string;
  status: 'running' | 'aborting' | 'completed' | 'failed' | 'aborted';
  startedAt: string;
  finishedAt: string;
  error: { readonly message: string } | null;
  options: RunOptions | null;
  /** Sequence number of the newest event of this run in the log. */
  lastSeq: number;
}

/** One event of a run; `seq` is that of the task's event. */
export interface LogEntry {
  readonly runId: string;
  readonly seq: number;
  readonly ts: string;
  readonly [field: string]: unknown;
}

export interface WindowLog {
  events: LogEntry[];
  /** The same events as text lines. */
  lines: string[];
  updatedAt: string;
}

export interface WindowTasks {
  todoList: TodoList['items'];
  todoListId: string;
  updatedAt: string;
}

export interface WindowInputs {
  items: { readonly ts: string; readonly text: string }[];
  updatedAt: string;
}

export type McpTask = { -readonly [Field in keyof StoredTask]: StoredTask[Field] };

export interface CodexState {
  version: 1;
  updatedAt: string;
  windows: CodexWindow[];
  runs: CodexRun[];
  windowLogs: Record<string, WindowLog>;
  windowTasks: Record<string, WindowTasks>;
  windowInputs: Record<string, WindowInputs>;
  mcpTasks: McpTask[];
  [foreign: string]: unknown;
}

/** Parses the text of the file; throws when it is not a JSON object. */
export function parseState(text: string): CodexState {
  const value: unknown = JSON.parse(text);
  if (!isObject(value)) throw new Error('it is not an object');
  return {
    ...value,
    version: 1,
    updatedAt: toText(value.updatedAt),
    windows: toRows(value.windows).map(toWindow),
    runs: toRows(value.runs).map(toRun),
    windowLogs: toTable(value.windowLogs, toLog),
    windowTasks: toTable(value.windowTasks, toTasks),
    windowInputs: toTable(value.windowInputs, toInputs),
    mcpTasks: toRows(value.mcpTasks).map(toMcpTask),
  };
}

export function createState(): CodexState {
  const tables = {
    windowLogs: toTable({}, toLog),
    windowTasks: toTable({}, toTasks),
    windowInputs: toTable({}, toInputs),
  };
  return { version: 1, updatedAt: '', windows: [], runs: [], mcpTasks: [], ...tables };
}

type Row = { readonly [field: string]: unknown };

function toWindow(row: Row): CodexWindow {
  const status = row.status === 'running' || row.status === 'aborting' ? row.status : 'idle';
  return {
    ...row,
    id: toText(row.id),
    name: toText(row.name),
    threadId: isThreadId(row.threadId) ? row.threadId : '',
    status,
    createdAt: toText(row.createdAt),
    updatedAt: toText(row.updatedAt),
    activeRunId: toText(row.activeRunId),
    defaultRunOptions: toOptions(row.defaultRunOptions),
    lastRunOptions: toOptions(row.lastRunOptions),
    lastRunAt: toText(row.lastRunAt),
    source: toText(row.source),
  };
}

const RUN_STATUSES = ['running', 'aborting', 'completed', 'failed', 'aborted'] as const;

function toRun(row: Row): CodexRun {
  return {
    ...row,
    id: toText(row.id),
    windowId: toText(row.windowId),
    status: RUN_STATUSES.find((one) => one === row.status) ?? 'failed',
    startedAt: toText(row.startedAt),
    finishedAt: toText(row.finishedAt),
    error: toFailure(row.error),
    options: toOptions(row.options),
    lastSeq: Number.isSafeInteger(row.lastSeq) ? (row.lastSeq as number) : 0,
  };
}

const TASK_STATUSES = ['queued', 'running', 'completed', 'failed', 'aborted'] as const;

function toMcpTask(row: Row): McpTask {
  const empty = createMcpTask(toText(row.id));
  const texts = Object.keys(empty).map((name) => [name, toText(row[name])]);
  return {
    ...empty,
    ...row,
    ...(Object.fromEntries(texts) as Partial<McpTask>),
    status: TASK_STATUSES.find((one) => one === row.status) ?? 'queued',
    error: toFailure(row.error),
  };
}

export function createMcpTask(id: string): McpTask {
  return {
    id,
    source: 'mcp',
    status: 'queued',
    input: '',
    workingDirectory: '',
    windowId: '',
    runId: '',
    createdAt: '',
    startedAt: '',
    finishedAt: '',
    error: null,
    promptRequestId: id,
    promptSentAt: '',
    resultText: '',
    resultStatus: '',
    resultAt: '',
  };
}

function toLog(row: Row): WindowLog {
  const events = Array.isArray(row.events) ? row.events.filter(isObject) : [];
  const lines = Array.isArray(row.lines) ? row.lines.filter((line) => typeof line === 'string') : [];
  return { events: events as unknown as LogEntry[], lines, updatedAt: toText(row.updatedAt) };
}

function toTasks(row: Row): WindowTasks {
  const todoList = (Array.isArray(row.todoList) ? row.todoList.filter(isObject) : []) as never[];
  return { todoList, todoListId: toText(row.todoListId), updatedAt: toText(row.updatedAt) };
}

function toInputs(row: Row): WindowInputs {
  const items = (Array.isArray(row.items) ? row.items.filter(isObject) : []) as never[];
  return { items, updatedAt: toText(row.updatedAt) };
}

function toRows(value: unknown): Row[] {
  if (!Array.isArray(value)) return [];
  return value.filter((row) => isObject(row) && typeof row.id === 'string' && row.id !== '');
}

// Without a prototype, because a window may be named `constructor`.
function toTable<T>(value: unknown, parse: (row: Row) => T): Record<string, T> {
  const rows = isObject(value) ? Object.entries(value) : [];
  const known = rows.flatMap(([id, row]) => (isObject(row) ? [[id, parse(row)] as const] : []));
  return Object.assign(Object.create(null), Object.fromEntries(known)) as Record<string, T>;
}

function toOptions(value: unknown): RunOptions | null {
  return isObject(value) && typeof value.workingDirectory === 'string' ? (value as unknown as RunOptions) : null;
}

function toFailure(value: unknown): { readonly message: string } | null {
  return isObject(value) && typeof value.message === 'string' ? { message: value.message } : null;
}

function toText(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
