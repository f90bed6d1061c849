import { OPERATOR } from '../../../engine/task-client.ts';
import { TaskError } from '../../../errors.ts';
import type { Json } from '../../../task/json.ts';
import { type Answer, isOpen, type Question } from '../../../task/question.ts';
import type { Task } from '../../../task/record.ts';
import { toPlainText } from '../../../text/plain-text.ts';
import { readJsonArgument } from '../../command-line/json-argument.ts';
import { findTask } from '../../stores/find-task.ts';
import { askQuestion } from '../../terminal/ask-question.ts';
import { toExampleOf } from '../../terminal/form/form-field.ts';
import type { TasksAnswerContext } from './task-commands.ts';
import { type WithStore, withTask } from './with-store.ts';

/** Answers one open question. */
export function answerQuestion(context: TasksAnswerContext): Promise<number> {
  return withTask(context, { readOnly: false, run });
}

async function run(context: WithStore<TasksAnswerContext>): Promise<number> {
  const { access, args, terminal } = context;
  checkGiven(context);
  const task = await findTask(access, args[0] ?? '');
  const { key, answer } = await readAnswer(task, context);
  const result = await access.answer(task.taskId, { [key]: answer }, { principal: OPERATOR });
  // The question was answered by someone else in the meantime.
  if (!result.accepted.includes(key)) throw questionNotOpenError(task, key);
  if (terminal.json) terminal.printJson(result);
  else terminal.print(`answered ${toPlainText(key)}; the task is ${result.task.status}`);
  return 0;
}

interface Given {
  readonly key: string;
  readonly answer: Answer;
}

function checkGiven({ args, values }: WithStore<TasksAnswerContext>): void {
  if (values.decline && values.cancel) throw new TaskError('USAGE', 'give --decline or --cancel, not both');
  if ((values.decline || values.cancel) && args[2] !== undefined) {
    throw new TaskError('USAGE', 'give an answer, --decline or --cancel, not two of them');
  }
}

/** If only one word follows the task, it is a key if some question has that key, otherwise the answer. */
async function readAnswer(task: Task, context: WithStore<TasksAnswerContext>): Promise<Given> {
  const [, first, second] = context.args;
  const { decline, cancel } = context.values;
  if (decline || cancel) {
    return { key: first ?? findOnlyKey(task), answer: { action: decline ? 'decline' : 'cancel' } };
  }
  const isKey = second !== undefined || task.questions.some(({ key }) => key === first);
  const text = isKey ? second : first;
  const key = isKey && first !== undefined ? first : undefined;
  const content = text === undefined ? undefined : parseJson(await readJsonArgument(text));
  if (content !== undefined) return { key: key ?? findOnlyKey(task), answer: { action: 'accept', content } };
  return ask(task, key ?? findOnlyKey(task), context);
}

/** Asks the person at the terminal, as a call that waits for the answer would. */
async function ask(task: Task, key: string, { terminal }: WithStore<TasksAnswerContext>): Promise<Given> {
  const question = task.questions.find((one) => one.key === key && isOpen(one));
  if (!question) throw questionNotOpenError(task, key);
  if (!terminal.keyboard.canAsk || terminal.json) throw missingAnswerError(question);
  const answer = await askQuestion(question, { terminal, tool: task.tool });
  // Dismissing with Ctrl-C is not an answer: the question stays open.
  if (!answer) throw new TaskError('USAGE', 'not answered: --decline says no, --cancel dismisses the question');
  return { key, answer };
}

function missingAnswerError({ request }: Question): TaskError {
  const example = request.kind === 'form' ? ` such as '${JSON.stringify(toExampleOf(request.schema))}'` : '';
  const expected = `JSON${example}, - for stdin, --decline or --cancel`;
  return new TaskError('USAGE', `the answer is missing; expected: ${expected}`);
}

function parseJson(text: string): Json {
  try {
    return JSON.parse(text) as Json;
  } catch {
    // The text is not repeated in the message: it may be a secret.
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
