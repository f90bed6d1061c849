import type { Clock } from '../../clock.ts';
import type { TaskClient } from '../../engine/task-client.ts';
import { RPC_CODES } from '../../rpc-codes.ts';
import { toPollIntervalMs } from '../../task/poll-interval.ts';
import type { Task } from '../../task/record.ts';
import { isTerminal } from '../../task/status.ts';
import { invalidParams, RpcFailure } from '../shared/outcomes/rpc-failure.ts';
import { type ToolResult, toWireOutcome } from '../shared/outcomes/wire-outcome.ts';
import { askQuestions, keepAsking, type QuestionChannel } from '../shared/questions/question-request.ts';
import { findTask, parseTaskId } from './find-task.ts';
import { type ResultPolicy, shouldBlock, toBudgetMs } from './result-mode.ts';
import { toStatus2025, withRelatedTask } from './wire.ts';

export interface TaskResultRequest {
  readonly engine: TaskClient;
  readonly principal: string;
  readonly policy: ResultPolicy;
  readonly client: { readonly name: string } | undefined;
  readonly clock: Clock;
  /** Asks the client the task's questions while the request blocks. */
  readonly connection?: QuestionChannel | undefined;
  /** Called when the request blocks; `wait` is the request's own parameter. */
  readonly onWait?: (task: Task, wait: boolean | undefined) => void;
  /** Ends the wait when the client can no longer be answered. */
  readonly signal?: AbortSignal | undefined;
}

const NOT_READY = RPC_CODES.NOT_READY;
const REQUEST_CANCELLED = RPC_CODES.REQUEST_CANCELLED;

/**
 * `tasks/result`: resolves with what the call itself would have got, or rejects with an `RpcFailure` -32002 when the
 * result is not ready and may not be waited for any longer.
 *
 * Rejects with the reason of the signal.
 */
export async function taskResult(request: TaskResultRequest, params: unknown): Promise<ToolResult> {
  const { engine, principal, policy, client, connection } = request;
  const taskId = parseTaskId('tasks/result', params);
  const wait = parseWait(params);
  const task = await findTask(engine, principal, taskId);
  if (isTerminal(task.status)) return toFinalResult(task);
  if (shouldBlock(policy, client?.name, wait)) {
    request.onWait?.(task, wait);
    return waitForResult(request, task, toBudgetMs(policy, wait));
  }
  // A client that only ever retries must still get the question that its task waits for.
  if (connection) await askQuestions(connection, task);
  const status = toStatus2025(task);
  const message = `Task result is not ready; task is still '${status}'. Poll tasks/get and retry tasks/result.`;
  throw notReady(task, message, engine.now());
}

async function waitForResult(request: TaskResultRequest, task: Task, budgetMs: number): Promise<ToolResult> {
  const { engine, principal, clock, signal } = request;
  const stop = new AbortController();
  const onAbort = () => stop.abort();
  signal?.throwIfAborted();
  signal?.addEventListener('abort', onAbort);
  const stopTimer = Number.isFinite(budgetMs) ? clock.after(budgetMs, onAbort) : undefined;
  try {
    await watchAndAsk(request, task, stop.signal);
    signal?.throwIfAborted();
  } finally {
    stopTimer?.();
    signal?.removeEventListener('abort', onAbort);
  }
  const now = await findTask(engine, principal, task.taskId);
  if (isTerminal(now.status)) return toFinalResult(now);
  const message = 'Task result is not ready within the host-safe wait budget; poll tasks/get and retry tasks/result.';
  throw notReady(now, message, engine.now());
}

/** Resolves when the task has ended or the signal aborts; asks the client the task's questions meanwhile. */
async function watchAndAsk(request: TaskResultRequest, task: Task, signal: AbortSignal): Promise<void> {
  const { engine, principal, connection } = request;
  const { taskId, lastSeq } = task;
  const read = () => findTask(engine, principal, taskId);
  const stopAsking = connection && keepAsking(connection, taskId, read);
  try {
    if (connection) await askQuestions(connection, task);
    for await (const event of engine.watch(taskId, { principal, afterSeq: lastSeq, signal })) {
      if (event.type === 'asked' && connection) await askQuestions(connection, await read());
    }
  } finally {
    stopAsking?.();
  }
}

function toFinalResult(task: Task): ToolResult {
  const ending = toWireOutcome(task);
  switch (ending.kind) {
    case 'result':
      return withRelatedTask(ending.result, task.taskId);
    case 'error':
      throw new RpcFailure(ending.error.code, ending.error.message, ending.error.data);
    case 'cancelled':
      throw new RpcFailure(REQUEST_CANCELLED, `Cancelled: ${ending.reason}`);
    case 'expired':
    case 'running':
      throw new Error(`task ${task.taskId} is ${ending.kind} and has no result`);
  }
}

/** Some clients send `null` for a field that they leave out. */
function parseWait(params: unknown): boolean | undefined {
  const { wait } = params as { readonly wait?: unknown };
  if (typeof wait === 'boolean') return wait;
  if (wait === undefined || wait === null) return undefined;
  throw invalidParams('Invalid params: tasks/result wait must be a boolean');
}

function notReady(task: Task, message: string, now: number): RpcFailure {
  const data = { taskId: task.taskId, status: toStatus2025(task), retryAfterMs: toPollIntervalMs(task, now) };
  return new RpcFailure(NOT_READY, message, data);
}
