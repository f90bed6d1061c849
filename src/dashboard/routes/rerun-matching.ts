import {
  type ActOptions,
  isTaskError,
  isTerminal,
  OPERATOR,
  statuses,
  type Task,
  type TaskClient,
} from '../../index.ts';
import { findTasks, type TaskQuery } from './find-tasks.ts';

/** The result of running many tasks again. */
export interface RerunMany {
  readonly rerun: number;
  /** How many cannot be run again, for example because they have expired. */
  readonly refused: number;
  /** Why the first of them cannot. */
  readonly why?: string;
  readonly hasMore: boolean;
}

/** Runs the ended tasks of a filter again, oldest first. */
export async function rerunMatching(client: TaskClient, query: TaskQuery, by: ActOptions): Promise<RerunMany> {
  const { status, ...filter } = query;
  const ended: Task[] = [];
  let hasMore = false;
  // All tasks are found before the first is run again, because its new run would be found too.
  for (const one of statuses.filter((each) => isTerminal(each) && (status ?? each) === each)) {
    const found = await findTasks(client, { ...filter, status: one }, by.principal ?? OPERATOR);
    hasMore ||= found.nextCursor !== undefined;
    ended.push(...found.tasks);
  }
  const reasons: string[] = [];
  for (const { taskId } of ended.sort((a, b) => a.createdAt - b.createdAt)) {
    const reason = await rerunOne(client, taskId, by);
    if (reason !== undefined) reasons.push(reason);
  }
  const [why] = reasons;
  return { rerun: ended.length - reasons.length, refused: reasons.length, ...(why !== undefined && { why }), hasMore };
}

/** Returns why a task cannot be run again; undefined when it was. */
async function rerunOne(client: TaskClient, taskId: string, by: ActOptions): Promise<string | undefined> {
  try {
    await client.rerun(taskId, by);
    return undefined;
  } catch (error) {
    if (isTaskError(error, 'INVALID_ARGUMENT') || isTaskError(error, 'TASK_NOT_FOUND')) return error.message;
    throw error;
  }
}
