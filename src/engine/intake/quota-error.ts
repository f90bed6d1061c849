import { TaskError } from '../../errors.ts';
import { RETRY_AFTER_MS } from '../../limits.ts';
import type { CreateResult, Share } from '../../store/contracts/task-contract.ts';
import type { NewTask } from '../../task/record.ts';

type OverShare = Extract<CreateResult, { kind: 'over-share' }>;

/** What the error about a refused task needs. */
interface Refused {
  readonly share: Share;
  readonly task: NewTask;
  readonly sweepMs: number;
}

const WORDS = {
  queued: (used: number, max: number) => `${used} of your tasks are waiting; expected at most ${max}`,
  storedBytes: (used: number, max: number) =>
    `your tasks take ${used} bytes and this one would be too much; expected at most ${max}`,
} as const;

/** Returns the error for a task beyond its principal's share: which limit, and when to retry. */
export function quotaError({ limit, used }: OverShare, { share, task, sweepMs }: Refused): TaskError {
  const max = share[limit];
  // A place in the queue is freed when a task has run, room in the store when a sweep has passed.
  const waitMs = limit === 'queued' ? (task.estimateMs ?? RETRY_AFTER_MS.min) : sweepMs;
  const retryAfterMs = Math.min(RETRY_AFTER_MS.max, Math.max(RETRY_AFTER_MS.min, Math.ceil(waitMs)));
  const text = `quota exceeded (${limit}): ${WORDS[limit](used, max)}; come again in ${Math.ceil(retryAfterMs / 1000)} s`;
  return new TaskError('QUOTA_EXCEEDED', text, { data: { limit, max, used, retryAfterMs } });
}
