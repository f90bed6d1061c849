/**
 * The hand-over: what a client without tasks gets when its call takes longer than the client would wait. It is a normal
 * tool result, in words for the model and for the person who reads along.
 */
import { toRemainingMs } from '../../task/estimate.ts';
import type { Json } from '../../task/json.ts';
import { isOpen, type Question, toAwaitedText } from '../../task/question.ts';
import type { Task } from '../../task/record.ts';
import type { ToolResult } from '../shared/outcomes/wire-outcome.ts';
import { NOT_THE_RESULT, TASK_META } from '../shared/tasks-extension.ts';

export interface HandOverOptions {
  readonly now: number;
  /** Set for tools with an output schema: clients that validate results accept only errors without structured content. */
  readonly isError: boolean;
  /** The prefix of the companion tools, as the client is shown them. */
  readonly prefix: string;
  /** The number of the next wait. It is one of the arguments, as some clients stop a model that repeats itself. */
  readonly turn: number;
}

export function toHandOver(task: Task, { now, isError, prefix, turn }: HandOverOptions): ToolResult {
  const open = task.questions.filter(isOpen);
  const lines = [
    toState(task, now),
    ...(open.length > 0 ? toAskLines(task, open, prefix) : toWaitLines(task, turn, prefix)),
    `Do not call ${task.tool} again for it. To stop it, call ${prefix}task_cancel.`,
  ];
  return {
    content: [{ type: 'text', text: lines.join('\n') }],
    ...(isError && { isError }),
    _meta: { [TASK_META]: toTaskMeta(task, now) },
  };
}

/** Returns one line that says how far a task is, and whether it waits for an answer. */
export function toState(task: Task, now: number): string {
  const { progress } = task;
  const share = progress && progress.value <= 1 ? `, ${Math.round(progress.value * 100)} % done` : '';
  const message = progress?.message === undefined ? '' : ` (${progress.message})`;
  const remainingMs = toRemainingMs(task, now);
  const left = remainingMs === undefined || remainingMs === 0 ? '' : `, about ${toDuration(remainingMs)} left`;
  const awaited = toAwaitedText(task.questions);
  const turn = task.status === 'queued' ? 'is waiting for its turn' : 'is still running';
  const state = awaited === undefined ? turn : `waits for ${awaited}`;
  return `${task.tool} ${state}${share}${message}${left}.`;
}

function toWaitLines({ taskId, tool }: Task, turn: number, prefix: string): string[] {
  return [
    `${NOT_THE_RESULT}: the work goes on.`,
    `To get the result, call ${prefix}task_wait with ${toArgs({ task_id: taskId, turn })}.`,
    `If you end your turn before that, tell the user: "${tool} goes on in the background (task ${taskId}); ask me for its result later."`,
  ];
}

function toAskLines(task: Task, open: readonly Question[], prefix: string): string[] {
  return [
    `${NOT_THE_RESULT}: the user has to answer first.`,
    'Ask the user and do not choose an answer yourself. You may end your turn to ask: the work waits.',
    ...open.map((question) => toQuestionText(task, question, `${prefix}task_answer`)),
  ];
}

function toQuestionText({ taskId }: Task, { key, request }: Question, tool: string): string {
  const args = toArgs({ task_id: taskId, key, content: '…' });
  switch (request.kind) {
    case 'form':
      return `It asks: ${request.message}\nGive their answer with ${tool} and ${args}, content being of the schema ${JSON.stringify(request.schema)}; if they refuse, with "action":"decline" instead of content.`;
    case 'url':
      return `It asks: ${request.message}\nHave them open ${request.url}, then call ${tool} with ${toArgs({ task_id: taskId, key })}.`;
    case 'sampling':
    case 'roots':
      return `It asks for ${request.kind}. Answer with ${tool} and ${args}.`;
  }
}

function toTaskMeta(task: Task, now: number): Json {
  const remainingMs = toRemainingMs(task, now);
  return {
    taskId: task.taskId,
    status: task.status === 'queued' ? 'working' : task.status,
    ...(task.progress && { progress: task.progress.value }),
    ...(remainingMs !== undefined && { remainingMs }),
  };
}

function toArgs(args: { readonly [key: string]: Json }): string {
  return JSON.stringify(args).replace('"…"', '{…}');
}

/** Returns a rounded duration, in words. */
export function toDuration(ms: number): string {
  if (ms < 90_000) return `${Math.max(1, Math.round(ms / 1000))} s`;
  if (ms < 5_400_000) return `${Math.round(ms / 60_000)} min`;
  return `${Math.round(ms / 360_000) / 10} h`;
}
