/** Two-stage jobs, for hosts: the answer names a job, and notifications bring its result. */
import { isObject } from '../../is-object.ts';
import type { Json } from '../../task/json.ts';
import type { HostDialect } from '../host-dialect.ts';
import type { CallHandle, CallOutcome, HostPort, JsonObject } from '../host-port.ts';
import { isHoldfast } from '../shared/holdfast-server.ts';
import { EarlyJobs } from './early-jobs.ts';

export interface JobHandle extends CallHandle {
  readonly dialect: 'job';
  readonly jobId: string;
  readonly estimateMs?: number;
  /** The server can be asked for the outcome. */
  readonly canWait: boolean;
}

/** What of a server decides what its jobs are, and how they are followed. */
export interface JobServer {
  /** It has our tools for tasks. */
  readonly canWait: boolean;
  /** It lists the tool as one that returns twice. */
  readonly isAsync: boolean;
}

export const jobHost: HostDialect<JobHandle> = {
  name: 'job',
  listen: () => new EarlyJobs(),
  read: ({ result, server, listed }) =>
    readJob(result, { canWait: isHoldfast(server), isAsync: listed?.async === true }),
  follow: (handle, port, early) => follow(handle, early instanceof EarlyJobs ? early.replayTo(port) : port),
  cancel: cancelJob,
  findTaskId: ({ jobId }) => jobId,
};

async function follow(handle: JobHandle, port: HostPort): Promise<CallOutcome> {
  const { followJob, followJobTask } = await import('./host-follow.ts');
  const task = handle.canWait ? port.findTask?.(handle.jobId) : undefined;
  return task ? followJobTask(handle, port, task) : followJob(handle, port);
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

/** By the means of tasks where the server has them, else by its tool for that; false when it has neither. */
async function cancelJob({ jobId, canWait }: JobHandle, port: HostPort): Promise<boolean> {
  const reply = await port.request('tasks/cancel', { taskId: jobId });
  if (reply.kind === 'result') return true;
  if (!canWait) return false;
  const called = await port.request('tools/call', { name: 'task_cancel', arguments: { task_id: jobId } });
  return called.kind === 'result' && called.result.isError !== true;
}

function toCandidates(result: JsonObject): JsonObject[] {
  const { structuredContent, content } = result;
  const [first] = (Array.isArray(content) ? content : []) as { text?: Json }[];
  return [result, structuredContent, parseText(first?.text)].filter(isObject<Json>);
}

function parseText(text: Json | undefined): Json | undefined {
  if (typeof text !== 'string' || !text.trimStart().startsWith('{')) return undefined;
  try {
    return JSON.parse(text) as Json;
  } catch {
    return undefined;
  }
}
