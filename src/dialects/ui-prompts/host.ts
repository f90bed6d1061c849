/**
 * Follows a call whose result comes through the log.
 *
 * The id of the task goes out in `_meta`, where the model does not see it. The answer to the call is only an
 * acknowledgement; the call ends with the entry in the log, whether or not the user has seen it.
 */
import type { Json } from '../../task/json.ts';
import type { CallOutcome, HostPort, JsonObject, Reply } from '../host-port.ts';
import type { AsyncTaskConfig } from '../shared/async-task.ts';
import { parseName } from '../shared/field.ts';
import { type CancelOptions, callCancelTool, cancelAsTask, findCancelTool, type ListedTool } from './cancel-tool.ts';
import { resolveInside } from './confine.ts';
import { explainWait } from './explain.ts';
import { type LogMark, takeMark } from './log/log-mark.ts';
import { waitForResult } from './log/log-reader.ts';
import { isStoredEnd, type StoredTask } from './task-store.ts';
import { openTaskWatch, type TaskWatch } from './task-watch.ts';
import { isObject, type RequestEntry, toResultStatus, toResultText } from './wire.ts';

export interface UiPromptsHandle {
  readonly dialect: 'ui-prompts';
  readonly taskId: string;
  readonly tool: string;
  readonly log: string;
  readonly requestIdPrefix: string;
  readonly pollIntervalMs: number;
  /** What the call carried, for its cancel. */
  readonly meta: JsonObject;
  readonly mark: LogMark;
  readonly taskStore?: string;
  readonly [key: string]: Json;
}

export interface UiPromptsCall {
  readonly tool: string;
  /** Made by the host, never used before. */
  readonly taskId: string;
  /** The server's `callMeta`, with what the host adds for this call. */
  readonly meta: JsonObject;
}

export interface UiPromptsPlace {
  /** The host's state directory; what a plugin names must lie in it. */
  readonly stateDir: string;
  /** Lets a plugin name any directory. @default false */
  readonly allowOutside?: boolean;
}

/** What to send as `_meta`, and the handle to keep before it is sent. */
export async function prepareUiPrompts(
  config: AsyncTaskConfig,
  { tool, taskId, meta }: UiPromptsCall,
  place: UiPromptsPlace,
): Promise<{ readonly meta: JsonObject; readonly handle: UiPromptsHandle }> {
  const { allowOutside = false } = place;
  const chatos = isObject(meta.chatos) ? meta.chatos : {};
  const uiApp = isObject(chatos.uiApp) ? chatos.uiApp : {};
  const inside = (root: string, path: string, field: string) =>
    resolveInside(root, path, { field, allowOutside, allowAbsolute: field.startsWith('_meta.') });
  const named = parseName('_meta.chatos.uiApp.stateDir', uiApp.stateDir, place.stateDir);
  const stateDir = await inside(place.stateDir, named, '_meta.chatos.uiApp.stateDir');
  const log = await inside(stateDir, config.uiPromptFile, 'asyncTask.uiPromptFile');
  const taskStore = await findTaskStore(config, { uiApp, stateDir }, inside);
  const sent = { ...meta, chatos: { ...chatos, uiApp: { ...uiApp, stateDir } }, [config.taskIdKey]: taskId };
  const { requestIdPrefix, pollIntervalMs } = config;
  const base = { dialect: 'ui-prompts', taskId, tool, log, requestIdPrefix, pollIntervalMs } as const;
  const full = { ...sent, stream: false };
  const store = taskStore !== undefined && { taskStore };
  return { meta: full, handle: { ...base, meta: full, mark: await takeMark(log), ...store } };
}

type Inside = (root: string, path: string, field: string) => Promise<string>;

async function findTaskStore(
  { stateFileName }: AsyncTaskConfig,
  { uiApp, stateDir }: { readonly uiApp: JsonObject; readonly stateDir: string },
  inside: Inside,
): Promise<string | undefined> {
  if (stateFileName === undefined || uiApp.dataDir === undefined) return undefined;
  const named = parseName('_meta.chatos.uiApp.dataDir', uiApp.dataDir);
  const dataDir = await inside(stateDir, named, '_meta.chatos.uiApp.dataDir');
  return inside(dataDir, stateFileName, 'asyncTask.stateFileName');
}

/** An acknowledgement that is an error ends the call; any other, whatever its shape, says nothing. */
export function readAck(reply: Reply): CallOutcome | undefined {
  if (reply.kind === 'error') return { kind: 'error', error: reply.error };
  return reply.result.isError === true ? { kind: 'result', result: reply.result, isError: true } : undefined;
}

// How long a task may have ended in its store before the prompt must be there.
const PROMPT_LATE_MS = 60_000;

