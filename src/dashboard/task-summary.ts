import { isOpen, type Json, type Task } from '../index.ts';
import { isObject } from '../is-object.ts';
import { cutText } from '../text/cut-text.ts';

const SHOWN_ARGS = 200;

/** A task as shown in lists: without fields that can be large. */
export interface TaskSummary
  extends Pick<
    Task,
    | 'taskId'
    | 'tool'
    | 'principal'
    | 'identity'
    | 'status'
    | 'statusMessage'
    | 'progress'
    | 'estimateMs'
    | 'createdAt'
    | 'updatedAt'
    | 'startedAt'
    | 'endedAt'
    | 'attempt'
    | 'maxAttempts'
    | 'idempotent'
    | 'worker'
    | 'labels'
    | 'lastSeq'
    | 'questions'
  > {
  /** The beginning of the arguments. */
  readonly argsText: string;
  readonly isError: boolean;
  readonly outcomeKind?: string;
}

export function toSummary(task: Task): TaskSummary {
  const { args, outcome, questions } = task;
  const { taskId, tool, principal, identity, status, createdAt, updatedAt, attempt, maxAttempts, idempotent, lastSeq } =
    task;
  return {
    ...{ taskId, tool, principal, identity, status, createdAt, updatedAt, attempt, maxAttempts, idempotent, lastSeq },
    ...pick(task, ['statusMessage', 'progress', 'estimateMs', 'startedAt', 'endedAt', 'worker', 'labels']),
    questions: questions.filter(isOpen),
    argsText: cutText(toArgsText(toInput(args)), SHOWN_ARGS),
    isError: isErrorResult(outcome?.kind === 'result' ? outcome.value : undefined),
    ...(outcome && { outcomeKind: outcome.kind }),
  };
}

function pick<Key extends keyof Task>(task: Task, keys: readonly Key[]): Pick<Task, Key> {
  return Object.fromEntries(keys.flatMap((key) => (task[key] === undefined ? [] : [[key, task[key]]]))) as never;
}

/** Whether a result has `isError`: the task completed, but the tool reports a failure to its caller. */
function isErrorResult(value: Json | undefined): boolean {
  return isObject(value) && value.isError === true;
}

/** Returns the caller's arguments: a server's task stores them beside the answers given before it began (`upfront`). */
function toInput(args: Json): Json {
  return isObject<Json>(args) && 'upfront' in args ? (args.input ?? args) : args;
}

/** Replaces the input in the arguments of a task. */
export function withInput(args: Json, input: Json): Json {
  return isObject<Json>(args) && 'upfront' in args ? { ...args, input } : input;
}

function toArgsText(args: Json): string {
  if (!isObject<Json>(args)) return JSON.stringify(args) ?? '';
  // Serializes only as much as is shown, because arguments may be megabytes.
  const parts: string[] = [];
  let size = 0;
  for (const [name, value] of Object.entries(args)) {
    const text = typeof value === 'string' ? JSON.stringify(value.slice(0, SHOWN_ARGS)) : JSON.stringify(value);
    parts.push(`${name}: ${text}`);
    size += text.length;
    if (size > SHOWN_ARGS) break;
  }
  return parts.join(', ');
}
