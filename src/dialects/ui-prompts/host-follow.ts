/**
 * Follows a call whose result comes through the prompt log.
 *
 * The answer to the call is only an acknowledgement; the call ends with the entry in the log, whether or not the user
 * has seen it.
 */
import type { CallOutcome, HostPort, JsonObject } from '../host-port.ts';
import { explainWait } from './explain.ts';
import type { UiPromptsHandle } from './host-prepare.ts';
import { waitForResult } from './log/log-reader.ts';
import { isStoredEnd, type StoredTask } from './task-store/task-store.ts';
import { openTaskWatch, type TaskWatch } from './task-store/task-watch.ts';
import { type RequestEntry, toResultStatus, toResultText } from './wire.ts';

// How long after the task's end in its store the prompt may take to appear.
const PROMPT_LATE_MS = 60_000;

/** Waits for the result; rejects with the signal's reason when the caller stops waiting. */
export async function followUiPrompts(handle: UiPromptsHandle, port: HostPort): Promise<CallOutcome> {
  const { taskId, log, requestIdPrefix, pollIntervalMs, mark, taskStore } = handle;
  const ended = new AbortController();
  const signal = AbortSignal.any([port.signal, ended.signal]);
  const wait = { taskId, requestIdPrefix, pollIntervalMs, mark, clock: port.clock, signal };
  using tasks = taskStore === undefined ? undefined : openTaskWatch(taskStore, port.clock);
  const find = waitForResult(log, wait).then(async (entry) => toOutcome(entry, await tasks?.get(taskId), port));
  if (!tasks) return find;
  try {
    return await Promise.race([find, watchStore({ handle, tasks, signal }, port)]);
  } finally {
    ended.abort();
    await find.catch(() => {});
  }
}

/** Returns why there is no result yet, for a caller that stops waiting. */
export async function explainUiPrompts({ log, taskId, requestIdPrefix }: UiPromptsHandle): Promise<string> {
  return (await explainWait(log, { taskId, requestIdPrefix })).message;
}

function toOutcome({ prompt }: RequestEntry, stored: StoredTask | undefined, port: HostPort): CallOutcome {
  const text = toResultText(prompt);
  const details = stored && isStoredEnd(stored.status) ? toDetails(stored) : undefined;
  if (text === '') {
    const message = 'empty result: the prompt has no text in markdown, result or content';
    return { kind: 'error', error: { code: 'EMPTY_RESULT', message, ...(details && { data: details }) } };
  }
  const status = toResultStatus(prompt) ?? stored?.status;
  // The log may report our own cancel before the app has answered it.
  if (status === 'aborted' && port.isStopping?.()) return { kind: 'cancelled', reason: text };
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

/** Reports the status in the store, and ends the call when the task has ended there and its prompt does not appear. */
async function watchStore({ handle, signal, tasks }: StoreWatch, port: HostPort): Promise<CallOutcome> {
  let told: string | undefined;
  let endedAt: number | undefined;
  for (;;) {
    // Subscribed before the read, so that a change during the read causes another one.
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
