/**
 * What a user may answer to a prompt, by its kind.
 *
 * Prompts are accepted as any writer wrote them; answers are validated, because an app that gets a wrong one cannot ask
 * again.
 */
import { invalidField } from '../../../invalid-field.ts';
import type { Json } from '../../../task/json.ts';
import type { JsonObject } from '../../host-port.ts';
import { checkUnique, parseList, parseObject, parseText } from '../../shared/field.ts';
import { isObject, toKind } from '../wire.ts';
import { parsePrompt } from './prompt.ts';

/** A field of a `kv` prompt, as far as it can be read. */
export interface PromptField {
  readonly key: string;
  readonly label: string;
  readonly description: string;
  readonly default: string;
  readonly required: boolean;
  readonly secret: boolean;
}

/** An option of a `choice` prompt. */
export interface PromptOption {
  readonly value: string;
  readonly label: string;
}

/** What a `choice` prompt lets the user choose. */
export interface PromptChoice {
  readonly options: readonly PromptOption[];
  readonly multiple: boolean;
  readonly min: number;
  readonly max: number;
}

/**
 * Returns the response to a prompt for an answer: an object of texts for `kv`, the value or values for `choice`, `{
 * tasks, remark }` for `task_confirm`, `{ remark }` for `file_change_confirm`, `{}` for `result`.
 *
 * Throws `INVALID_ARGUMENT` that names what is wrong.
 */
export function parseAnswer(prompt: JsonObject, answer: unknown): JsonObject {
  const kind = toKind(prompt);
  switch (kind) {
    case 'kv':
      return { status: 'ok', values: parseValues(toFields(prompt), answer) };
    case 'choice':
      return { status: 'ok', selection: parseSelection(toChoice(prompt), answer) };
    case 'task_confirm':
      return { status: 'ok', ...parseTaskConfirm(prompt, parseBody(answer, ['tasks', 'remark'])) };
    case 'file_change_confirm':
      return { status: 'ok', ...parseRemark(prompt, parseBody(answer, ['remark'])) };
    case 'result':
      parseBody(answer, []);
      return { status: 'ok' };
    default:
      throw invalidField('prompt.kind', kind, 'kv, choice, task_confirm, file_change_confirm or result');
  }
}

/** Returns the response of a user who cancelled; throws when the prompt does not allow it. */
export function parseCancel({ allowCancel }: JsonObject): JsonObject {
  if (allowCancel === false)
    throw invalidField('the answer', 'canceled', 'an answer; the prompt does not allow a cancel');
  return { status: 'canceled' };
}

export function toFields({ fields }: JsonObject): PromptField[] {
  return (Array.isArray(fields) ? fields : []).filter(isObject).flatMap((field) => {
    const text = (name: string) => (typeof field[name] === 'string' ? field[name] : '');
    const key = text('key').trim();
    if (key === '') return [];
    // Any value except `false` counts as secret, as it does when secrets are masked.
    const secret = field.secret !== undefined && field.secret !== false;
    const required = field.required === true;
    const rest = { label: text('label'), description: text('description'), default: text('default') };
    return [{ key, ...rest, required, secret }];
  });
}

export function toChoice(prompt: JsonObject): PromptChoice {
  const options = (Array.isArray(prompt.options) ? prompt.options : []).filter(isObject).flatMap((option) => {
    const { value, label } = option;
    return typeof value === 'string' ? [{ value, label: typeof label === 'string' ? label : '' }] : [];
  });
  const multiple = prompt.multiple === true;
  if (!multiple) return { options, multiple, min: 1, max: 1 };
  const bound = (value: Json | undefined, otherwise: number) =>
    typeof value === 'number' ? Math.min(Math.max(0, value), options.length) : otherwise;
  const max = bound(prompt.maxSelections, options.length);
  return { options, multiple, min: Math.min(bound(prompt.minSelections, 0), max), max };
}

function parseValues(fields: readonly PromptField[], answer: unknown): JsonObject {
  const given = parseObject('the answer', answer);
  const keys = fields.map(({ key }) => key);
  const unknown = Object.keys(given).find((key) => !keys.includes(key));
  if (unknown !== undefined) throw invalidField('a key of the answer', unknown, keys.join(', '));
  const values = fields.map((field) => [field.key, parseValue(field, given[field.key])]);
  return Object.fromEntries(values);
}

function parseValue({ key, required, secret, default: byDefault }: PromptField, value: unknown): string {
  const text = value ?? byDefault;
  // The error message does not repeat a secret.
  const shown = secret && value !== undefined ? 'no text' : value;
  if (typeof text !== 'string') throw invalidField(key, shown, 'a text');
  if (required && text.trim() === '') throw invalidField(key, shown, 'a text that is not blank; it is required');
  return text;
}

function parseSelection({ options, multiple, min, max }: PromptChoice, answer: unknown): Json {
  const chosen = typeof answer === 'string' ? [answer] : multiple ? answer : [answer];
  const list = parseList('the answer', chosen, { min, max });
  const expected = options.map(({ value }) => value);
  const values = list.map((value) => {
    const known = expected.find((one) => one === value);
    if (known === undefined)
      throw invalidField('the answer', value, expected.map((one) => JSON.stringify(one)).join(', '));
    return known;
  });
  checkUnique('the answer', values);
  return multiple ? values : (values[0] ?? '');
}

function parseTaskConfirm(prompt: JsonObject, body: JsonObject): JsonObject {
  const { tasks } = parsePrompt({ kind: 'task_confirm', tasks: body.tasks ?? prompt.tasks ?? [] });
  return { tasks: tasks ?? [], ...parseRemark(prompt, body) };
}

function parseRemark({ defaultRemark }: JsonObject, { remark }: JsonObject): JsonObject {
  const byDefault = typeof defaultRemark === 'string' ? defaultRemark : '';
  return { remark: parseText('remark', remark, byDefault) };
}

function parseBody(answer: unknown, expected: readonly string[]): JsonObject {
  const body = parseObject('the answer', answer);
  const unknown = Object.keys(body).find((key) => !expected.includes(key));
  if (unknown === undefined) return body;
  throw invalidField('a key of the answer', unknown, expected.length === 0 ? 'none: {}' : expected.join(', '));
}
