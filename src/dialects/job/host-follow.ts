/**
 * Follows a two-stage job by its notifications; no other message reports it.
 *
 * Where the server lists `task_wait`, a lost connection loses nothing: the outcome is polled. Elsewhere a job ends with
 * the process that ran it.
 */
import type { Json } from '../../task/json.ts';
import {
  type CallOutcome,
  type HostPort,
  isLineFailure,
  type JsonObject,
  type Notification,
  type ServerTask,
} from '../host-port.ts';
import { PollBackoff } from '../shared/poll-backoff.ts';
import type { JobHandle } from './host-half.ts';
import { JOB_PROGRESS, JOB_RESULT } from './notification-names.ts';

export async function followJob(handle: JobHandle, port: HostPort): Promise<CallOutcome> {
  const { jobId, estimateMs, canWait } = handle;
  if (estimateMs !== undefined) port.update({ type: 'estimate', estimateMs });
  const pace = new PollBackoff(port.clock);
  let outcome: CallOutcome | undefined;
  let isCut = false;
  const stops = [
    port.onNotification((notification) => {
      outcome ??= receive(jobId, notification, port);
      if (outcome) pace.wakeUp();
    }),
    port.onConnected(() => {
      isCut = true;
      pace.wakeUp();
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

/**
 * Like `followJob`, on a server built on Holdfast, where a job is a task: it can be polled after any loss, its
 * questions are included, and it is followed where job notifications do not arrive.
 */
export async function followJobTask(handle: JobHandle, port: HostPort, task: ServerTask): Promise<CallOutcome> {
  const stop = showJob(handle, port);
  try {
    return await task.follow();
  } finally {
    stop();
  }
}

/** Reports the estimate and the progress of a job, until the returned function is called. */
function showJob({ jobId, estimateMs }: JobHandle, port: HostPort): () => void {
  if (estimateMs !== undefined) port.update({ type: 'estimate', estimateMs });
  return port.onNotification((notification) => showProgress(jobId, notification, port));
}

const LONG_MS = 60_000;

function receive(jobId: string, { method, params }: Notification, port: HostPort): CallOutcome | undefined {
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
    // An error is temporary; the outcome of the job comes as a result.
    if (reply.kind === 'error') return undefined;
    const { _meta } = reply.result as { _meta?: { readonly [key: string]: Json } };
    if (_meta?.['holdfast/task'] !== undefined) return undefined;
    return { kind: 'result', result: reply.result, isError: reply.result.isError === true };
  } catch (error) {
    if (isLineFailure(error)) return undefined;
    throw error;
  }
}

/** A report is passed on whole; a failure is reported with its own message. */
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