/** Waits for the result; rejects with the signal's reason when nobody waits any longer. */
export async function followUiPrompts(handle: UiPromptsHandle, port: HostPort): Promise<CallOutcome> {
  const { taskId, log, requestIdPrefix, pollIntervalMs, mark, taskStore } = handle;
  const ended = new AbortController();
  const signal = AbortSignal.any([port.signal, ended.signal]);
  const wait = { taskId, requestIdPrefix, pollIntervalMs, mark, clock: port.clock, signal };
  using tasks = taskStore === undefined ? undefined : openTaskWatch(taskStore, port.clock);
  const find = waitForResult(log, wait).then(async (entry) => toOutcome(entry, await tasks?.get(taskId)));
  if (!tasks) return find;
  try {
    return await Promise.race([find, watchStore({ handle, tasks, signal }, port)]);
  } finally {
    ended.abort();
    await find.catch(() => {});
  }
}

/** Why there is no result yet, for whoever stops waiting. */
export async function explainUiPrompts({ log, taskId, requestIdPrefix }: UiPromptsHandle): Promise<string> {
  return (await explainWait(log, { taskId, requestIdPrefix })).message;
}

/** Calls the tool that cancels, or cancels the task where the server has tasks; says whether the server took it. */
export async function cancelUiPrompts(
  handle: CancelOptions,
  port: HostPort,
  tools?: readonly ListedTool[],
): Promise<boolean> {
  const cancel = findCancelTool(tools ?? (await listTools(port)), handle);
  if (cancel) return callCancelTool(cancel, handle, port);
  return cancelAsTask(handle, port);
}

function toOutcome({ prompt }: RequestEntry, stored: StoredTask | undefined): CallOutcome {
  const text = toResultText(prompt);
  const details = stored && isStoredEnd(stored.status) ? toDetails(stored) : undefined;
  if (text === '') {
    const message = 'empty result: the prompt has no text in markdown, result or content';
    return { kind: 'error', error: { code: 'EMPTY_RESULT', message, ...(details && { data: details }) } };
  }
  const status = toResultStatus(prompt) ?? stored?.status;
  const isError = status === 'failed' || status === 'aborted';
  const result: JsonObject = {
    content: [{ type: 'text', text }],
    ...(isError && { isError }),
    ...(details && { _meta: { 'holdfast/stored-task': details } }),
  };
  return { kind: 'result', result, isError };
}

interface StoreWatch {
  readonly handle: UiPromptsHandle;
  readonly signal: AbortSignal;
  readonly tasks: TaskWatch;
}

/** Tells what the store says, and ends the call when the task has ended there and its prompt does not come. */
async function watchStore({ handle, signal, tasks }: StoreWatch, port: HostPort): Promise<CallOutcome> {
  let told: string | undefined;
  let endedAt: number | undefined;
  for (;;) {
    // From before the look: what changes meanwhile is looked at again.
    const changed = tasks.whenChanged(signal);
    changed.catch(() => {});
    const stored = await tasks.get(handle.taskId);
    signal.throwIfAborted();
    if (stored && stored.status !== told) {
      told = stored.status;
      port.update({ type: 'status', status: told, ...(stored.error && { message: stored.error.message }) });
    }
    endedAt = stored && isStoredEnd(stored.status) ? (endedAt ?? port.clock.monotonic()) : undefined;
    if (stored && endedAt !== undefined && port.clock.monotonic() - endedAt >= PROMPT_LATE_MS) {
      return toMissing(handle, stored);
    }
    await changed;
  }
}

async function toMissing({ log, taskId, requestIdPrefix }: UiPromptsHandle, stored: StoredTask): Promise<CallOutcome> {
  const why = await explainWait(log, { taskId, requestIdPrefix });
  const message = `no result prompt: the task is ${stored.status} in the app's store, but ${why.message}`;
  return { kind: 'error', error: { code: 'NO_RESULT_PROMPT', message, data: { ...toDetails(stored), why } } };
}

function toDetails({ status, error, startedAt, finishedAt, resultStatus }: StoredTask): JsonObject {
  return { status, ...(error && { error: error.message }), startedAt, finishedAt, resultStatus };
}

const MAX_PAGES = 100;

async function listTools(port: HostPort): Promise<ListedTool[]> {
  const tools: ListedTool[] = [];
  let cursor: Json | undefined;
  for (let page = 0; page < MAX_PAGES; page++) {
    const reply = await port.request('tools/list', cursor === undefined ? {} : { cursor });
    if (reply.kind === 'error' || !Array.isArray(reply.result.tools)) break;
    for (const tool of reply.result.tools) {
      if (isObject(tool) && typeof tool.name === 'string') tools.push(tool as JsonObject & ListedTool);
    }
    cursor = reply.result.nextCursor;
    if (typeof cursor !== 'string') break;
  }
  return tools;
}
