/**
 * The app's half of the contract: a call is acknowledged at once, and its outcome, whatever it is, becomes a result
 * prompt in the log.
 *
 * What is to be written goes through the outbox, so a process that dies over it leaves it to the next one. A prompt is
 * written once per id: one requestId, one content.
 */
import type { Json } from '../../task/json.ts';
import type { Task } from '../../task/record.ts';
import { type ToolResult, toEnding } from '../ending.ts';
import { RpcFailure } from '../rpc-failure.ts';
import { createPromptLog } from './log-writer.ts';
import { type StoredStatus, writeStoredTask } from './task-store.ts';
import type { ResultStatus } from './wire.ts';

/** The outbox topic of result prompts. */
export const PROMPT_TOPIC = 'ui-prompts';

/** Where the outcome of a task goes. */
export interface PromptPlace {
  /** As the host gave it; what the outside sees. */
  readonly taskId: string;
  readonly log: string;
  /** The app's task store, if it keeps one. */
  readonly store?: string;
  readonly [key: string]: Json;
}

/** The id that the host made; without one a call cannot be served under this contract. */
export function readTaskId(meta: { readonly [key: string]: unknown }, taskIdKey: string): string {
  const taskId = meta[taskIdKey];
  if (typeof taskId === 'string' && taskId.trim() !== '') return taskId.trim();
  throw new RpcFailure(-32602, `${taskIdKey} is required in _meta`);
}

/** The acknowledgement: for programs, or in the owner's own words. */
export function toAck(taskId: string, ackText: string | undefined): ToolResult {
  const ack = { status: 'accepted', taskId };
  return { content: [{ type: 'text', text: ackText ?? JSON.stringify(ack) }], structuredContent: ack };
}

/** Shows in the task store how far a task is. */
export async function showStored({ taskId, store }: PromptPlace, task: Task): Promise<void> {
  if (store === undefined) return;
  const stored = {
    id: taskId,
    source: 'mcp',
    status: toStoredStatus(task),
    promptRequestId: taskId,
    createdAt: toIso(task.createdAt),
    startedAt: toIso(task.startedAt),
  };
  await writeStoredTask(store, stored);
}

/** Writes the result prompt of a task that has ended, and its end into the task store. */
export async function deliverPrompt({ task, data }: { readonly task: Task; readonly data?: Json }): Promise<void> {
  const place = data as unknown as PromptPlace;
  const { text, status } = toResult(task);
  await createPromptLog({ path: place.log }).publishResult({ requestId: place.taskId, text, status });
  if (place.store === undefined) return;
  const at = toIso(task.endedAt);
  await writeStoredTask(place.store, {
    id: place.taskId,
    status,
    startedAt: toIso(task.startedAt),
    finishedAt: at,
    error: status === 'completed' ? null : { message: text },
    resultText: text,
    resultStatus: status,
    resultAt: at,
    promptSentAt: new Date().toISOString(),
  });
}

function toResult(task: Task): { readonly text: string; readonly status: ResultStatus } {
  const ending = toEnding(task);
  switch (ending.kind) {
    case 'result':
      return { text: toText(task, ending.result), status: ending.isError ? 'failed' : 'completed' };
    case 'error':
      return { text: ending.error.message, status: 'failed' };
    case 'cancelled':
      return { text: `Cancelled: ${ending.reason}`, status: 'aborted' };
    case 'expired':
      return { text: `Expired: ${ending.reason}`, status: 'failed' };
    case 'running':
      throw new Error(`task ${task.taskId} has not ended`);
  }
}

/** What a caller gets must not be empty: an empty prompt is an error for the host. */
function toText({ tool }: Task, { content, structuredContent }: ToolResult): string {
  const parts = (Array.isArray(content) ? content : []) as { readonly text?: Json; readonly type?: Json }[];
  const texts = parts.map(({ text, type }) => (typeof text === 'string' ? text : `[${String(type)}]`));
  const whole = texts.join('\n').trim();
  if (whole !== '') return whole;
  return structuredContent === undefined ? `${tool} completed` : JSON.stringify(structuredContent);
}

function toStoredStatus({ status }: Task): StoredStatus {
  if (status === 'queued' || status === 'completed' || status === 'failed') return status;
  return status === 'cancelled' ? 'aborted' : 'running';
}

function toIso(at: number | undefined): string {
  return at === undefined ? '' : new Date(at).toISOString();
}
