import type { Task } from '../../task/record.ts';

/** Where a result says that it is that of an earlier call. */
const JOINED_META = 'holdfast/joined';

/** The result of a task that had ended before the call came, with its task and how old it is. */
export function withJoined(
  result: { readonly [key: string]: unknown },
  { taskId, endedAt = 0 }: Task,
  now: number,
): { [key: string]: unknown } {
  const _meta = {
    ...(result._meta as object | undefined),
    [JOINED_META]: { taskId, ageMs: Math.max(0, now - endedAt) },
  };
  return { ...result, _meta };
}
