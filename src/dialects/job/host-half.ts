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
  /** Whether the server can be polled for the outcome. */
  readonly canWait: boolean;
}

/** The properties of a server that decide which answers are jobs, and how they are followed. */
export interface JobServer {
  /** Whether it has our companion tools. */
  readonly canWait: boolean;
  /** Whether it lists the tool as one that answers in two stages. */
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

/** Returns the handle in the answer to a call: in a bare object, structured content or a text; undefined for any other answer. */
export function readJob(result: JsonObject, { canWait, isAsync }: JobServer): JobHandle | undefined {
  for (const report of toCandidates(result)) {
    const { success, data } = report as { success?: Json; data?: Json };
    const { job_id, estimated_runtime_seconds: seconds } = (data ?? {}) as { readonly [key: string]: Json };
    if (success !== true || typeof job_id !== 'string' || job_id === '') continue;
    // Many tools return the id of something; only an estimate or the tool's listing says that a result will follow.
    if (typeof seconds !== 'number' && !isAsync) continue;
    const estimate = typeof seconds === 'number' && seconds >= 0 && { estimateMs: Math.round(seconds * 1000) };
    return { dialect: 'job', jobId: job_id, canWait, ...estimate };
  }
  return undefined;
}

/** Cancels as a task where the server has tasks, else with its companion tool; false when it has neither. */
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
