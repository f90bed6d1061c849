/**
 * Ends the wait for a task whose server is gone for good.
 *
 * A server keeps a task for the time it names. When that time is over and the server cannot be reached, there is
 * nothing to wait for. A server that answers decides itself, and may have prolonged the time.
 */
import { isTaskError, TaskError } from '../../errors.ts';
import type { Json } from '../../task/json.ts';
import type { CallOutcome, HostPort } from '../host-port.ts';

export interface Backstop {
  readonly taskId: string;
  /** When the server forgets the task, by our clock; undefined when it does not. */
  readonly expiresAt: Json | undefined;
}

// Allows for clock differences and server restarts.
const GRACE_MS = 60_000;
const ASK_MS = 30_000;

/** Follows a task until it ends, or until its TTL is over and the server cannot be reached. */
export async function withTtlBackstop(
  port: HostPort,
  { taskId, expiresAt }: Backstop,
  follow: (port: HostPort) => Promise<CallOutcome>,
): Promise<CallOutcome> {
  if (typeof expiresAt !== 'number') return follow(port);
  const over = new AbortController();
  const signal = AbortSignal.any([port.signal, over.signal]);
  const disarm = arm(port, { taskId, expiresAt }, () => over.abort(expiredError(taskId)));
  try {
    return await follow({
      ...port,
      signal,
      request: (method, params, options) => port.request(method, params, { signal: options?.signal ?? signal }),
    });
  } catch (error) {
    if (port.signal.aborted || !over.signal.aborted) throw error;
    return { kind: 'expired', reason: expiredError(taskId).message };
  } finally {
    disarm();
  }
}

function arm(port: HostPort, task: { taskId: string; expiresAt: number }, onOver: () => void): () => void {
  let disarm = () => {};
  const wait = (ms: number) => {
    disarm = port.clock.after(Math.max(0, ms), () => void check());
  };
  const check = async () => {
    const leftMs = await askForTime(port, task.taskId);
    if (leftMs === 'nobody') onOver();
    else if (leftMs !== 'forever' && !port.signal.aborted) wait(leftMs + GRACE_MS);
  };
  wait(task.expiresAt + GRACE_MS - port.clock.now());
  return () => disarm();
}

/** Asks the server for the remaining time. An error counts as an answer: the follower of the task gets it too. */
async function askForTime(port: HostPort, taskId: string): Promise<number | 'forever' | 'nobody'> {
  const late = new AbortController();
  const cancelTimer = port.clock.after(ASK_MS, () => late.abort());
  try {
    const reply = await port.request('tasks/get', { taskId }, { signal: AbortSignal.any([port.signal, late.signal]) });
    if (reply.kind === 'error') return 0;
    const ttlMs = reply.result.ttlMs ?? reply.result.ttl;
    return typeof ttlMs === 'number' ? ttlMs : 'forever';
  } catch (error) {
    if (port.signal.aborted) return 'forever';
    return late.signal.aborted || isTaskError(error) ? 'nobody' : 0;
  } finally {
    cancelTimer();
  }
}

function expiredError(taskId: string): TaskError {
  const what = `the time to live of task ${taskId} is over, and its server cannot be reached`;
  return new TaskError('TASK_NOT_FOUND', what);
}
