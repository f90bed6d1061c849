/**
 * A question of a task as a prompt, and the response to it as an answer.
 *
 * Fields of a prompt are texts, so what a form wants as numbers, booleans or lists is read from them. What is secret never
 * goes through the log, and what is for programs is nobody's to type: such questions are asked in other ways.
 */
import { isObject } from '../../../is-object.ts';
import type { Json } from '../../../task/json.ts';
import type { Answer, Question } from '../../../task/question.ts';
import type { JsonObject } from '../../host-port.ts';
import { toWireForm } from '../../shared/questions/secret-form.ts';

const SOURCE = 'holdfast';
const OPENED = 'opened';

/** The prompt that asks a question; nothing when it cannot be asked in the log. */
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

/** What a response to that prompt says. */
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

/** What may be typed, where not everything may. */
function toExpected({ type, enum: values, items, oneOf }: JsonObject): string {
  const named = isObject<Json>(items) ? (items.enum ?? items.anyOf) : (values ?? oneOf);
  const allowed = Array.isArray(named) ? named.map((one) => (isObject<Json>(one) ? one.const : one)) : [];
  if (type === 'array') return `(separated by commas: ${allowed.join(', ')})`;
  if (allowed.length > 0) return `(${allowed.join(', ')})`;
  return type === 'boolean' ? '(true, false)' : '';
}

/** What cannot be read as the field wants it is left as it is: the check of the form says what is wrong. */
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
