import type { JSONRPCMessage } from '@modelcontextprotocol/server';
import {
  type AskedQuestions,
  parseQuestionId,
  type QuestionRef,
  toQuestionId,
} from '../../dialects/shared/questions/asked-questions.ts';
import { isHeadlessAnswer } from '../../dialects/shared/questions/headless.ts';
import { toAnswer } from '../../dialects/shared/questions/mcp-input.ts';
import { isTask2025 } from '../../dialects/shared/questions/related-task.ts';
import { isTaskError } from '../../errors.ts';
import { isOpen } from '../../task/question.ts';
import { findProfile } from '../clients/profiles.ts';
import type { ServerParts } from '../server-parts.ts';

/** The client that answers. */
export interface Answerer {
  readonly principal: string;
  readonly asked: AskedQuestions;
}

// A program that always gives the same immediate answer must not be asked for ever.
const MAX_TURNS = 3;

/**
 * Records a client's response to a question of ours as its answer.
 *
 * The id names the task and the question, so any connection and any process that receives the response can do it.
 * Returns false when the message is not such a response.
 */
export function recordAnswer(parts: ServerParts, message: JSONRPCMessage, from: Answerer): boolean {
  const recorded = recordAnswerDurably(parts, message, from);
  recorded?.catch((error) => parts.report(error));
  return recorded !== undefined;
}

/**
 * Like `recordAnswer`, but resolves when the answer is on disk; returns undefined when the message is not such a
 * response.
 *
 * Rejects with `ANSWER_INVALID` when the answer cannot be used. The question is then asked again; after the last turn
 * it is cancelled for the tool.
 */
export function recordAnswerDurably(
  parts: ServerParts,
  message: JSONRPCMessage,
  from: Answerer,
): Promise<void> | undefined {
  if ('method' in message || !('id' in message)) return undefined;
  const question = parseQuestionId(message.id);
  // Measured now, because time spent in the store is not the client's.
  return (
    question && record(parts, message, { ...from, ...question, afterMs: from.asked.afterMs(toQuestionId(question)) })
  );
}

interface Address extends Answerer, QuestionRef {
  readonly afterMs: number | undefined;
}

async function record(parts: ServerParts, message: JSONRPCMessage, address: Address): Promise<void> {
  try {
    await answer(parts, message, address);
  } catch (error) {
    // Two connections may have asked the same question: the second answer is too late.
    if (isTaskError(error, 'QUESTION_NOT_OPEN') || isTaskError(error, 'TASK_NOT_FOUND')) return;
    if (isTaskError(error, 'ANSWER_INVALID')) await refuse(parts, address, error.message);
    throw error;
  }
}

async function answer(parts: ServerParts, message: JSONRPCMessage, { taskId, key, ...from }: Address): Promise<void> {
  const { principal, asked, turn, afterMs } = from;
  const engine = await parts.openEngine();
  const task = await engine.get(taskId, { principal });
  const question = task.questions.find((one) => one.key === key && isOpen(one));
  if (!question) return;
  // A client that cannot answer sends an error; for the tool that is a cancelled question.
  const given = 'result' in message ? toAnswer(question, message.result) : ({ action: 'cancel' } as const);
  const isHeadless = !('result' in message) || findProfile(parts.profiles(), asked.client?.name).headless === true;
  if (isHeadlessAnswer(question, given, { afterMs, isHeadless })) {
    const id = toQuestionId({ taskId, key, turn });
    // A held call goes on in words. A task cannot: its client would follow it without end.
    if (asked.hide(id)) return;
    // ext-tasks cancels a question that it reads together with the answer that names its task. On the second turn it
    // knows both.
    if (!isHeadless && turn === 1 && given.action === 'cancel' && isTask2025(task)) return asked.askAgain(id);
  }
  await engine.answer(taskId, { [key]: given }, { principal, client: asked.client });
}

async function refuse(parts: ServerParts, address: Address, why: string): Promise<void> {
  const { taskId, key, turn, principal, asked } = address;
  if (turn < MAX_TURNS) return asked.askAgain(toQuestionId(address), why);
  const engine = await parts.openEngine();
  await engine.answer(taskId, { [key]: { action: 'cancel' } }, { principal, client: asked.client });
}
