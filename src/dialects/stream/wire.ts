/**
 * Streamed calls: the call is acknowledged at once; what happens, the final text and the end follow as notifications
 * that name the call.
 */

import type { Json } from '../../task/json.ts';
import type { Task } from '../../task/record.ts';
import { splitText } from '../../text/cut-text.ts';
import { toOutcomeText } from '../shared/outcomes/outcome-text.ts';
import type { ToolResult } from '../shared/outcomes/wire-outcome.ts';
import { formatRunEvent } from './format-event.ts';
import type { RunEvent } from './run-event.ts';

/** What `_meta` says: `true` for a stream, `false` for none. */
export const STREAM_META = 'stream';

const CHUNK_UNITS = 4000;

export type StreamParams = { readonly [key: string]: Json };

export interface StreamNotification {
  readonly method: string;
  readonly params: StreamParams;
}

/** Whose run it is and what it is called in notifications; kept with the task. */
export interface RunAddress {
  /** First part of the notifications' names. */
  readonly app: string;
  /** The id of the `tools/call`, as it came. */
  readonly rpcId: string | number;
  readonly windowId: string;
  /** The host's id of the call; the task's own when it gave none. */
  readonly requestId?: string;
  readonly sessionId?: string;
}

/** The acknowledgement. */
export function toStreamAck({ taskId }: Task, { app, rpcId }: RunAddress): ToolResult {
  const ack = { status: 'accepted', taskId, stream: { method: toMethod(app, 'stream'), rpcId } };
  return { content: [{ type: 'text', text: JSON.stringify(ack) }], structuredContent: ack };
}

/** What is told of one event. */
export function toStreamNotification(runId: string, address: RunAddress, event: RunEvent): StreamNotification {
  const params = { ...toIds(runId, address), event: event as unknown as Json, text: formatRunEvent(event) };
  return { method: toMethod(address.app, 'stream'), params };
}

/** What is told of the end: the final text in chunks, that it is the end, and that the run is over. */
export function toEndNotifications(task: Task, address: RunAddress): readonly StreamNotification[] {
  const ids = toIds(task.taskId, address);
  const { text, status } = toOutcomeText(task);
  const chunks = splitText(text.replaceAll('\r\n', '\n'), CHUNK_UNITS);
  const told = chunks.map((chunk, chunkIndex) => ({
    ...ids,
    finalText: chunk,
    text: chunk,
    final: true,
    finalTextChunk: true,
    chunkId: `${task.taskId}_final`,
    chunkIndex,
    chunkCount: chunks.length,
    // Says of this text that it is the whole.
    finalTextComplete: chunks.length === 1,
  }));
  const done = { ...ids, done: true, status, finishedAt: toFinishedAt(task) };
  const method = toMethod(address.app, 'stream');
  return [...[...told, done].map((params) => ({ method, params })), toCompletedNotification(task, address)];
}

/** What is told of a run's end whatever form its call was answered in. */
export function toCompletedNotification(task: Task, address: RunAddress): StreamNotification {
  const { status } = toOutcomeText(task);
  const end = { status, finishedAt: toFinishedAt(task), result: '😊' };
  return { method: toMethod(address.app, 'completed'), params: { ...toIds(task.taskId, address), ...end } };
}

function toMethod(app: string, what: 'stream' | 'completed'): string {
  return `${app}.window_run.${what}`;
}

function toIds(runId: string, { requestId = runId, rpcId, sessionId, windowId }: RunAddress): StreamParams {
  return { requestId, rpcId, ...(sessionId !== undefined && { sessionId }), windowId, runId };
}

function toFinishedAt({ endedAt, updatedAt }: Task): string {
  return new Date(endedAt ?? updatedAt).toISOString();
}
