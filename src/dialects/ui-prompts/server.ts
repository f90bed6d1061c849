/**
 * The app's half of the contract: a call is acknowledged at once, and its outcome, whatever it is, becomes a result
 * prompt in the log.
 *
 * The prompt goes through the outbox, so if a process dies while writing it, the next one writes it. A prompt is
 * written once per id: one requestId, one content.
 */

import { realpath } from 'node:fs/promises';
import { dirname } from 'node:path';
import { TaskError } from '../../errors.ts';
import { MAX_TASK_ID_LENGTH } from '../../limits.ts';
import { makeDirectory } from '../../process/make-directory.ts';
import { RPC_CODES } from '../../rpc-codes.ts';
import type { Json } from '../../task/json.ts';
import type { Delivery, Task } from '../../task/record.ts';
import { isTerminal } from '../../task/status.ts';
import { cutText } from '../../text/cut-text.ts';
import { toEmptyResultText, toOutcomeText, toResultText } from '../shared/outcomes/outcome-text.ts';
import { RpcFailure } from '../shared/outcomes/rpc-failure.ts';
import type { ToolResult } from '../shared/outcomes/wire-outcome.ts';
import { readInput } from '../shared/stored-call.ts';
import { createPromptLog } from './log/log-writer.ts';
import type { StoredStatus } from './task-store/task-store.ts';
import { writeStoredTask } from './task-store/write-stored-task.ts';
import type { ResultStatus } from './wire.ts';

/** The outbox topic of result prompts. */
const PROMPT_TOPIC = 'ui-prompts';

/** Where the outcome of a task is written. */
export interface PromptDestination {
  /** The id that the host gave, which clients see. Absent when the host gave none: then it is the task's own. */
  readonly taskId?: string;
  readonly log: string;
  /** Set when the path to the log had no link when the call was accepted; it may have none when its end is written. */
  readonly isReal?: true;
  /** The app's task store, if it keeps one. */
  readonly store?: string;
  /** Set when the app writes that store itself; only the time of the prompt is then added to it. */
  readonly ownStore?: true;
}

/** Returns the outbox entry that makes the end of a task write its result prompt. */
export function toPromptDelivery(place: PromptDestination): Delivery {
  return { topic: PROMPT_TOPIC, data: place as unknown as Json };
}

/** Returns the id that the host created; without one a call cannot be served under this contract. */
export function readTaskId(meta: { readonly [key: string]: unknown }, taskIdKey: string): string {
  const taskId = meta[taskIdKey];
  if (typeof taskId === 'string' && taskId.length > MAX_TASK_ID_LENGTH) {
    throw new RpcFailure(
      RPC_CODES.INVALID_PARAMS,
      `taskId in _meta has ${taskId.length} characters; expected ${MAX_TASK_ID_LENGTH}`,
    );
  }
  if (typeof taskId === 'string' && taskId.trim() !== '') return taskId.trim();
  const key = taskIdKey === 'taskId' ? '' : `, as ${JSON.stringify(taskIdKey)}`;
  throw new RpcFailure(RPC_CODES.INVALID_PARAMS, `taskId is required in _meta${key}`);
}

/** Returns the acknowledgement: for programs, or with the owner's own text. */
export function toAck(taskId: string, ackText: string | undefined): ToolResult {
  const ack = { status: 'accepted', taskId };
  return { content: [{ type: 'text', text: ackText ?? JSON.stringify(ack) }], structuredContent: ack };
}

/** Writes the progress of a task to the task store; its end is written with its prompt, where the outcome is known. */
export async function showStored(place: PromptDestination, task: Task): Promise<void> {
  const { taskId, store, ownStore, isReal } = place;
  if (store === undefined || ownStore || isTerminal(task.status)) return;
  if (isReal) await ensureRealDirectory(store);
  const id = taskId ?? task.taskId;
  const stored = {
    id,
    source: 'mcp',
    status: toStoredStatus(task),
    input: toInput(task),
    promptRequestId: id,
    createdAt: toIso(task.createdAt),
    startedAt: toIso(task.startedAt),
  };
  await writeStoredTask(store, stored);
}

