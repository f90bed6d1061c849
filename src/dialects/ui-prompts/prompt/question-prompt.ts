/**
 * Converts a task's question to a prompt, and the response to it to an answer.
 *
 * Fields of a prompt are texts, so the numbers, booleans and lists of a form are parsed from them. Secrets never go
 * through the log, and a user cannot type what is meant for programs: such questions are asked by other means.
 */
import { isObject } from '../../../is-object.ts';
import type { Json } from '../../../task/json.ts';
import type { Answer, Question } from '../../../task/question.ts';
import type { JsonObject } from '../../host-port.ts';
import { toWireForm } from '../../shared/questions/secret-form.ts';

const SOURCE = 'holdfast';
const OPENED = 'opened';

/** Returns the prompt that asks a question; undefined when it cannot be asked through the log. */
export function toQuestionPrompt({ request }: Pick<Question, 'request'>, complaint?: string): JsonObject | undefined {
  const say = (message: string) => (complaint === undefined ? message : `${message}\n\n${complaint}`);
  if (request.kind === 'url') {
    const options = [{ value: OPENED, label: OPENED }];
    return { kind: 'choice', source: SOURCE, message: say(`${request.message}\n\n${request.url}`), options };
  }
  if (request.kind !== 'form') return undefined;
  const fields = readProperties(request.schema);
  if (fields.length === 0 || toWireForm(request.schema).secrets.length > 0) return undefined;
  const required = isObject(request.schema) && Array.isArray(request.schema.required) ? request.schema.required : [];
  const base = { source: SOURCE, message: say(request.message) };
  return { kind: 'kv', ...base, fields: fields.map(([key, field]) => toField(key, field, required.includes(key))) };
}

/** Converts a response to that prompt to an answer. */
export function toQuestionAnswer({ request }: Pick<Question, 'request'>, response: JsonObject): Answer {
  if (response.status !== 'ok') return { action: 'cancel' };
  if (request.kind !== 'form') return { action: 'accept' };
  const values = isObject<Json>(response.values) ? response.values : {};
  const content = readProperties(request.schema).flatMap(([key, field]) => {
    const value = values[key];
    return typeof value !== 'string' || (value === '' && field.type !== 'string') ? [] : [[key, toValue(field, value)]];
  });
  return { action: 'accept', content: Object.fromEntries(content) as Json };
}

function readProperties(schema: Json): [string, JsonObject][] {
  const properties = isObject(schema) && isObject<Json>(schema.properties) ? schema.properties : {};
  return Object.entries(properties).map(([key, field]) => [key, isObject<Json>(field) ? field : {}]);
}

function toField(key: string, field: JsonObject, required: boolean): JsonObject {
  const text = (value: Json | undefined) => (typeof value === 'string' ? value : '');
  const given = field.default;
  return {
    key,
    label: text(field.title) || key,
    description: [text(field.description), toExpected(field)].filter(Boolean).join(' '),
    default: given === undefined || given === null ? '' : typeof given === 'string' ? given : JSON.stringify(given),
    required,
  };
}

/** Returns a hint of the allowed values, where not every text is allowed. */
function toExpected({ type, enum: values, items, oneOf }: JsonObject): string {
  const named = isObject<Json>(items) ? (items.enum ?? items.anyOf) : (values ?? oneOf);
  const allowed = Array.isArray(named) ? named.map((one) => (isObject<Json>(one) ? one.const : one)) : [];
  if (type === 'array') return `(separated by commas: ${allowed.join(', ')})`;
  if (allowed.length > 0) return `(${allowed.join(', ')})`;
  return type === 'boolean' ? '(true, false)' : '';
}

/** A text that does not parse as the field's type is kept as it is: the validation of the form reports the error. */
function toValue({ type }: JsonObject, text: string): Json {
  if (type === 'boolean' && /^(true|yes|1|false|no|0)$/i.test(text)) return /^(true|yes|1)$/i.test(text);
  if ((type === 'number' || type === 'integer') && text.trim() !== '' && Number.isFinite(Number(text)))
    return Number(text);
  if (type === 'array')
    return text
      .split(',')
      .map((one) => one.trim())
      .filter(Boolean);
  return text;
}
