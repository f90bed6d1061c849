/**
 * MCP Tasks of 2026-07-28 (extension `io.modelcontextprotocol/tasks`), as they look on the wire.
 *
 * https://github.com/modelcontextprotocol/ext-tasks: specification/draft/tasks.md
 */
import { RPC_CODES } from '../../rpc-codes.ts';
import { toPollIntervalMs } from '../../task/poll-interval.ts';
import { isOpen } from '../../task/question.ts';
import type { Task } from '../../task/record.ts';
import { RpcFailure } from '../shared/outcomes/rpc-failure.ts';
import { toWireOutcome } from '../shared/outcomes/wire-outcome.ts';
import { toInputRequests } from '../shared/questions/input-requests.ts';
import { canAnswer, type InputCapabilities, toCapability } from '../shared/questions/mcp-input.ts';
import { PROGRESS_META } from '../shared/tasks-extension.ts';

type Status2026 = 'working' | 'input_required' | 'completed' | 'failed' | 'cancelled';

export interface Task2026 {
  readonly taskId: string;
  readonly status: Status2026;
  readonly statusMessage?: string;
  readonly createdAt: string;
  readonly lastUpdatedAt: string;
  readonly ttlMs: number | null;
  readonly pollIntervalMs: number;
  readonly [key: string]: unknown;
}

/** The client that reads a task. */
export interface TaskReader {
  readonly capabilities: InputCapabilities;
  /** The current time of the store. */
  readonly now: number;
}

/** The answer to `tools/call` that hands out a task. */
export function toCreateTaskResult(task: Task, now: number): Task2026 & { readonly resultType: 'task' } {
  return { resultType: 'task', ...toTask(task, toRunningStatus(task), now) };
}

/**
 * A task with its questions, result or error inlined, for `tasks/get` and `notifications/tasks`.
 *
 * @param reader what the client that reads it can be asked, and when it reads
 */
export function toDetailedTask(task: Task, { capabilities, now }: TaskReader): Task2026 {
  const ending = toWireOutcome(task);
  switch (ending.kind) {
    case 'running':
      return toRunningStatus(task) === 'input_required'
        ? toWaitingTask(task, { capabilities, now })
        : toWorkingTask(task, now);
    case 'result':
      // Clients in the field require `resultType` on the inlined result too.
      return { ...toTask(task, 'completed', now), result: { resultType: 'complete', ...ending.result } };
    case 'error':
      return { ...toTask(task, 'failed', now), statusMessage: ending.error.message, error: ending.error };
    case 'cancelled':
      return { ...toTask(task, 'cancelled', now), statusMessage: ending.reason };
    case 'expired':
      throw new RpcFailure(RPC_CODES.INVALID_PARAMS, `Failed to retrieve task: Task has expired. ${ending.reason}`);
  }
}

// Progress in whole hundredths, as subscribers are notified of each change.
function toWorkingTask(task: Task, now: number): Task2026 {
  const value = task.progress?.value ?? -1;
  const isShare = value >= 0 && value <= 1;
  return {
    ...toTask(task, 'working', now),
    ...(isShare && { _meta: { [PROGRESS_META]: Math.floor(value * 100) / 100 } }),
  };
}

/**
 * Shows the client only questions that it can answer:
 * https://modelcontextprotocol.io/specification/2026-07-28/basic/patterns/mrtr: a client is never asked what it has not
 * declared. Other questions stay open for clients that can answer them, and the message names the missing capability.
 */
function toWaitingTask(task: Task, { capabilities, now }: TaskReader): Task2026 {
  const questions = task.questions.filter((question) => canAnswer(question, capabilities));
  const hidden = task.questions.filter((question) => isOpen(question) && !questions.includes(question));
  const missing = [...new Set(hidden.map(toCapability))].join(', ');
  return {
    ...toTask(task, 'input_required', now),
    ...(missing !== '' && { statusMessage: `Waits for input that needs a capability not declared here: ${missing}` }),
    inputRequests: toInputRequests({ ...task, questions }),
  };
}

function toRunningStatus({ status }: Task): 'working' | 'input_required' {
  return status === 'input_required' ? 'input_required' : 'working';
}

function toTask(task: Task, status: Status2026, now: number): Task2026 {
  const { taskId, statusMessage, createdAt, updatedAt, expiresAt } = task;
  return {
    taskId,
    status,
    ...(statusMessage !== undefined && { statusMessage }),
    createdAt: new Date(createdAt).toISOString(),
    lastUpdatedAt: new Date(updatedAt).toISOString(),
    // Our TTL counts from the end of the task, and on the wire from its creation: unknown while the task runs.
    ttlMs: expiresAt === undefined ? null : Math.max(0, expiresAt - createdAt),
    pollIntervalMs: toPollIntervalMs(task, now),
  };
}
