/**
 * The entries of `ui-prompts.jsonl`: one JSON object per line, a request or a response.
 *
 * Reading is lenient, because any program may write to the log: a line that is not an entry is `undefined`, never an
 * error. A result is a request of kind `result` whose `requestId` names the task; the user's response to it is not
 * waited for.
 */

import { isObject } from '../../is-object.ts';
import type { Json } from '../../task/json.ts';
import type { JsonObject } from '../host-port.ts';

export { LEGACY_PREFIX, LOG_NAME } from '../shared/async-task.ts';
export { isObject };

/** The longest entry that is written, in bytes. */
export const MAX_ENTRY = 32 * 1024 * 1024;

/** A prompt that waits for an answer, or reports a result. */
export interface RequestEntry {
  /** ISO 8601. */
  readonly ts: string;
  readonly type: 'ui_prompt';
  readonly action: 'request';
  readonly requestId: string;
  readonly runId?: string;
  readonly prompt: JsonObject;
}

/** The answer to a prompt. */
export interface ResponseEntry {
  /** ISO 8601. */
  readonly ts: string;
  readonly type: 'ui_prompt';
  readonly action: 'response';
  readonly requestId: string;
  readonly runId?: string;
  readonly response: JsonObject;
}

/** One line of a prompt log. */
export type PromptEntry = RequestEntry | ResponseEntry;

/** How the work behind a result ended, for readers that use it; others ignore the field. */
export type ResultStatus = 'completed' | 'failed' | 'aborted';

/** Parses one line; `undefined` when it is not an entry of this log. */
export function parseLine(line: string): PromptEntry | undefined {
  try {
    return parseEntry(JSON.parse(line));
  } catch {
    return undefined;
  }
}

/** Parses a decoded line as an entry; undefined when it is not one. */
function parseEntry(value: unknown): PromptEntry | undefined {
  if (!isObject(value) || value.type !== 'ui_prompt' || typeof value.requestId !== 'string') return undefined;
  const { action, prompt, response } = value;
  const requestId = value.requestId.trim();
  if (requestId === '') return undefined;
  const runId = typeof value.runId === 'string' && value.runId !== '' ? { runId: value.runId } : {};
  const base = { ts: typeof value.ts === 'string' ? value.ts : '', type: value.type, requestId, ...runId } as const;
  if (action === 'request' && isObject<Json>(prompt)) return { ...base, action, prompt };
  if (action === 'response' && isObject<Json>(response)) return { ...base, action, response };
  return undefined;
}

/** Whether an entry reports how a task ended, for any task. */
export function isResult(entry: PromptEntry): entry is RequestEntry {
  return entry.action === 'request' && toKind(entry.prompt) === 'result';
}

export function toKind({ kind }: JsonObject): string {
  return typeof kind === 'string' ? kind.trim() : '';
}

/** Returns the text of a result: the first of its fields that has one, unchanged. Empty when none has. */
export function toResultText({ markdown, result, content }: JsonObject): string {
  const texts = [markdown, result, content].filter((text) => typeof text === 'string');
  return texts.find((text) => text.trim() !== '') ?? '';
}

/** Returns how the work ended, if the result says so. */
export function toResultStatus({ resultStatus }: JsonObject): ResultStatus | undefined {
  return resultStatus === 'completed' || resultStatus === 'failed' || resultStatus === 'aborted'
    ? resultStatus
    : undefined;
}

/** Returns the task id of a `requestId` by removing the prefix; the id itself when it does not have it. */
export function toTaskId(requestId: string, prefix: string): string {
  return prefix !== '' && requestId.startsWith(prefix) ? requestId.slice(prefix.length) : requestId;
}

/** Returns one line of the log, with its newline. */
export function toLine(entry: PromptEntry): string {
  const { ts, type, action, requestId, runId } = entry;
  const base = { ts, type, action, requestId, ...(runId !== undefined && { runId }) };
  const body = entry.action === 'request' ? { prompt: entry.prompt } : { response: entry.response };
  return `${JSON.stringify({ ...base, ...body })}\n`;
}
