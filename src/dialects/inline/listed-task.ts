/** A task as a list of calls tells it: so that a model that lost its thread finds its call, and gets its result. */

import type { Json } from '../../task/json.ts';
import { isOpen } from '../../task/question.ts';
import type { Task } from '../../task/record.ts';
import { isTerminal } from '../../task/status.ts';
import { shorten } from '../../text/cut-text.ts';
import { toWireOutcome } from '../shared/outcomes/wire-outcome.ts';
import { toDuration, toState } from './hand-over.ts';

export interface ListedOptions {
  readonly now: number;
  /** What stands before the names of the tools to wait with. */
  readonly prefix: string;
  /** What it was called with, without what is kept out of sight; nothing when that is gone. */
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

/** How to go on with it; nothing where there is nothing to be had. */
function toNextStep({ taskId, outcome, questions }: Task, prefix: string): string[] {
  if (outcome?.kind === 'cancelled' || outcome?.kind === 'expired') return [];
  const what = !outcome && questions.some(isOpen) ? 'For its question' : 'For its result';
  return [`${what} call ${prefix}task_wait with ${JSON.stringify({ task_id: taskId })}.`];
}

export function toEnded(task: Task): string {
  const { tool, status, outcome, statusMessage } = task;
  // What is kept may name files and programs of this machine.
  const ending = outcome?.kind === 'error' ? toWireOutcome(task) : undefined;
  const why = ending?.kind === 'error' ? ending.error.message : statusMessage;
  return `${tool} ended as ${status}${why === undefined ? '' : `: ${why}`}.`;
}
