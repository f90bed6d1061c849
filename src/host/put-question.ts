import type { JsonObject } from '../dialects/host-port.ts';
import { TaskError } from '../errors.ts';
import type { HostQuestion, HostSettings } from './host-options.ts';

/**
 * Puts a question to the host's owner.
 *
 * A handler that fails has not answered: people who were to be asked count as having turned away, and what is for
 * programs fails.
 */
export async function putQuestion(settings: HostSettings, question: HostQuestion): Promise<JsonObject> {
  const { onQuestion, report } = settings;
  const isForPeople = question.method === 'elicitation/create';
  if (!onQuestion && isForPeople) return { action: 'cancel' };
  try {
    if (!onQuestion) throw new TaskError('INVALID_ARGUMENT', `there is no onQuestion to answer ${question.method}`);
    return parseAnswer(question.method, await onQuestion(question));
  } catch (error) {
    if (!isForPeople || question.signal.aborted) throw error;
    report(error);
    return { action: 'cancel' };
  }
}

function parseAnswer(method: string, answer: unknown): JsonObject {
  if (answer !== null && typeof answer === 'object' && !Array.isArray(answer)) return answer as JsonObject;
  const message = `onQuestion answered ${method} with ${JSON.stringify(answer)}; legal is the result of that request`;
  throw new TaskError('INVALID_ARGUMENT', message);
}
