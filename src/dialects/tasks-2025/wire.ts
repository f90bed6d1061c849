/**
 * Tasks of MCP 2025-11-25, as they appear on the wire.
 *
 * https://modelcontextprotocol.io/specification/2025-11-25/basic/utilities/tasks
 */
import { toPollIntervalMs } from '../../task/poll-interval.ts';
import type { Task } from '../../task/record.ts';
import { toWireOutcome } from '../shared/outcomes/wire-outcome.ts';

export { withRelatedTask } from '../shared/questions/related-task.ts';

export type Status2025 = 'working' | 'input_required' | 'completed' | 'failed' | 'cancelled';

/** `Task` of the specification. */
export type Task2025 = {
  readonly taskId: string;
  readonly status: Status2025;
  readonly statusMessage?: string;
  readonly createdAt: string;
  readonly lastUpdatedAt: string;
  /** How long the task is kept, in ms; `null` for ever. */
  readonly ttl: number | null;
  readonly pollInterval: number;
};

const STATUS_NOTIFICATION = 'notifications/tasks/status';

/** A task as `tasks/get`, `tasks/list` and `tasks/cancel` show it. */
export function toTask2025(task: Task, now: number): Task2025 {
  const statusMessage = toStatusText(task);
  return {
    taskId: task.taskId,
    status: toStatus2025(task),
    ...(statusMessage === undefined ? {} : { statusMessage }),
    createdAt: toIso(task.createdAt),
    lastUpdatedAt: toIso(task.updatedAt),
    ttl: toTtl(task),
    pollInterval: toPollIntervalMs(task, now),
  };
}

/** The response to a task-augmented request: tasks start as `working`, whatever the status of this one is by now. */
export function toCreateTaskResult(task: Task, now: number): { readonly task: Task2025 } {
  const { statusMessage: _, ...started } = toTask2025(task, now);
  return { task: { ...started, status: 'working', ttl: task.ttlMs } };
}

/** Carries the whole task, and so no related-task metadata, as the specification requires. */
export function toStatusNotification(task: Task, now: number): { readonly method: string; readonly params: Task2025 } {
  return { method: STATUS_NOTIFICATION, params: toTask2025(task, now) };
}

/** A tool result with `isError` is a failed task in this dialect. */
export function toStatus2025(task: Task): Status2025 {
  if (task.status === 'queued') return 'working';
  const ending = toWireOutcome(task);
  return ending.kind === 'result' && ending.isError ? 'failed' : task.status;
}

/** The only text that clients show for a failed task. */
function toStatusText(task: Task): string | undefined {
  const ending = toWireOutcome(task);
  switch (ending.kind) {
    case 'result':
      return ending.isError ? (toText(ending.result.content) ?? 'The tool failed') : task.statusMessage;
    case 'error':
      return ending.error.message;
    case 'cancelled':
    case 'expired':
      return ending.reason;
    case 'running':
      return task.statusMessage;
  }
}

function toText(content: unknown): string | undefined {
  if (!Array.isArray(content)) return undefined;
  const texts = content.filter((part) => typeof part?.text === 'string' && part.text !== '').map((part) => part.text);
  return texts.length > 0 ? texts.join('\n') : undefined;
}

// The wire counts the TTL from the creation, the store from the end of the work: known once the work has ended.
function toTtl({ createdAt, expiresAt, ttlMs }: Task): number | null {
  return ttlMs === null || expiresAt === undefined ? ttlMs : expiresAt - createdAt;
}

function toIso(ms: number): string {
  return new Date(ms).toISOString();
}
