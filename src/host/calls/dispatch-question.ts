import type { JsonObject } from '../../dialects/host-port.ts';
import { TaskError } from '../../errors.ts';
import { isObject } from '../../is-object.ts';
import { MAX_METHOD_LENGTH } from '../../limits.ts';
import { cutText } from '../../text/cut-text.ts';
import type { HostQuestion, HostSettings } from '../host-options.ts';

/**
 * Passes a question to the host's `onQuestion`.
 *
 * When `onQuestion` fails, a question for a person counts as cancelled, and a request for a program fails. The same applies to
 * kinds of questions that this host has not declared: a server may ask only what the declared capabilities allow, over whichever
 * path the question arrives.
 */
export async function dispatchQuestion(settings: HostSettings, question: HostQuestion): Promise<JsonObject> {
  const { onQuestion, report } = settings;
  const isForPeople = question.method === 'elicitation/create';
  const canAsk = onQuestion !== undefined && isDeclared(settings, question);
  if (!canAsk && isForPeople) return { action: 'cancel' };
  try {
    if (!canAsk) throw undeclaredError(question);
    return parseAnswer(question.method, await onQuestion(question));
  } catch (error) {
    if (!isForPeople || question.signal.aborted) throw error;
    report(error);
    return { action: 'cancel' };
  }
}

function isDeclared({ capabilities }: HostSettings, { method, params }: HostQuestion): boolean {
  if (method === 'sampling/createMessage') return capabilities.sampling !== undefined;
  if (method === 'roots/list') return capabilities.roots !== undefined;
  const modes = method === 'elicitation/create' ? capabilities.elicitation : undefined;
  if (modes === undefined) return false;
  // An empty object is the older form of declaring `form`.
  return params?.mode === 'url' ? modes.url !== undefined : modes.form !== undefined || modes.url === undefined;
}

function undeclaredError({ server, method }: HostQuestion): TaskError {
  const what = cutText(JSON.stringify(method) ?? 'nothing', MAX_METHOD_LENGTH);
  const message = `server ${server} asks for ${what}; expected what the host's capabilities and onQuestion allow`;
  return new TaskError('INVALID_ARGUMENT', message);
}

function parseAnswer(method: string, answer: unknown): JsonObject {
  if (isObject(answer)) return answer as JsonObject;
  const message = `onQuestion answered ${method} with ${JSON.stringify(answer)}; expected the result of that request`;
  throw new TaskError('INVALID_ARGUMENT', message);
}
