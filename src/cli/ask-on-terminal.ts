import type { HostQuestion, JsonObject } from '../host/index.ts';
import type { Json } from '../task/json.ts';
import { toPlainText } from './format.ts';
import type { Terminal } from './terminal.ts';

interface Field {
  readonly type?: string;
  readonly title?: string;
  readonly enum?: readonly string[];
  readonly oneOf?: readonly { readonly const: string }[];
  readonly items?: Field;
  readonly anyOf?: readonly { readonly const: string }[];
  readonly default?: Json;
}

interface Form {
  readonly properties?: Readonly<Record<string, Field>>;
  readonly required?: readonly string[];
}

/**
 * Asks the person at the terminal, one field after the other, and a field again until its answer fits. An empty line
 * leaves a field out; Ctrl-C turns the question away.
 */
export async function askOnTerminal({ params = {}, signal }: HostQuestion, terminal: Terminal): Promise<JsonObject> {
  const ask = (text: string) => terminal.keyboard.ask(`${toPlainText(text)} `, { signal });
  terminal.remark(`\n${toPlainText(String(params.message ?? ''))}`);
  if (params.mode === 'url') {
    const done = await ask(`Open ${String(params.url)} and press Enter when you are done:`);
    return { action: done === undefined ? 'cancel' : 'accept' };
  }
  const { properties = {}, required = [] } = (params.requestedSchema ?? {}) as Form;
  const content: Record<string, Json> = {};
  for (const [key, field] of Object.entries(properties)) {
    const value = await askField(field, { name: field.title ?? key, isRequired: required.includes(key), ask });
    if (value === undefined) return { action: 'cancel' };
    if (value !== null) content[key] = value;
  }
  return { action: 'accept', content };
}

interface FieldQuestion {
  readonly name: string;
  readonly isRequired: boolean;
  ask(text: string): Promise<string | undefined>;
}

/** The value; null for a field that is left out, nothing for a person who turned away. */
async function askField(field: Field, { name, isRequired, ask }: FieldQuestion): Promise<Json | undefined> {
  for (;;) {
    const answer = await ask(`${name}${toHint(field)}:`);
    if (answer === undefined) return undefined;
    if (answer.trim() === '' && field.default !== undefined) return field.default;
    if (answer.trim() === '' && !isRequired) return null;
    const value = answer.trim() === '' ? undefined : toValue(answer, field);
    if (value !== undefined) return value;
  }
}

function toHint(field: Field): string {
  const choices = toChoices(field.type === 'array' ? (field.items ?? {}) : field);
  const legal = choices ? choices.join(', ') : LEGAL[field.type ?? ''];
  const parts = [
    legal === undefined ? '' : field.type === 'array' ? `some of ${legal}, with commas` : legal,
    field.default === undefined ? '' : `Enter: ${JSON.stringify(field.default)}`,
  ].filter(Boolean);
  return parts.length === 0 ? '' : ` (${parts.join('; ')})`;
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
