/** When and how often a task may be run again. */
export interface RetryPolicy {
  /** Attempts in all, the first included. */
  readonly maxAttempts: number;
  readonly firstDelayMs: number;
  readonly maxDelayMs: number;
}

export const DEFAULT_RETRY: RetryPolicy = { maxAttempts: 3, firstDelayMs: 1000, maxDelayMs: 60_000 };

/** Returns half to all of a window that doubles with each attempt: tasks that failed together are not retried together. */
export function toRetryDelay(policy: RetryPolicy, attempt: number, random: () => number = Math.random): number {
  const doublings = Math.min(30, Math.max(0, attempt - 1));
  const window = Math.min(policy.maxDelayMs, policy.firstDelayMs * 2 ** doublings);
  return Math.round(window * (0.5 + random() / 2));
}
