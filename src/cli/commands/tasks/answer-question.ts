import { OPERATOR } from '../../../engine/task-client.ts';
import { TaskError } from '../../../errors.ts';
import { toPlainText } from '../../../plain-text.ts';
import type { Json } from '../../../task/json.ts';
import { type Answer, isOpen } from '../../../task/question.ts';
import type { Task } from '../../../task/record.ts';
import { readGiven } from '../../command-line/given-json.ts';
import { findTask } from '../../stores/find-task.ts';
import type { TasksAnswerContext } from './task-commands.ts';
import { type WithStore, withStore } from './with-store.ts';

/** Answers one open question. */
export function answerQuestion(context: TasksAnswerContext): Promise<number> {
  return withStore(context, { readOnly: false, run });
}

async function run(context: WithStore<TasksAnswerContext>): Promise<number> {
  const { access, args, terminal } = context;
  const { key, answer } = await parseAnswer(context);
  const task = await findTask(access, args[0] ?? '');
  const chosen = key ?? findOnlyKey(task);
  const result = await access.answer(task.taskId, { [chosen]: answer }, { principal: OPERATOR });
  // Somebody else was faster.
  if (!result.accepted.includes(chosen)) throw questionNotOpenError(task, chosen);
  if (terminal.json) terminal.printJson(result);
  else terminal.print(`answered ${toPlainText(chosen)}; the task is ${result.task.status}`);
  return 0;
}

interface Given {
  readonly key: string | undefined;
  readonly answer: Answer;
}

async function parseAnswer({ args: [, ...rest], values }: WithStore<TasksAnswerContext>): Promise<Given> {
  if (values.decline && values.cancel) throw new TaskError('USAGE', 'give --decline or --cancel, not both');
  if (values.decline || values.cancel) {
    const [key, extra] = rest;
    if (extra !== undefined) throw new TaskError('USAGE', 'give an answer, --decline or --cancel, not two of them');
    return { key, answer: { action: values.decline ? 'decline' : 'cancel' } };
  }
  const text = rest.at(-1);
  if (text === undefined)
    throw new TaskError('USAGE', 'the answer is missing; expected: JSON, - for stdin, --decline or --cancel');
  const content = parseJson(await readGiven(text));
  return { key: rest.length > 1 ? rest[0] : undefined, answer: { action: 'accept', content } };
}

function parseJson(text: string): Json {
  try {
    return JSON.parse(text) as Json;
  } catch {
    // Not repeated: it may be a secret.
    const expected = `expected a JSON value, for a form an object such as '{"confirm":true}', or - for stdin`;
    throw new TaskError('USAGE', `the answer is not JSON; ${expected}`);
  }
}

function findOnlyKey(task: Task): string {
  const open = task.questions.filter(isOpen);
  const [only] = open;
  if (only !== undefined && open.length === 1) return only.key;
  if (only === undefined) throw new TaskError('QUESTION_NOT_OPEN', `task ${task.taskId} has no open question`);
  const keys = open.map(({ key }) => key).join(', ');
  throw new TaskError('USAGE', `task ${task.taskId} has ${open.length} open questions; name one of: ${keys}`);
}

function questionNotOpenError(task: Task, key: string): TaskError {
  return new TaskError(
    'QUESTION_NOT_OPEN',
    `question ${JSON.stringify(key)} of task ${task.taskId} is not open any more`,
  );
}
