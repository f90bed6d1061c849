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

/** What became of a wish to run many tasks again. */
export interface RerunMany {
  readonly rerun: number;
  /** Those that cannot be run again, such as expired ones. */
  readonly refused: number;
  /** Why the first of them cannot. */
  readonly why?: string;
  readonly hasMore: boolean;
}

/** Runs what has ended of the tasks that a filter finds once more, the oldest first. */
export async function rerunMatching(client: TaskClient, query: TaskQuery, by: ActOptions): Promise<RerunMany> {
  const { status, ...filter } = query;
  const ended: Task[] = [];
  let hasMore = false;
  // All are found before the first is run again, which would be found too.
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

/** Why it cannot be run again; nothing when it is. */
async function rerunOne(client: TaskClient, taskId: string, by: ActOptions): Promise<string | undefined> {
  try {
    await client.rerun(taskId, by);
    return undefined;
  } catch (error) {
    if (isTaskError(error, 'INVALID_ARGUMENT') || isTaskError(error, 'TASK_NOT_FOUND')) return error.message;
    throw error;
  }
}
