import { type PromptField, toChoice, toFields } from '../../dialects/ui-prompts/prompt/answer.ts';
import { toKind } from '../../dialects/ui-prompts/wire.ts';
import type { JsonObject } from '../../host/index.ts';
import type { Json } from '../../task/json.ts';
import { toPlainText } from '../../text/plain-text.ts';
import { askField, askUntil, type Parsed } from './ask-field.ts';
import type { Terminal } from './terminal.ts';

/** Shows a prompt to the person at the terminal and returns the answer; undefined on Ctrl-C. */
export async function askPrompt(prompt: JsonObject, terminal: Terminal): Promise<Json | undefined> {
  for (const line of toHead(prompt)) terminal.remark(toPlainText(line));
  switch (toKind(prompt)) {
    case 'kv':
      return askFields(toFields(prompt), terminal);
    case 'choice':
      return askChoice(prompt, terminal);
    case 'result':
      return {};
    default:
      return askConfirm(prompt, terminal);
  }
}

function toHead({ title, message, path, command, cwd, diff, tasks }: JsonObject): string[] {
  const texts = [title, message, path, command, cwd].filter((text) => typeof text === 'string' && text !== '');
  const changes = typeof diff === 'string' ? diff.split('\n') : [];
  const work = (Array.isArray(tasks) ? tasks : []) as JsonObject[];
  return [...(texts as string[]), ...changes, ...work.map((task) => `- ${String(task?.title ?? '')}`)];
}

async function askFields(fields: readonly PromptField[], terminal: Terminal): Promise<Json | undefined> {
  const values: [string, string][] = [];
  for (const field of fields) {
    const answer = await askFor(field, terminal);
    if (answer === undefined) return undefined;
    values.push([field.key, answer.value]);
  }
  return Object.fromEntries(values);
}

function askFor(field: PromptField, terminal: Terminal): Promise<{ value: string } | undefined> {
  const { key, label, description, default: byDefault, required, secret } = field;
  return askField(terminal, {
    label: label || key,
    expected: description,
    byDefault,
    isSecret: secret,
    parse(answer) {
      const value = answer === '' ? byDefault : answer;
      return required && value.trim() === '' ? { wrong: `${label || key} must be given` } : { value };
    },
  });
}

async function askChoice(prompt: JsonObject, terminal: Terminal): Promise<Json | undefined> {
  const { options, multiple, min, max } = toChoice(prompt);
  options.forEach(({ value, label }, index) => {
    terminal.remark(toPlainText(`${index + 1}: ${value}${label === '' || label === value ? '' : ` (${label})`}`));
  });
  const expected = multiple ? `${min} to ${max} of 1 to ${options.length}, with commas` : `1 to ${options.length}`;
  const parse = (answer: string): Parsed<Json> => {
    const words = answer.split(',').map((word) => word.trim());
    const chosen = words.filter(Boolean).map((word) => options[Number(word) - 1]?.value);
    const known = chosen.filter((value) => value !== undefined);
    const fits = known.length === chosen.length && known.length >= min && known.length <= max;
    if (!fits) return { wrong: `expected ${expected}` };
    return { value: multiple ? known : (known[0] ?? null) };
  };
  const answer = await askUntil(terminal, { ask: () => terminal.keyboard.ask(`Which? (${expected}) `), parse });
  return answer?.value;
}

async function askConfirm({ defaultRemark }: JsonObject, { keyboard }: Terminal): Promise<Json | undefined> {
  const word = await keyboard.ask('Confirm? (yes or no) ');
  if (word === undefined || !/^y/i.test(word.trim())) return undefined;
  const remark = await keyboard.ask('Remark (Enter for none): ');
  if (remark === undefined) return undefined;
  return remark === '' && typeof defaultRemark === 'string' ? {} : { remark };
}
