/** Follows a task of 2025-11-25: `tasks/result` blocks until its end where the server allows that, and carries its questions. */
import { RPC_CODES } from '../../rpc-codes.ts';
import type { Json } from '../../task/json.ts';
import { type CallOutcome, type HostPort, isLineFailure, type JsonObject, type Reply } from '../host-port.ts';
import { PollBackoff } from '../shared/poll-backoff.ts';
import { RELATED_TASK } from '../shared/questions/related-task.ts';
import { withTtlBackstop } from '../shared/ttl-backstop.ts';
import type { TaskHandle2025 } from './host-half.ts';

const NOT_READY = RPC_CODES.NOT_READY;
// Errors that are final for the task or the server; any other error is treated as temporary.
const UNKNOWN_TASK = RPC_CODES.INVALID_PARAMS;
const UNKNOWN_METHOD = RPC_CODES.METHOD_NOT_FOUND;
const ENDED: readonly Json[] = ['completed', 'failed', 'cancelled'];

export function followTask2025(handle: TaskHandle2025, port: HostPort): Promise<CallOutcome> {
  const { taskId, expiresAt } = handle;
  return withTtlBackstop(port, { taskId, expiresAt }, (within) => follow(handle, within));
}

async function follow({ taskId, pollInterval }: TaskHandle2025, port: HostPort): Promise<CallOutcome> {
  const pace = new PollBackoff(port.clock, pollInterval);
  const stop = port.onNotification(({ method, params }) => {
    if (method !== 'notifications/tasks/status' || params.taskId !== taskId) return;
    showStatus(port, params);
    if (ENDED.includes(params.status ?? null)) pace.wakeUp();
  });
  try {
    for (;;) {
      port.signal.throwIfAborted();
      const asked = await ask(taskId, port);
      if (asked.kind === 'ended') return asked.outcome;
      await pace.wait(port.signal, asked.atLeastMs);
    }
  } finally {
    stop();
  }
}

type Asked =
  | { readonly kind: 'ended'; readonly outcome: CallOutcome }
  | { readonly kind: 'wait'; readonly atLeastMs: number };

const LATER: Asked = { kind: 'wait', atLeastMs: 0 };

/** Waits for the result on the server; when the connection breaks meanwhile, the request is sent again later. */
async function ask(taskId: string, port: HostPort): Promise<Asked> {
  try {
    const reply = await port.request('tasks/result', { taskId }, { signal: port.signal });
    if (reply.kind === 'result') return toEnded(toResult(reply.result, port));
    const { code, data } = reply.error;
    const { retryAfterMs } = (data ?? {}) as { retryAfterMs?: Json };
    if (code === NOT_READY) return { kind: 'wait', atLeastMs: typeof retryAfterMs === 'number' ? retryAfterMs : 0 };
    return await explain(taskId, port, reply);
  } catch (error) {
    if (isLineFailure(error)) return LATER;
    throw error;
  }
}

/** The error is the outcome if the task has ended; otherwise it is temporary, or the task does not exist. */
async function explain(taskId: string, port: HostPort, failed: Reply & { readonly kind: 'error' }): Promise<Asked> {
  const got = await port.request('tasks/get', { taskId });
  if (got.kind === 'error') {
    if (got.error.code !== UNKNOWN_TASK && got.error.code !== UNKNOWN_METHOD) return LATER;
    const reason = `the server does not know the task any more: ${got.error.message}`;
    return toEnded({ kind: 'interrupted', reason });
  }
  showStatus(port, got.result);
  const { status, statusMessage } = got.result;
  if (status === 'cancelled') return toEnded({ kind: 'cancelled', reason: toText(statusMessage) ?? 'cancelled' });
  return ENDED.includes(status ?? null) ? toEnded({ kind: 'error', error: failed.error }) : LATER;
}

function toResult(result: JsonObject, port: HostPort): CallOutcome {
  const { _meta, ...rest } = result;
  const { [RELATED_TASK]: _related, ...meta } = (_meta ?? {}) as { readonly [key: string]: Json };
  const whole = (Object.keys(meta).length > 0 ? { ...rest, _meta: meta } : rest) as JsonObject;
  port.update({ type: 'status', status: result.isError === true ? 'failed' : 'completed' });
  return { kind: 'result', result: whole, isError: result.isError === true };
}

function showStatus(port: HostPort, { status, statusMessage }: JsonObject): void {
  const message = toText(statusMessage);
  if (typeof status === 'string') port.update({ type: 'status', status, ...(message !== undefined && { message }) });
}

function toEnded(outcome: CallOutcome): Asked {
  return { kind: 'ended', outcome };
}

function toText(value: Json | undefined): string | undefined {
  return typeof value === 'string' ? value : undefined;
}
