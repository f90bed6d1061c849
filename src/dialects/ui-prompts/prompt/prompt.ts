/**
 * The prompts an app may write, validated before they reach the log.
 *
 * Absent fields get their defaults and texts are trimmed, as readers expect; an invalid field is an error, because a
 * prompt that cannot be shown would wait for ever.
 */

import { randomUUID } from 'node:crypto';
import { invalidField } from '../../../invalid-field.ts';
import type { Json } from '../../../task/json.ts';
import type { JsonObject } from '../../host-port.ts';
import {
  checkUnique,
  parseChoice,
  parseFlag,
  parseList,
  parseName,
  parseObject,
  parseText,
} from '../../shared/field.ts';
import { isObject, toResultText } from '../wire.ts';

const KINDS = ['kv', 'choice', 'task_confirm', 'file_change_confirm', 'result'] as const;

/** The kinds of prompts. */
export type PromptKind = (typeof KINDS)[number];

const MAX_FIELDS = 50;
const MAX_OPTIONS = 60;
const MAX_TASKS = 1000;

/** Parses a prompt of any kind and fills in its defaults; throws `INVALID_ARGUMENT` that names the field. */
export function parsePrompt(value: unknown): JsonObject & { readonly kind: PromptKind } {
  const prompt = parseObject('prompt', value);
  const kind = KINDS.find((one) => one === prompt.kind);
  if (kind === undefined) throw invalidField('prompt.kind', prompt.kind, KINDS.join(', '));
  const source = parseText('prompt.source', prompt.source);
  return {
    kind,
    title: parseText('prompt.title', prompt.title),
    message: parseText('prompt.message', prompt.message),
    ...(source !== '' && { source }),
    allowCancel: parseFlag('prompt.allowCancel', prompt.allowCancel, true),
    ...parseBody(kind, prompt),
  };
}

function parseBody(kind: PromptKind, prompt: JsonObject): JsonObject {
  switch (kind) {
    case 'kv':
      return { fields: parseFields(prompt.fields) };
    case 'choice':
      return parseOptions(prompt);
    case 'task_confirm':
      return { tasks: parseTasks(prompt.tasks), ...parseRemark(prompt) };
    case 'file_change_confirm':
      return { ...parseTexts(prompt, ['diff', 'path', 'command', 'cwd']), ...parseRemark(prompt) };
    case 'result':
      return parseResult(prompt);
  }
}

function parseFields(value: unknown): Json[] {
  const fields = parseList('prompt.fields', value, { min: 1, max: MAX_FIELDS }).map((one, index) => {
    const field = parseObject(`prompt.fields[${index}]`, one);
    const at = (name: string) => `prompt.fields[${index}].${name}`;
    return {
      key: parseName(at('key'), field.key),
      label: parseText(at('label'), field.label),
      description: parseText(at('description'), field.description),
      placeholder: parseText(at('placeholder'), field.placeholder),
      // A default is what the user would type, so it is not trimmed.
      default: parseText(at('default'), field.default) === '' ? '' : String(field.default),
      required: parseFlag(at('required'), field.required, false),
      multiline: parseFlag(at('multiline'), field.multiline, false),
      secret: parseFlag(at('secret'), field.secret, false),
    };
  });
  const keys = fields.map(({ key }) => key);
  checkUnique('prompt.fields[].key', keys);
  return fields;
}

function parseOptions(prompt: JsonObject): JsonObject {
  const options = parseList('prompt.options', prompt.options, { min: 1, max: MAX_OPTIONS }).map((one, index) => {
    const option = parseObject(`prompt.options[${index}]`, one);
    const at = (name: string) => `prompt.options[${index}].${name}`;
    const value = parseName(at('value'), option.value);
    const label = parseText(at('label'), option.label);
    return { value, label, description: parseText(at('description'), option.description) };
  });
  const values = options.map(({ value }) => value);
  checkUnique('prompt.options[].value', values);
  const multiple = parseFlag('prompt.multiple', prompt.multiple, false);
  const chosen = parseDefault(prompt.default, { values, multiple });
  return {
    multiple,
    options,
    ...(chosen !== undefined && { default: chosen }),
    ...parseLimits(prompt, options.length),
  };
}

