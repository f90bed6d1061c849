import { type ActOptions, isTerminal, OPERATOR, type Status, statuses, type TaskClient } from '../../index.ts';
import { findTasks, type TaskQuery } from './find-tasks.ts';

/** How many tasks of a filter are changed at once. */
export const MAX_AT_ONCE = 500;

/** Cancels the unfinished tasks of a filter; returns how many, and whether there may be more. */
export async function cancelMatching(
  client: TaskClient,
  query: TaskQuery,
  by: ActOptions,
): Promise<{ readonly cancelled: number; readonly hasMore: boolean }> {
  const { status, ...filter } = query;
  const open = (status === undefined ? statuses : [status]).filter((one) => !isTerminal(one));
  let cancelled = 0;
  let hasMore = false;
  for (const one of open) {
    const found = await findTasks(client, { ...filter, status: one as Status }, by.principal ?? OPERATOR);
    hasMore ||= found.nextCursor !== undefined;
    for (const { taskId } of found.tasks) {
      const ended = await client.cancel(taskId, { ...by, reason: 'cancelled on the dashboard, with others' });
      if (ended.cancelled) cancelled += 1;
    }
  }
  return { cancelled, hasMore };
}
