import { isTaskError } from '../../errors.ts';
import type { HostQuestion, JsonObject } from '../../host/index.ts';
import { isObject } from '../../is-object.ts';
import type { Json } from '../../task/json.ts';
import { toPlainPage, toPlainText } from '../../text/plain-text.ts';
import { askForm } from './form/ask-form.ts';
import { parseQuestionUrl } from './question-url.ts';
import { toServerText } from './server-text.ts';
import type { Terminal } from './terminal.ts';

/** Asks the person at the terminal what a server asks. */
export type QuestionAsker = (question: HostQuestion) => Promise<JsonObject>;

/**
 * Asks the person at the terminal; Ctrl-C dismisses a question. The server is named first, in our words and not in its own.
 * If the server refused an answer, the question is asked again with the reason, and Enter repeats what was typed.
 */
export function createQuestionAsker(terminal: Terminal): QuestionAsker {
  const given = new Map<string, JsonObject>();
  return async (question) => {
    const { params = {}, callId = '', refusal } = question;
    const place = JSON.stringify([callId, params.message]);
    const before = refusal === undefined ? undefined : given.get(place);
    const answer = await ask(question, terminal, before);
    given.delete(place);
    if (isObject(answer.content)) given.set(place, answer.content as JsonObject);
    return answer;
  };
}

async function ask(question: HostQuestion, terminal: Terminal, before: JsonObject | undefined): Promise<JsonObject> {
  const { params = {}, signal, refusal } = question;
  terminal.remark(`\n${toPlainText(toAsker(question))}`);
  // Indented, so that no line from the server looks like one of ours.
  for (const line of toPlainPage(String(params.message ?? '')).split('\n')) terminal.remark(`  ${line}`);
  if (refusal !== undefined) terminal.remark(`It did not take the answer before:\n  ${toPlainText(refusal)}`);
  if (params.mode === 'url') return askUrl(params.url, question, terminal);
  const content = await askForm(params.requestedSchema ?? { type: 'object' }, terminal, { signal, before });
  return content === undefined ? { action: 'cancel' } : { action: 'accept', content };
}

function toAsker({ server: name, tool, refusal }: HostQuestion): string {
  const server = toServerText(name);
  const asks = refusal === undefined ? 'asks' : 'asks again';
  return tool === undefined ? `The server ${server} ${asks}:` : `The server ${server} ${asks}, for its tool ${tool}:`;
}

/** The URL's host is shown first and alone: the server chooses the rest of the URL. */
async function askUrl(text: Json | undefined, { signal }: HostQuestion, terminal: Terminal): Promise<JsonObject> {
  try {
    const { host, href } = parseQuestionUrl(text);
    terminal.remark(`It wants you to open a page of ${host}:\n  ${href}`);
    const done = await terminal.keyboard.ask('Press Enter when you are done: ', { signal });
    return { action: done === undefined ? 'cancel' : 'accept' };
  } catch (error) {
    if (!isTaskError(error, 'INVALID_ARGUMENT')) throw error;
    terminal.remark(toPlainText(`turned away: ${error.message}`));
    return { action: 'decline' };
  }
}
