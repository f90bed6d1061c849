/**
 * Follows a two-stage job: its notifications name it, and nothing else comes back for it.
 *
 * Where the server lists `task_wait`, a lost connection loses nothing: the outcome is asked for. Elsewhere a job ends
 * with the process that ran it.
 */
import type { Json } from '../../task/json.ts';
import { type CallOutcome, type HostPort, isLineFailure, type JsonObject, type Notification } from '../host-port.ts';
import { PollBackoff } from '../shared/poll-backoff.ts';
import { JOB_PROGRESS, JOB_RESULT } from './wire.ts';

export interface JobHandle {
  readonly dialect: 'job';
  readonly jobId: string;
  readonly estimateMs?: number;
  /** The server can be asked for the outcome. */
  readonly canWait: boolean;
  readonly [key: string]: Json;
}

/** What of a server decides what its jobs are, and how they are followed. */
export interface JobServer {
  /** It has our tools for tasks. */
  readonly canWait: boolean;
  /** It lists the tool as one that returns twice. */
  readonly isAsync: boolean;
}

/** The handle in the answer to a call: a bare object, structured content or a text; nothing when it is another answer. */
export function readJob(result: JsonObject, { canWait, isAsync }: JobServer): JobHandle | undefined {
  for (const report of toCandidates(result)) {
    const { success, data } = report as { success?: Json; data?: Json };
    const { job_id, estimated_runtime_seconds: seconds } = (data ?? {}) as { readonly [key: string]: Json };
    if (success !== true || typeof job_id !== 'string' || job_id === '') continue;
    // Many a tool answers with the id of something; only an estimate or the tool's listing says that more will come.
    if (typeof seconds !== 'number' && !isAsync) continue;
    const estimate = typeof seconds === 'number' && seconds >= 0 && { estimateMs: Math.round(seconds * 1000) };
    return { dialect: 'job', jobId: job_id, canWait, ...estimate };
  }
  return undefined;
}

export async function followJob(handle: JobHandle, port: HostPort): Promise<CallOutcome> {
  const { jobId, estimateMs, canWait } = handle;
  if (estimateMs !== undefined) port.update({ type: 'estimate', estimateMs });
  const pace = new PollBackoff(port.clock);
  let outcome: CallOutcome | undefined;
  let isCut = false;
  const stops = [
    port.onNotification((notification) => {
      outcome ??= hear(jobId, notification, port);
      if (outcome) pace.ring();
    }),
    port.onConnected(() => {
      isCut = true;
      pace.ring();
    }),
  ];
  try {
    for (;;) {
      if (!outcome) await pace.wait(port.signal, LONG_MS);
      port.signal.throwIfAborted();
      if (!outcome && (isCut || canWait)) {
        isCut = false;
        outcome ??= await askFor(handle, port);
      }
      if (outcome) return outcome;
    }
  } finally {
    for (const stop of stops) stop();
  }
}

/** Tells the estimate and the progress of a job, until the returned function is called. */
export function showJob({ jobId, estimateMs }: JobHandle, port: HostPort): () => void {
  if (estimateMs !== undefined) port.update({ type: 'estimate', estimateMs });
  return port.onNotification((notification) => showProgress(jobId, notification, port));
}

/** By the means of tasks where the server has them, else by its tool for that; false when it has neither. */
export async function cancelJob({ jobId, canWait }: JobHandle, port: HostPort): Promise<boolean> {
  const reply = await port.request('tasks/cancel', { taskId: jobId });
  if (reply.kind === 'result') return true;
  if (!canWait) return false;
  const called = await port.request('tools/call', { name: 'task_cancel', arguments: { task_id: jobId } });
  return called.kind === 'result' && called.result.isError !== true;
}

const LONG_MS = 60_000;

function hear(jobId: string, { method, params }: Notification, port: HostPort): CallOutcome | undefined {
  if (params.job_id !== jobId) return undefined;
  if (method === JOB_RESULT) return toOutcome((params.result ?? {}) as JsonObject);
  showProgress(jobId, { method, params }, port);
  return undefined;
}

function showProgress(jobId: string, { method, params }: Notification, port: HostPort): void {
  const { job_id, progress, message, estimated_remaining_seconds: seconds } = params;
  if (job_id !== jobId || method !== JOB_PROGRESS || typeof progress !== 'number') return;
  port.update({
    type: 'progress',
    value: progress,
    total: 1,
    ...(typeof message === 'string' && { message }),
    ...(typeof seconds === 'number' && { remainingMs: Math.round(seconds * 1000) }),
  });
}

async function askFor({ jobId, canWait }: JobHandle, port: HostPort): Promise<CallOutcome | undefined> {
  if (!canWait) {
    const reason = 'outcome unknown: the connection on which the job would have been reported is gone';
    return { kind: 'interrupted', reason };
  }
  try {
    const args = { name: 'task_wait', arguments: { task_id: jobId, wait_seconds: 0 } };
    const reply = await port.request('tools/call', args);
    // An error says something of the moment; what became of the job is said in a result.
    if (reply.kind === 'error') return undefined;
    const { _meta } = reply.result as { _meta?: { readonly [key: string]: Json } };
    if (_meta?.['holdfast/task'] !== undefined) return undefined;
    return { kind: 'result', result: reply.result, isError: reply.result.isError === true };
  } catch (error) {
    if (isLineFailure(error)) return undefined;
    throw error;
  }
}

/** A report is passed on whole; a failure is told in its own words. */
function toOutcome(report: JsonObject): CallOutcome {
  const { success, data, messages } = report;
  if (success === false) {
    const errors = (Array.isArray(messages) ? messages : []) as { text?: Json; details?: Json; type?: Json }[];
    const { text, details } = errors.find(({ type }) => type === 'error') ?? {};
    const message = typeof text === 'string' ? text : 'the job failed';
    const error = { code: 'JOB_FAILED', message, ...(typeof details === 'string' && { data: { details } }) };
    return { kind: 'error', error };
  }
  const { content, ...others } = (data ?? {}) as { readonly [key: string]: Json };
  const isWrapped = Array.isArray(content) && Object.keys(others).length === 0;
  const result: JsonObject = isWrapped
    ? { content }
    : { content: [{ type: 'text', text: JSON.stringify(report) }], structuredContent: report as unknown as Json };
  return { kind: 'result', result, isError: false };
}

function toCandidates(result: JsonObject): JsonObject[] {
  const { structuredContent, content } = result;
  const [first] = (Array.isArray(content) ? content : []) as { text?: Json }[];
  return [result, structuredContent, parseText(first?.text)].filter(isObject);
}

function parseText(text: Json | undefined): Json | undefined {
  if (typeof text !== 'string' || !text.trimStart().startsWith('{')) return undefined;
  try {
    return JSON.parse(text) as Json;
  } catch {
    return undefined;
  }
}

function isObject(value: Json | undefined): value is { [key: string]: Json } {
  return value !== null && typeof value === 'object' && !Array.isArray(value);
}
