import type { TaskClient } from '../../engine/task-client.ts';
import { isTaskError } from '../../errors.ts';
import type { Task } from '../../task/record.ts';
import { invalidParams } from '../shared/outcomes/rpc-failure.ts';
import { isTask2025 } from '../shared/questions/related-task.ts';

/** Dialects without methods of their own: jobs, which are announced as tasks, and calls answered by a log or a stream. */
const WITHOUT_METHODS = ['job', 'ui-prompts', 'stream'];

/** Whether a task can be read in this dialect. */
export function isReadable2025(task: Task): boolean {
  return isTask2025(task) || WITHOUT_METHODS.includes(task.labels?.dialect ?? '');
}

/** Returns the task that a request names. A task the client may not see is unknown; an expired task is reported as expired. */
export async function findTask(engine: Pick<TaskClient, 'get'>, principal: string, taskId: string): Promise<Task> {
  const task = await engine.get(taskId, { principal }).catch((error: unknown) => {
    if (isTaskError(error, 'TASK_NOT_FOUND')) return undefined;
    throw error;
  });
  // A task that can be read must be listed too, so one that is not listed cannot be read.
  if (!task || !isReadable2025(task)) throw invalidParams('Failed to retrieve task: Task not found');
  if (task.outcome?.kind === 'expired') {
    throw invalidParams(`Failed to retrieve task: Task has expired (${task.outcome.reason})`);
  }
  return task;
}

export function parseTaskId(method: string, params: unknown): string {
  const taskId = (params as { readonly taskId?: unknown } | null | undefined)?.taskId;
  if (typeof taskId === 'string' && taskId !== '') return taskId;
  throw invalidParams(`Invalid params: ${method} requires non-empty string taskId`);
}
