/**
 * Parses one line of the wire: a message, a refusal to send back, or something to drop.
 *
 * A refusal carries a request id only when the id is the peer's own. The id of a malformed response is one of ours;
 * sent back, it could end an unrelated request of the peer. Well-formed notifications, and errors without a request,
 * are never answered: two peers that do would loop for ever.
 *
 * https://www.jsonrpc.org/specification
 */

import {
  INVALID_PARAMS,
  INVALID_REQUEST,
  isJSONRPCErrorResponse,
  isJSONRPCNotification,
  isJSONRPCRequest,
  isJSONRPCResultResponse,
  type JSONRPCMessage,
  PARSE_ERROR,
} from '@modelcontextprotocol/server';
import { FrameOutline } from '../../dialects/shared/bytes/frame-outline.ts';
import { isObject } from '../../is-object.ts';
import { MAX_ID_LENGTH } from '../../limits.ts';
import { DEFAULT_FRAME_LIMITS, type FrameLimits, findShapeViolation } from './frame-shape.ts';
import { findLimitViolation } from './limit-violation.ts';
import { truncateClientTexts } from './truncate-client-texts.ts';

type FrameId = string | number | null;

/** An error response; its id is null when no request could be read. */
export interface Refusal {
  readonly jsonrpc: '2.0';
  readonly id: FrameId;
  readonly error: { readonly code: number; readonly message: string };
}

export type Frame =
  | { readonly kind: 'message'; readonly message: JSONRPCMessage }
  | { readonly kind: 'refused'; readonly refusal: Refusal }
  | { readonly kind: 'dropped'; readonly reason: string };

type Members = { readonly [name: string]: unknown };
type Fault = { readonly code: number; readonly message: string };

// Strips a byte order mark at the start of a line.
const utf8 = new TextDecoder('utf-8', { fatal: true });

/** Parses one line; returns undefined for an empty one. */
export function parseFrame(line: Uint8Array, limits: FrameLimits = DEFAULT_FRAME_LIMITS): Frame | undefined {
  let value: unknown;
  try {
    const text = utf8.decode(line);
    if (text.trim() === '') return undefined;
    const violation = findShapeViolation(text, limits);
    if (violation !== undefined) return refused(findReplyId(line), invalidRequest(violation));
    value = JSON.parse(text);
  } catch (error) {
    const reason = error instanceof SyntaxError ? error.message : 'the line is not valid UTF-8';
    return refused(null, { code: PARSE_ERROR, message: `Parse error: ${reason}` });
  }
  truncateClientTexts(value);
  return toFrame(value);
}

/** Returns the refusal of a text that exceeds the limits; undefined when it may be parsed. */
export function refuseOverLimits(text: string, limits: FrameLimits): Refusal | undefined {
  const violation = findShapeViolation(text, limits);
  return violation === undefined ? undefined : toRefusal(findReplyId(Buffer.from(text)), invalidRequest(violation));
}

/** Reads the id of a message that is not parsed. */
function findReplyId(bytes: Uint8Array): FrameId {
  const outline = new FrameOutline();
  outline.scan(bytes);
  const value = outline.read();
  return isObject(value) ? toReplyId(value) : null;
}

/** Returns the answer to a line that was too long to read. */
export function refuseOversized(outline: unknown, maxLineBytes: number): Refusal {
  const id = isObject(outline) ? toReplyId(outline) : null;
  return toRefusal(id, invalidRequest(`a line may be ${maxLineBytes} bytes long at most`));
}

export function toRefusal(id: FrameId, error: Fault): Refusal {
  return { jsonrpc: '2.0', id, error };
}

/** Classifies a JSON value as a message. */
export function toFrame(value: unknown): Frame {
  if (Array.isArray(value))
    return refused(null, invalidRequest('batches are not supported; send one message per line'));
  if (!isObject(value)) return refused(null, invalidRequest('a message is a JSON object'));
  if (['method', 'result', 'error'].filter((name) => name in value).length !== 1) {
    return refused(toReplyId(value), invalidRequest('a message has exactly one of method, result and error'));
  }
  const violation = findLimitViolation(value);
  if (violation) return toOversizedFrame(value, violation);
  if (!('method' in value)) return toResponse(value);
  return 'id' in value ? toRequest(value) : toNotification(value);
}

/** A notification with oversized parameters is dropped, and its method reported; an oversized head is refused. */
function toOversizedFrame(value: Members, violation: Fault): Frame {
  const isNotification = 'method' in value && !('id' in value) && violation.code === INVALID_PARAMS;
  if (isNotification) return { kind: 'dropped', reason: `notification ${value.method}: ${violation.message}` };
  return refused(toReplyId(value), violation);
}

function toRequest(value: Members): Frame {
  const message = pick(value, ['jsonrpc', 'id', 'method', 'params']);
  if (isJSONRPCRequest(message)) return { kind: 'message', message };
  return refused(toReplyId(value), findFault(value) ?? findIdFault(value) ?? findParamsFault(value));
}

function toNotification(value: Members): Frame {
  const message = pick(value, ['jsonrpc', 'method', 'params']);
  if (isJSONRPCNotification(message)) return { kind: 'message', message };
  const fault = findFault(value);
  if (fault) return refused(null, fault);
  return { kind: 'dropped', reason: `notification ${value.method}: ${findParamsFault(value).message}` };
}

function toResponse(value: Members): Frame {
  // An error with a null id answers no request; MCP writes it without an id.
  const names = 'error' in value && value.id === null ? ['jsonrpc', 'error'] : ['jsonrpc', 'id', 'result', 'error'];
  const message = pick(value, names);
  if (isJSONRPCResultResponse(message) || isJSONRPCErrorResponse(message)) return { kind: 'message', message };
  return refused(null, invalidRequest('this is no valid response'));
}

function findFault({ jsonrpc, method, params }: Members): Fault | undefined {
  if (jsonrpc !== '2.0') return invalidRequest('jsonrpc must be "2.0"');
  if (typeof method !== 'string') return invalidRequest('method must be a string');
  if (params !== undefined && (params === null || typeof params !== 'object')) {
    return invalidRequest('params must be an object');
  }
  return undefined;
}

function findIdFault({ id }: Members): Fault | undefined {
  if (typeof id === 'string' || Number.isSafeInteger(id)) return undefined;
  return invalidRequest('id must be a string or an integer');
}

function findParamsFault({ params }: Members): Fault {
  const message = Array.isArray(params)
    ? 'params must be an object'
    : '_meta must be an object, its progressToken a string or an integer, its related task an object with a taskId';
  return { code: INVALID_PARAMS, message: `Invalid params: ${message}` };
}

/** The id to answer to, if the message is the peer's own request and its id is an exact number or a short string. */
function toReplyId(value: Members): FrameId {
  const { id } = value;
  if (!('method' in value) && ('result' in value || 'error' in value)) return null;
  if (typeof id === 'string') return id.length <= MAX_ID_LENGTH ? id : null;
  return typeof id === 'number' && Math.abs(id) <= Number.MAX_SAFE_INTEGER ? id : null;
}

/** Drops members that JSON-RPC does not define: they are allowed, but the SDK would drop the whole message for them. */
function pick(value: Members, names: readonly string[]): Members {
  return Object.fromEntries(names.filter((name) => name in value).map((name) => [name, value[name]]));
}

function invalidRequest(reason: string): Fault {
  return { code: INVALID_REQUEST, message: `Invalid Request: ${reason}` };
}

function refused(id: FrameId, fault: Fault): Frame & { readonly kind: 'refused' } {
  return { kind: 'refused', refusal: toRefusal(id, fault) };
}
