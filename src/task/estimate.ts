import type { Question } from './question.ts';
import { isTerminal, type Status } from './status.ts';

/** How many past runs of a tool an estimate is learned from. */
export const LEARNED_RUNS = 20;

/** From this progress on, only progress counts, so that the remaining time never contradicts it. */
const TRUSTED = { share: 0.1, workedMs: 1000 };
/** Without an estimate to mix it with, progress below this share is ignored. */
const TELLING_SHARE = 0.02;

/** Returns the median; `undefined` for an empty list. */
export function toMedian(values: readonly number[]): number | undefined {
  if (values.length === 0) return undefined;
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  const upper = sorted[middle] as number;
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] as number) + upper) / 2;
}

/** The fields of a task from which its remaining time is computed. */
export interface Running {
  readonly status?: Status;
  readonly startedAt?: number;
  readonly updatedAt?: number;
  readonly estimateMs?: number;
  readonly progress?: { readonly value: number };
  readonly questions?: readonly Pick<Question, 'askedAt' | 'answeredAt' | 'answer'>[];
}

/** Returns the remaining time in ms; `undefined` when it is not known, such as while a question waits for its answer. */
export function toRemainingMs(task: Running, now: number): number | undefined {
  return isWaiting(task) ? undefined : toWorkLeftMs(task, now);
}

/**
 * Returns the remaining working time in ms; `undefined` when it is not known.
 *
 * - Progress of a tenth or more, after a second of work or more: from the progress alone, by the time worked so far.
 * - Less progress: mixed with the rest of the estimate, in proportion. Without an estimate, from 2 % on.
 * - No progress: the rest of the estimate; `undefined` once the work has taken longer than the estimate.
 *
 * Time in the queue or waiting for an answer does not count as work, neither past nor future.
 */
export function toWorkLeftMs(task: Running, now: number): number | undefined {
  if (task.status !== undefined && isTerminal(task.status)) return undefined;
  const done = toShareDone(task);
  if (done === 1) return 0;
  const workedMs = toWorkedMs(task, now);
  const plannedMs = toPlannedMs(task, workedMs);
  if (done === undefined) return plannedMs;
  const measuredMs = Math.round((workedMs * (1 - done)) / done);
  if (plannedMs === undefined) return done < TELLING_SHARE ? undefined : measuredMs;
  const trust = Math.min(1, done / TRUSTED.share, workedMs / TRUSTED.workedMs);
  return Math.round(measuredMs * trust + plannedMs * (1 - trust));
}

function isWaiting({ status, questions = [] }: Running): boolean {
  return status === 'input_required' || questions.some(({ answer }) => answer === undefined);
}

/** Returns the time worked since the first attempt began, without the time spent waiting. */
function toWorkedMs({ startedAt, status, updatedAt, questions = [] }: Running, now: number): number {
  if (startedAt === undefined) return 0;
  // A queued task has not been updated since it entered the queue.
  const until = status === 'queued' ? Math.min(now, updatedAt ?? now) : now;
  let workedMs = until - startedAt;
  let countedTo = startedAt;
  for (const question of [...questions].sort((a, b) => a.askedAt - b.askedAt)) {
    const from = Math.max(question.askedAt, countedTo);
    const to = Math.min(until, question.answer === undefined ? until : (question.answeredAt ?? question.askedAt));
    if (to <= from) continue;
    workedMs -= to - from;
    countedTo = to;
  }
  return Math.max(0, workedMs);
}

/** A task in the state in which the attempt that ended it had claimed it. */
export interface Claimed extends Running {
  readonly attempt: number;
  readonly updatedAt: number;
}

/**
 * Returns the working time in ms that an estimate can learn from a run; `undefined` when it can learn nothing.
 *
 * A parked task continues its earlier work, so that is included; the time it waited for answers is not. For a task that was
 * restarted after a loss, it is unknown which work was repeated.
 */
export function toLearnedMs(claimed: Claimed, ranMs: number): number | undefined {
  const { questions = [], attempt, updatedAt } = claimed;
  if (questions.length === 0) return ranMs;
  return attempt === 1 ? Math.round(toWorkedMs(claimed, updatedAt) + ranMs) : undefined;
}

/** Returns the progress as a share; `undefined` when there is none yet, or no total to relate it to. */
function toShareDone({ progress }: Running): number | undefined {
  const value = progress?.value ?? 0;
  return value > 0 && value <= 1 ? value : undefined;
}

/** Returns the rest of the estimate; `undefined` once the work has taken longer than the estimate. */
function toPlannedMs({ estimateMs }: Running, workedMs: number): number | undefined {
  if (estimateMs === undefined) return undefined;
  return workedMs === 0 || workedMs < estimateMs ? estimateMs - workedMs : undefined;
}
