/**
 * Streamed calls: the call is acknowledged at once; events, the final text and the end follow as notifications that
 * name the call.
 */

import type { Json } from '../../task/json.ts';
import type { Task } from '../../task/record.ts';
import { splitText } from '../../text/cut-text.ts';
import { toOutcomeText } from '../shared/outcomes/outcome-text.ts';
import type { ToolResult } from '../shared/outcomes/wire-outcome.ts';
import { formatRunEvent } from './format-event.ts';
import type { RunEvent } from './run-event.ts';

/** The `_meta` key by which a call asks for a stream: `true` for one, `false` for none. */
export const STREAM_META = 'stream';

const CHUNK_UNITS = 4000;

export type StreamParams = { readonly [key: string]: Json };

export interface StreamNotification {
  readonly method: string;
  readonly params: StreamParams;
}

/** The client's request of a run and the ids used in notifications; stored with the task. */
export interface RunAddress {
  /** First part of the notifications' names. */
  readonly app: string;
  /** The id of the `tools/call`, unchanged. */
  readonly rpcId: string | number;
  readonly windowId: string;
  /** The host's id of the call; the task's own id when the host gave none. */
  readonly requestId?: string;
  readonly sessionId?: string;
}

/** Returns the acknowledgement. */
export function toStreamAck({ taskId }: Task, { app, rpcId }: RunAddress): ToolResult {
  const ack = { status: 'accepted', taskId, stream: { method: toMethod(app, 'stream'), rpcId } };
  return { content: [{ type: 'text', text: JSON.stringify(ack) }], structuredContent: ack };
}

/** Returns the notification of one event. */
export function toStreamNotification(runId: string, address: RunAddress, event: RunEvent): StreamNotification {
  const params = { ...toIds(runId, address), event: event as unknown as Json, text: formatRunEvent(event) };
  return { method: toMethod(address.app, 'stream'), params };
}

/** Returns the notifications of the end: the final text in chunks, that it is done, and that the run is completed. */
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
    // Set when this text is the whole.
    finalTextComplete: chunks.length === 1,
  }));
  const done = { ...ids, done: true, status, finishedAt: toFinishedAt(task) };
  const method = toMethod(address.app, 'stream');
  return [...[...told, done].map((params) => ({ method, params })), toCompletedNotification(task, address)];
}

/** Returns the notification that ends a run, for a call that was answered in any dialect. */
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
