/**
 * Computes how long a client is asked to wait before it polls again.
 *
 * Polling long before the end yields nothing, and polling rarely near the end delays the result: so the interval is a tenth of
 * the remaining time. When that is unknown, work that has taken long will probably go on for as long again, so the interval is a
 * tenth of the task's age. People take longer than programs.
 */
import { type Running, toWorkLeftMs } from './estimate.ts';
import { isOpen, type Question } from './question.ts';
import { isTerminal, type Status } from './status.ts';

const SHARE = 0.1;
const WORK_MS = { least: 1000, most: 15_000 };
const QUESTION_MS = { least: 2000, most: 60_000 };

export interface Polled extends Running {
  readonly status: Status;
  readonly createdAt: number;
  readonly updatedAt: number;
  readonly questions: readonly Question[];
  /** Set by the owner of the tool; used as is. */
  readonly pollIntervalMs?: number;
}

export function toPollIntervalMs(task: Polled, now: number): number {
  if (task.pollIntervalMs !== undefined) return task.pollIntervalMs;
  if (isTerminal(task.status)) return WORK_MS.least;
  const workMs = toShare(toWorkLeftMs(task, now) ?? now - task.createdAt, WORK_MS);
  return task.status === 'input_required' ? Math.max(workMs, toShare(toWaitedMs(task, now), QUESTION_MS)) : workMs;
}

/** Returns how long the oldest open question has been waiting. */
function toWaitedMs({ questions, updatedAt }: Polled, now: number): number {
  const asked = questions.filter(isOpen).map(({ askedAt }) => askedAt);
  return now - Math.min(...asked, updatedAt);
}

function toShare(ms: number, { least, most }: { readonly least: number; readonly most: number }): number {
  return Math.round(Math.min(most, Math.max(least, ms * SHARE)));
}
