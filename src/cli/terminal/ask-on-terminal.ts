import { isSecretField } from '../../codec/secret-field.ts';
import { isTaskError } from '../../errors.ts';
import type { HostQuestion, JsonObject } from '../../host/index.ts';
import { toPlainPage, toPlainText } from '../../plain-text.ts';
import type { Json } from '../../task/json.ts';
import { askField } from './ask-field.ts';
import { parseQuestionUrl } from './question-url.ts';
import type { Terminal } from './terminal.ts';

interface Field {
  readonly type?: string;
  readonly title?: string;
  readonly enum?: readonly string[];
  readonly oneOf?: readonly { readonly const: string }[];
  readonly items?: Field;
  readonly anyOf?: readonly { readonly const: string }[];
  readonly default?: Json;
  readonly format?: string;
  readonly writeOnly?: boolean;
}

interface Form {
  readonly properties?: Readonly<Record<string, Field>>;
  readonly required?: readonly string[];
}

type Ask = (text: string) => Promise<string | undefined>;

/**
 * Asks the person at the terminal, one field after the other, and a field again until its answer fits. An empty line
 * leaves a field out; Ctrl-C turns the question away. Who asks is named first, in our words and not in the server's.
 */
export async function askOnTerminal(question: HostQuestion, terminal: Terminal): Promise<JsonObject> {
  const { params = {}, signal } = question;
  const ask: Ask = (text) => terminal.keyboard.ask(`${toPlainText(text)} `, { signal });
  terminal.remark(`\n${toPlainText(toAsker(question))}`);
  // Set in, so that no line of the server's looks like one of ours.
  for (const line of toPlainPage(String(params.message ?? '')).split('\n')) terminal.remark(`  ${line}`);
  if (params.mode === 'url') return askUrl(params.url, ask, terminal);
  const { properties = {}, required = [] } = (params.requestedSchema ?? {}) as Form;
  const content: [string, Json][] = [];
  for (const [key, field] of Object.entries(properties)) {
    const value = await askFor(field, terminal, {
      name: field.title ?? key,
      isRequired: required.includes(key),
      isSecret: isSecretField(key, field),
      signal,
    });
    if (value === undefined) return { action: 'cancel' };
    if (value !== null) content.push([key, value]);
  }
  return { action: 'accept', content: Object.fromEntries(content) };
}

function toAsker({ server, tool }: HostQuestion): string {
  return tool === undefined ? `The server ${server} asks:` : `The server ${server} asks, for its tool ${tool}:`;
}

/** The host stands alone and first: the rest of an address is the server's to choose. */
async function askUrl(text: Json | undefined, ask: Ask, terminal: Terminal): Promise<JsonObject> {
  try {
    const { host, href } = parseQuestionUrl(text);
    terminal.remark(`It wants you to open a page of ${host}:\n  ${href}`);
    const done = await ask('Press Enter when you are done:');
    return { action: done === undefined ? 'cancel' : 'accept' };
  } catch (error) {
    if (!isTaskError(error, 'INVALID_ARGUMENT')) throw error;
    terminal.remark(toPlainText(`turned away: ${error.message}`));
    return { action: 'decline' };
  }
}

interface FieldContext {
  readonly name: string;
  readonly isRequired: boolean;
  readonly isSecret: boolean;
  readonly signal: AbortSignal;
}

/** The value; null for a field that is left out, nothing for a person who turned away. */
function askFor(field: Field, { keyboard }: Terminal, context: FieldContext): Promise<Json | undefined> {
  const { name, isRequired, isSecret, signal } = context;
  return askField<Json>(keyboard, {
    label: name,
    expected: toExpected(field),
    byDefault: field.default === undefined || isSecret ? undefined : JSON.stringify(field.default),
    isSecret,
    signal,
    parse(answer) {
      if (answer.trim() !== '') return toValue(answer, field);
      if (field.default !== undefined) return field.default;
      return isRequired ? undefined : null;
    },
  });
}

function toExpected(field: Field): string | undefined {
  const choices = toChoices(field.type === 'array' ? (field.items ?? {}) : field);
  const expected = choices ? choices.join(', ') : LEGAL[field.type ?? ''];
  return expected !== undefined && field.type === 'array' ? `some of ${expected}, with commas` : expected;
}

const LEGAL: Readonly<Record<string, string>> = {
  boolean: 'yes or no',
  number: 'a number',
  integer: 'a whole number',
};

function toChoices({ enum: values, oneOf, anyOf }: Field): readonly string[] | undefined {
  return values ?? (oneOf ?? anyOf)?.map((one) => one.const);
}

/** Nothing when the answer does not fit. */
function toValue(answer: string, field: Field): Json | undefined {
  const text = answer.trim();
  switch (field.type ?? '') {
    case 'boolean':
      return /^(y|yes|true|n|no|false)$/i.test(text) ? /^[yt]/i.test(text) : undefined;
    case 'number':
      return Number.isFinite(Number(text)) ? Number(text) : undefined;
    case 'integer':
      return Number.isInteger(Number(text)) ? Number(text) : undefined;
    case 'array':
      return toValues(text, toChoices(field.items ?? {}));
    default:
      return toText(answer, toChoices(field));
  }
}

function toValues(text: string, choices: readonly string[] | undefined): Json | undefined {
  const values = text.split(',').map((one) => one.trim());
  return values.every((one) => toText(one, choices) !== undefined) ? values : undefined;
}

function toText(answer: string, choices: readonly string[] | undefined): string | undefined {
  if (!choices) return answer;
  return choices.find((choice) => choice === answer.trim());
}
