/** How many past runs of a tool an estimate learns from. */
export const LEARNED_RUNS = 20;

/** The middle value; nothing for an empty list. */
export function toMedian(values: readonly number[]): number | undefined {
  if (values.length === 0) return undefined;
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  const upper = sorted[middle] as number;
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] as number) + upper) / 2;
}

export interface Running {
  readonly startedAt?: number;
  readonly estimateMs?: number;
  readonly progress?: { readonly value: number };
}

/**
 * Time left, in ms: from the progress made so far when there is any, else from the estimate.
 *
 * Early progress says little, so the two are mixed in proportion to the progress.
 */
export function toRemainingMs(task: Running, now: number): number | undefined {
  if (task.startedAt === undefined) return task.estimateMs;
  const elapsed = Math.max(0, now - task.startedAt);
  const planned = task.estimateMs === undefined ? undefined : Math.max(0, task.estimateMs - elapsed);
  const done = task.progress?.value ?? 0;
  if (done <= 0 || done > 1) return planned;
  const measured = (elapsed * (1 - done)) / done;
  return Math.round(planned === undefined ? measured : planned * (1 - done) + measured * done);
}
