import type { TaskClient } from '../../engine/task-client.ts';
import { isTaskError } from '../../errors.ts';
import type { Task } from '../../task/record.ts';
import { invalidParams } from '../shared/outcomes/rpc-failure.ts';
import { isTask2025 } from '../shared/questions/related-task.ts';

/** Those that have no methods of their own: jobs, which say that they are tasks, and calls answered by a log or a stream. */
const WITHOUT_METHODS = ['job', 'ui-prompts', 'stream'];

/** Whether a task can be read in this dialect. */
export function isReadable2025(task: Task): boolean {
  return isTask2025(task) || WITHOUT_METHODS.includes(task.labels?.dialect ?? '');
}

/** The task a request names. What is not the client's to see is unknown, and what has expired says so. */
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
