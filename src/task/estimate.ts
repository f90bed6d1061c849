import type { Question } from './question.ts';
import { isTerminal, type Status } from './status.ts';

/** How many past runs of a tool an estimate learns from. */
export const LEARNED_RUNS = 20;

/** From this much on progress alone counts: what is left must never contradict how far it is. */
const TRUSTED = { share: 0.1, workedMs: 1000 };
/** With nothing to mix it with, progress says nothing below this share. */
const TELLING_SHARE = 0.02;

/** The middle value; nothing for an empty list. */
export function toMedian(values: readonly number[]): number | undefined {
  if (values.length === 0) return undefined;
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  const upper = sorted[middle] as number;
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] as number) + upper) / 2;
}

/** What the time left is computed from. */
export interface Running {
  readonly status?: Status;
  readonly startedAt?: number;
  readonly updatedAt?: number;
  readonly estimateMs?: number;
  readonly progress?: { readonly value: number };
  readonly questions?: readonly Pick<Question, 'askedAt' | 'answeredAt' | 'answer'>[];
}

/** Time that is left, in ms; nothing when it is not known, as while somebody has to answer. */
export function toRemainingMs(task: Running, now: number): number | undefined {
  return isWaiting(task) ? undefined : toWorkLeftMs(task, now);
}

/**
 * Time of work that is left, in ms; nothing when it is not known.
 *
 * - Progress of a tenth or more, after a second of work or more: from the progress alone, by the work done so far.
 * - Less progress: mixed with what is left of the estimate, in proportion. Without an estimate, from 2 % on.
 * - No progress: what is left of the estimate; nothing once the work has taken longer than that.
 *
 * Waiting for an answer or in the queue is no work, neither what was nor what is to come.
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

/** How long the work has been going on since its first attempt began, without the time that it waited. */
function toWorkedMs({ startedAt, status, updatedAt, questions = [] }: Running, now: number): number {
  if (startedAt === undefined) return 0;
  // Nothing has happened to a task in the queue since it went there.
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

/** A task as the attempt that ended it had claimed it. */
export interface Claimed extends Running {
  readonly attempt: number;
  readonly updatedAt: number;
}

/**
 * What a run teaches of how long its tool works, in ms; nothing when it teaches nothing.
 *
 * A task that was parked goes on with what it had done before, so that belongs to it; the time in which it waited for
 * answers does not. Of one that was begun again after a loss nobody knows what was repeated.
 */
export function toLearnedMs(claimed: Claimed, ranMs: number): number | undefined {
  const { questions = [], attempt, updatedAt } = claimed;
  if (questions.length === 0) return ranMs;
  return attempt === 1 ? Math.round(toWorkedMs(claimed, updatedAt) + ranMs) : undefined;
}

/** Progress as a share; nothing when there is none yet, or no total to compare it with. */
function toShareDone({ progress }: Running): number | undefined {
  const value = progress?.value ?? 0;
  return value > 0 && value <= 1 ? value : undefined;
}

/** An estimate that has turned out to be too short says nothing of what is left. */
function toPlannedMs({ estimateMs }: Running, workedMs: number): number | undefined {
  if (estimateMs === undefined) return undefined;
  return workedMs === 0 || workedMs < estimateMs ? estimateMs - workedMs : undefined;
}
