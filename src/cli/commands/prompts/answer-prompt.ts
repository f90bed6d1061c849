import { createPromptLog, type PromptLog } from '../../../dialects/ui-prompts/log/log-writer.ts';
import { parseAnswer, parseCancel, toFields } from '../../../dialects/ui-prompts/prompt/answer.ts';
import { type RequestEntry, toKind } from '../../../dialects/ui-prompts/wire.ts';
import { TaskError } from '../../../errors.ts';
import type { JsonObject } from '../../../host/index.ts';
import { toPlainText } from '../../../text/plain-text.ts';
import { readJsonArgument } from '../../command-line/json-argument.ts';
import { checkLog, findPlace } from '../../stores/prompt-place.ts';
import { askPrompt } from '../../terminal/ask-prompt.ts';
import type { PromptsAnswerContext } from './prompt-commands.ts';

const SHORTEST = 4;
const SHOWN = 5;

/** Answers one pending prompt, from the command line or from the person at the terminal. */
export async function answerPrompt(context: PromptsAnswerContext): Promise<number> {
  const { args, values, terminal } = context;
  const [ref = '', json] = args;
  if (json !== undefined && values.cancel) throw new TaskError('USAGE', 'give an answer or --cancel, not both');
  const place = await findPlace(values);
  checkLog(place);
  const log = createPromptLog({ path: place.path });
  const { requestId, prompt } = await findPrompt(log, ref);
  const response = await toResponse(prompt, json, context);
  if (!(await log.respond(requestId, response))) throw toAnswered(requestId);
  const status = String(response.status);
  if (terminal.json) terminal.printJson({ requestId, status });
  else terminal.print(`answered ${toPlainText(requestId)}: ${status}`);
  const secrets = status === 'ok' ? toFields(prompt).filter(({ secret }) => secret) : [];
  if (secrets.length > 0 && !terminal.json) {
    const names = secrets.map(({ key }) => key).join(', ');
    terminal.remark(toPlainText(`${names}: written as ******; a secret cannot travel through the log`));
  }
  return 0;
}

async function findPrompt(log: PromptLog, ref: string): Promise<RequestEntry> {
  const pending = await log.pending();
  const exact = pending.find(({ requestId }) => requestId === ref);
  if (exact) return exact;
  const found = ref.length < SHORTEST ? [] : pending.filter(({ requestId }) => requestId.startsWith(ref));
  const [only] = found;
  if (only && found.length === 1) return only;
  const ids = (found.length > 1 ? found : pending).map(({ requestId }) => requestId);
  const more = ids.length > SHOWN ? ` and ${ids.length - SHOWN} more` : '';
  const expected = ids.length === 0 ? 'none is' : `${ids.slice(0, SHOWN).join(', ')}${more}`;
  throw new TaskError('QUESTION_NOT_OPEN', `no one prompt ${JSON.stringify(ref)} is pending; pending: ${expected}`);
}

async function toResponse(
  prompt: JsonObject,
  json: string | undefined,
  context: PromptsAnswerContext,
): Promise<JsonObject> {
  const { values, terminal } = context;
  if (values.cancel) return parseCancel(prompt);
  if (json !== undefined) return parseAnswer(prompt, parseJson(await readJsonArgument(json), prompt));
  if (toKind(prompt) === 'result') return parseAnswer(prompt, {});
  if (!terminal.keyboard.canAsk || terminal.json) {
    throw new TaskError('USAGE', `the answer is missing; expected: ${toLegal(prompt)}, or --cancel`);
  }
  const answer = await askPrompt(prompt, terminal);
  return answer === undefined ? parseCancel(prompt) : parseAnswer(prompt, answer);
}

function parseJson(text: string, prompt: JsonObject): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    const hasSecret = toFields(prompt).some(({ secret }) => secret);
    const given = hasSecret ? 'the answer' : `the answer ${JSON.stringify(text)}`;
    throw new TaskError('USAGE', `${given} is not JSON; expected: ${toLegal(prompt)}`, hasSecret ? {} : { cause });
  }
}

/** An example of an answer that the prompt accepts. */
function toLegal(prompt: JsonObject): string {
  switch (toKind(prompt)) {
    case 'kv':
      return `'{${toFields(prompt)
        .map(({ key }) => `${JSON.stringify(key)}:"…"`)
        .join(',')}}'`;
    case 'choice':
      return prompt.multiple === true ? `'["VALUE",…]'` : `'"VALUE"'`;
    case 'task_confirm':
      return `'{"tasks":[…],"remark":"…"}'`;
    case 'file_change_confirm':
      return `'{"remark":"…"}'`;
    default:
      return `'{}'`;
  }
}

function toAnswered(requestId: string): TaskError {
  return new TaskError('QUESTION_NOT_OPEN', `prompt ${JSON.stringify(requestId)} was answered meanwhile`);
}