function parseDefault(value: unknown, options: { values: readonly string[]; multiple: boolean }): Json | undefined {
  if (value === undefined) return undefined;
  const wanted = Array.isArray(value) ? value : [value];
  if (wanted.some((one) => typeof one !== 'string')) throw invalidField('prompt.default', value, 'a text or texts');
  const known = wanted.filter((one) => options.values.includes(one));
  return options.multiple ? known : known[0];
}

function parseLimits(prompt: JsonObject, count: number): JsonObject {
  if (prompt.multiple !== true) return { minSelections: 1, maxSelections: 1 };
  const parse = (name: string, { min, otherwise }: { min: number; otherwise: number }) => {
    const value = prompt[name] ?? otherwise;
    if (typeof value === 'number' && Number.isInteger(value) && value >= min && value <= count) return value;
    throw invalidField(`prompt.${name}`, value, `a whole number from ${min} to ${count}`);
  };
  const minSelections = parse('minSelections', { min: 0, otherwise: 0 });
  const maxSelections = parse('maxSelections', { min: 1, otherwise: count });
  if (minSelections > maxSelections)
    throw invalidField(
      'prompt.minSelections',
      minSelections,
      `at most prompt.maxSelections, which is ${maxSelections}`,
    );
  return { minSelections, maxSelections };
}

function parseTasks(value: unknown): Json[] {
  const tasks = parseList('prompt.tasks', value, { min: 0, max: MAX_TASKS });
  return tasks.map((one, index) => {
    const task = parseObject(`prompt.tasks[${index}]`, one);
    const at = (name: string) => `prompt.tasks[${index}].${name}`;
    const tags = task.tags === undefined ? [] : parseList(at('tags'), task.tags, { min: 0, max: Infinity });
    return {
      draftId: parseName(at('draftId'), task.draftId, randomUUID()),
      title: parseText(at('title'), task.title),
      details: parseText(at('details'), task.details),
      priority: parseChoice(at('priority'), task.priority, ['medium', 'high', 'low']),
      status: parseChoice(at('status'), task.status, ['todo', 'doing', 'blocked', 'done']),
      tags: tags.map((tag, position) => parseName(`${at('tags')}[${position}]`, tag)),
    };
  });
}

function parseRemark({ defaultRemark }: JsonObject): JsonObject {
  const remark = parseText('prompt.defaultRemark', defaultRemark);
  return remark === '' ? {} : { defaultRemark: remark };
}

function parseTexts(prompt: JsonObject, names: readonly string[]): JsonObject {
  for (const name of names) parseText(`prompt.${name}`, prompt[name]);
  return Object.fromEntries(names.map((name) => [name, prompt[name] ?? '']));
}

// The text is passed on byte for byte: it is what the caller gets.
function parseResult(prompt: JsonObject): JsonObject {
  const names = ['markdown', 'result', 'content'].filter((name) => prompt[name] !== undefined);
  const texts = parseTexts(prompt, names);
  if (toResultText(texts) === '') {
    throw invalidField('prompt.markdown', prompt.markdown, 'a text; one of markdown, result and content must have one');
  }
  const { resultStatus } = prompt;
  if (resultStatus === undefined) return texts;
  return {
    ...texts,
    resultStatus: parseChoice('prompt.resultStatus', resultStatus, ['completed', 'failed', 'aborted']),
  };
}

const STATUSES = ['ok', 'canceled', 'timeout'] as const;

/** Parses a user's response; other spellings of a cancel are normalized. */
export function parseResponse(value: unknown): JsonObject & { readonly status: (typeof STATUSES)[number] } {
  const response = parseObject('response', value);
  const { status, values, remark } = response;
  if (values !== undefined) parseValues(values);
  if (remark !== undefined) parseText('response.remark', remark);
  const said = status === 'cancel' || status === 'cancelled' ? 'canceled' : status;
  const known = STATUSES.find((one) => one === said);
  if (known === undefined) throw invalidField('response.status', status, STATUSES.join(', '));
  return { ...response, status: known };
}

function parseValues(values: unknown): void {
  if (isObject(values) && Object.values(values).every((one) => typeof one === 'string')) return;
  throw invalidField('response.values', values, 'an object of texts');
}
