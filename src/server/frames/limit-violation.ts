/**
 * Size limits for the parts of a message that are read for every request, whatever its method.
 *
 * Arguments, answers and results belong to the owner's tools; only the limits on the whole message apply to them.
 */

import { INVALID_PARAMS, INVALID_REQUEST, PROTOCOL_VERSION_META_KEY } from '@modelcontextprotocol/server';
import { isObject } from '../../is-object.ts';
import {
  MAX_BATCH_MESSAGES,
  MAX_ID_LENGTH,
  MAX_META_MEMBERS,
  MAX_METHOD_LENGTH,
  MAX_NAME_LENGTH,
  MAX_PARAMS,
  MAX_SUBSCRIBED_NAMES,
  MAX_URI_LENGTH,
} from '../../limits.ts';

export interface LimitViolation {
  readonly code: number;
  readonly message: string;
}

type Members = { readonly [name: string]: unknown };

/** The maximum length of a text parameter, by its name, in every method that has it. */
const MAX_TEXT_LENGTHS: Readonly<Record<string, number>> = {
  name: MAX_NAME_LENGTH,
  taskId: MAX_NAME_LENGTH,
  level: MAX_NAME_LENGTH,
  uri: MAX_URI_LENGTH,
  cursor: MAX_URI_LENGTH,
  requestId: MAX_ID_LENGTH,
  progressToken: MAX_ID_LENGTH,
  protocolVersion: MAX_METHOD_LENGTH,
  [PROTOCOL_VERSION_META_KEY]: MAX_METHOD_LENGTH,
};

/** The maximum number of nested members of parameters that are not tool input. */
const MAX_NESTED_MEMBERS: Readonly<Record<string, number>> = {
  _meta: MAX_META_MEMBERS,
  capabilities: MAX_META_MEMBERS,
  clientInfo: MAX_META_MEMBERS,
  notifications: MAX_SUBSCRIBED_NAMES,
};

/** Returns the first limit that a message exceeds; undefined when it is acceptable. */
export function findLimitViolation(message: Members): LimitViolation | undefined {
  return (
    findHeadViolation(message) ??
    findPartViolation('params', message.params) ??
    findPartViolation('result', message.result)
  );
}

/** Like `findLimitViolation`, for the messages of a batch. */
export function findBatchViolation(messages: readonly unknown[]): LimitViolation | undefined {
  if (messages.length > MAX_BATCH_MESSAGES) {
    return toRequestFault(`a batch may have ${MAX_BATCH_MESSAGES} messages at most; it has ${messages.length}`);
  }
  for (const message of messages) {
    const violation = isObject(message) ? findLimitViolation(message) : undefined;
    if (violation) return violation;
  }
  return undefined;
}

function findHeadViolation(message: Members): LimitViolation | undefined {
  const count = Object.keys(message).length;
  if (count > MAX_PARAMS) return toRequestFault(`a message may have ${MAX_PARAMS} members of its own; it has ${count}`);
  for (const [field, longest] of [['id', MAX_ID_LENGTH] as const, ['method', MAX_METHOD_LENGTH] as const]) {
    const length = toLength(message[field]);
    if (length > longest) return toRequestFault(`${field} may be ${longest} characters long; it has ${length}`);
  }
  return undefined;
}

function findPartViolation(part: string, value: unknown): LimitViolation | undefined {
  if (!isObject(value)) return undefined;
  const count = Object.keys(value).length;
  if (count > MAX_PARAMS) return toParamsFault(`${part} may have ${MAX_PARAMS} members of its own; it has ${count}`);
  return findLongText(part, value) ?? findLongText(`${part}._meta`, value._meta) ?? findNestedViolation(part, value);
}

function findLongText(part: string, value: unknown): LimitViolation | undefined {
  if (!isObject(value)) return undefined;
  for (const [name, longest] of Object.entries(MAX_TEXT_LENGTHS)) {
    const length = Object.hasOwn(value, name) ? toLength(value[name]) : 0;
    if (length > longest) return toParamsFault(`${part}.${name} may be ${longest} characters long; it has ${length}`);
  }
  return undefined;
}

function findNestedViolation(part: string, value: Members): LimitViolation | undefined {
  for (const [name, most] of Object.entries(MAX_NESTED_MEMBERS)) {
    if (!Object.hasOwn(value, name) || countMembers(value[name], most) <= most) continue;
    return toParamsFault(`${part}.${name} may have ${most} members at most, those of its members included`);
  }
  const { inputResponses } = value;
  const count = isObject(inputResponses) ? Object.keys(inputResponses).length : 0;
  if (count <= MAX_META_MEMBERS) return undefined;
  return toParamsFault(`${part}.inputResponses may have ${MAX_META_MEMBERS} members at most; it has ${count}`);
}

/** Counts members and elements within a value; stops as soon as there are more than `most`. */
function countMembers(value: unknown, most: number): number {
  if (value === null || typeof value !== 'object') return 0;
  const parts = Object.values(value);
  let count = parts.length;
  for (let at = 0; at < parts.length && count <= most; at++) count += countMembers(parts[at], most - count);
  return count;
}

function toLength(value: unknown): number {
  return typeof value === 'string' ? value.length : 0;
}

function toRequestFault(reason: string): LimitViolation {
  return { code: INVALID_REQUEST, message: `Invalid Request: ${reason}` };
}

function toParamsFault(reason: string): LimitViolation {
  return { code: INVALID_PARAMS, message: `Invalid params: ${reason}` };
}
