/** The open questions of a task, as one `input_required` answer asks them (2026-07-28), and their answers. */
import { type Answer, isOpen } from '../../../task/question.ts';
import type { Task } from '../../../task/record.ts';
import { toAnswer, toInputRequest } from './mcp-input.ts';

/** Returns the questions that the client still has to answer, by key. */
export function toInputRequests(task: Task): { [key: string]: ReturnType<typeof toInputRequest> } {
  const open = task.questions.filter(isOpen);
  return Object.fromEntries(open.map((question) => [question.key, toInputRequest(task.taskId, question)]));
}

/** Returns the answers among these responses to questions that are open. */
export function toAnswers(task: Task, responses: { readonly [key: string]: unknown }): Record<string, Answer> {
  const answers: Record<string, Answer> = {};
  for (const question of task.questions.filter(isOpen)) {
    if (Object.hasOwn(responses, question.key)) answers[question.key] = toAnswer(question, responses[question.key]);
  }
  return answers;
}
