/** A task in the list of calls: it lets a model that lost track find its call, and get its result. */

import type { Json } from '../../task/json.ts';
import { isOpen } from '../../task/question.ts';
import type { Task } from '../../task/record.ts';
import { isTerminal } from '../../task/status.ts';
import { shorten } from '../../text/cut-text.ts';
import { toWireOutcome } from '../shared/outcomes/wire-outcome.ts';
import { toDuration, toState } from './hand-over.ts';

export interface ListedOptions {
  readonly now: number;
  /** The prefix of the companion tools. */
  readonly prefix: string;
  /** The arguments of its call without hidden values; undefined when they are no longer stored. */
  readonly args: Json | undefined;
}

const MAX_ARGS = 200;

export function toListed(task: Task, { now, prefix, args }: ListedOptions): string {
  const { taskId, createdAt } = task;
  const state = isTerminal(task.status) ? toEnded(task) : toState(task, now);
  const age = toDuration(Math.max(0, now - createdAt));
  const given = args === undefined ? '' : ` with ${shorten(JSON.stringify(args), MAX_ARGS)}`;
  return [`${taskId}: ${state}`, `Called ${age} ago${given}.`, ...toNextStep(task, prefix)].join(' ');
}

/** How to continue with the task; empty when there is nothing to get. */
function toNextStep({ taskId, outcome, questions }: Task, prefix: string): string[] {
  if (outcome?.kind === 'cancelled' || outcome?.kind === 'expired') return [];
  const what = !outcome && questions.some(isOpen) ? 'For its question' : 'For its result';
  return [`${what} call ${prefix}task_wait with ${JSON.stringify({ task_id: taskId })}.`];
}

export function toEnded(task: Task): string {
  const { tool, status, outcome, statusMessage } = task;
  // The stored error may name files and programs of this machine, so its public form is shown.
  const ending = outcome?.kind === 'error' ? toWireOutcome(task) : undefined;
  const why = ending?.kind === 'error' ? ending.error.message : statusMessage;
  return `${tool} ended as ${status}${why === undefined ? '' : `: ${why}`}.`;
}
