import type { JSONRPCMessage } from '@modelcontextprotocol/server';
import { toAnswer } from '../dialects/mcp-input.ts';
import { isTaskError } from '../errors.ts';
import { isOpen } from '../task/question.ts';
import { parseQuestionId } from './caller.ts';
import type { ServerParts } from './server-parts.ts';

/**
 * Takes a response to a request of ours and records it as the answer it is.
 *
 * The id says which question of which task, so whoever receives the response can do it: another connection, another
 * process. False when the message is no such response.
 */
export function recordAnswer(parts: ServerParts, message: JSONRPCMessage, principal: string): boolean {
  const recorded = takeAnswer(parts, message, principal);
  recorded?.catch((error) => parts.report(error));
  return recorded !== undefined;
}

/** The same, to be waited for: resolves when the answer is on disk. Nothing when the message is no such response. */
export function takeAnswer(parts: ServerParts, message: JSONRPCMessage, principal: string): Promise<void> | undefined {
  if ('method' in message || !('id' in message)) return undefined;
  const question = parseQuestionId(message.id);
  if (!question) return undefined;
  return answer(parts, message, { ...question, principal }).catch((error) => {
    // Two connections may have asked the same question: the second answer comes too late.
    if (!isTaskError(error, 'QUESTION_NOT_OPEN') && !isTaskError(error, 'TASK_NOT_FOUND')) throw error;
  });
}

interface Address {
  readonly taskId: string;
  readonly key: string;
  readonly principal: string;
}

async function answer(parts: ServerParts, message: JSONRPCMessage, { taskId, key, principal }: Address): Promise<void> {
  const engine = await parts.openEngine();
  const { questions } = await engine.get(taskId, { principal });
  const question = questions.find((one) => one.key === key && isOpen(one));
  if (!question) return;
  // A client that cannot answer says so with an error; the tool hears that nobody did.
  const given = 'result' in message ? toAnswer(question, message.result) : ({ action: 'cancel' } as const);
  await engine.answer(taskId, { [key]: given }, { principal });
}
