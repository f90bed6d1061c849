import { isOpen, type Json, type Task } from '../index.ts';
import { isObject } from '../is-object.ts';
import { cutText } from '../text/cut-text.ts';

const SHOWN_ARGS = 200;

/** What a list shows of a task: everything but what can be large. */
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

/** A tool that says that it failed has ended as the task wanted, and not as its caller did. */
function isErrorResult(value: Json | undefined): boolean {
  return isObject(value) && value.isError === true;
}

/** What the caller gave: tasks of a server keep it beside what was asked before they began. */
function toInput(args: Json): Json {
  return isObject<Json>(args) && 'upfront' in args ? (args.input ?? args) : args;
}

/** The arguments of a task with another input. */
export function withInput(args: Json, input: Json): Json {
  return isObject<Json>(args) && 'upfront' in args ? { ...args, input } : input;
}

function toArgsText(args: Json): string {
  if (!isObject<Json>(args)) return JSON.stringify(args) ?? '';
  // Only as much as is shown: arguments may be megabytes.
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