/** A message of the outbox, as its handler receives it. */
interface PromptMessage {
  readonly task: Task;
  readonly data?: Json;
  /** How often delivery was tried, this time included. */
  readonly tries: number;
}

// The task store only informs: after so many failed writes it is left as it is.
const MAX_STORE_TRIES = 8;

/** Writes the result prompt of a task that has ended, and its end into the task store. */
export async function deliverPrompt({ task, data, tries }: PromptMessage): Promise<void> {
  const place = data as unknown as PromptDestination;
  const { taskId = task.taskId, store } = place;
  const outcome = toOutcomeText(task);
  await publish({ ...place, taskId }, outcome);
  if (store === undefined) return;
  if (place.isReal) await ensureRealDirectory(store);
  const sent = { id: taskId, promptSentAt: new Date().toISOString() };
  const end = place.ownStore ? sent : { ...toStoredEnd(task, { id: taskId, ...outcome }), ...sent };
  await writeStoredTask(store, end).catch((error: unknown) => {
    if (tries < MAX_STORE_TRIES) throw error;
  });
}

/** Runs in the process that claims the message, whichever that is. */
export const promptOutbox = { [PROMPT_TOPIC]: deliverPrompt };

/** Writes the result prompt of a call that was not a task. */
export function publishResult(
  place: PromptDestination & { readonly taskId: string },
  direct: DirectResult,
): Promise<void> {
  const { tool, result } = direct;
  const status = result.isError === true ? 'failed' : 'completed';
  return publish(place, { text: toResultText(result) || toEmptyResultText(tool, status), status });
}

/** What a tool returned that ran in the serving process. */
export interface DirectResult {
  readonly tool: string;
  readonly result: ToolResult;
}

interface SentOutcome {
  readonly text: string;
  readonly status: ResultStatus;
}

async function publish(place: PromptDestination & { readonly taskId: string }, outcome: SentOutcome): Promise<void> {
  const { log, taskId, isReal } = place;
  if (isReal) await ensureRealDirectory(log);
  await createPromptLog({ path: log }).publishResult({ requestId: taskId, ...outcome, text: toFitting(outcome.text) });
}

/**
 * Creates the directory of a file that was chosen for a call; throws when its path has become a link. A link may have
 * been put there between the call and its end.
 */
export async function ensureRealDirectory(file: string): Promise<void> {
  const directory = dirname(file);
  await makeDirectory(directory);
  if ((await realpath(directory)) === directory) return;
  throw new TaskError(
    'STORE_FOREIGN',
    `${directory} has become a link, and nothing is written behind it; take it away`,
  );
}

function toStoredEnd(task: Task, { id, text, status }: SentOutcome & { readonly id: string }) {
  const at = toIso(task.endedAt);
  return {
    id,
    source: 'mcp',
    status,
    input: toInput(task),
    createdAt: toIso(task.createdAt),
    startedAt: toIso(task.startedAt),
    finishedAt: at,
    error: status === 'completed' ? null : { message: text },
    resultText: text,
    resultStatus: status,
    resultAt: at,
  };
}

const MAX_INPUT = 4000;

// Stays below the size limit of a log entry even if JSON escapes every character.
const MAX_TEXT = 5 * 1024 * 1024;
const MAX_JSON = 6 * MAX_TEXT;

/** Cuts a result that does not fit into an entry: one that is never written would be waited for in vain. */
function toFitting(text: string): string {
  if (text.length <= MAX_TEXT || Buffer.byteLength(JSON.stringify(text)) <= MAX_JSON) return text;
  return `${cutText(text, MAX_TEXT)}\n\n… (cut: the whole has ${text.length} characters)`;
}

function toInput({ args }: Task): string {
  return cutText(JSON.stringify(readInput({ args }) ?? args), MAX_INPUT);
}

function toStoredStatus({ status }: Task): StoredStatus {
  if (status === 'queued' || status === 'completed' || status === 'failed') return status;
  return status === 'cancelled' ? 'aborted' : 'running';
}

function toIso(at: number | undefined): string {
  return at === undefined ? '' : new Date(at).toISOString();
}
