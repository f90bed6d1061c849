/**
 * The replacement for a response that is longer than accepted.
 *
 * It is a JSON-RPC error that takes the path of the response, so that only the request that waits for it gets it. A random token,
 * which no server knows, shows that it was made here.
 */

import { randomUUID } from 'node:crypto';
import type { JSONRPCMessage } from '@modelcontextprotocol/client';
import { TaskError } from '../../errors.ts';
import { RPC_CODES } from '../../rpc-codes.ts';

const TOKEN = randomUUID();
const INTERNAL_ERROR = RPC_CODES.INTERNAL_ERROR;

export interface OversizedAnswer {
  /** Bytes seen so far. */
  readonly bytes: number;
  readonly maxBytes: number;
  /** Whether the whole length is known: the end was seen, or the length was declared. @default true */
  readonly isWhole?: boolean;
}

export function tooLargeError({ bytes, maxBytes, isWhole = true }: OversizedAnswer): TaskError {
  const size = `${isWhole ? '' : 'more than '}${bytes} bytes`;
  const message = `the answer of the server has ${size}; expected ${maxBytes} (maxAnswerBytes)`;
  return new TaskError('RESULT_TOO_LARGE', message, { data: { bytes, maxAnswerBytes: maxBytes } });
}

/** Returns the error response for the request with this id. */
export function toTooLargeReply(id: string | number, answer: OversizedAnswer): JSONRPCMessage {
  return toRefusedMessage(id, tooLargeError(answer));
}

/** Returns the replacement for a response that is not accepted, with the reason. */
export function toRefusedMessage(id: string | number, { message, data }: TaskError): JSONRPCMessage {
  return { jsonrpc: '2.0', id, error: { code: INTERNAL_ERROR, message, data: { token: TOKEN, why: data } } };
}

/** Returns the error in a replacement made here; `undefined` for a message that a server sent. */
export function readTooLarge(message: JSONRPCMessage): TaskError | undefined {
  if (!('error' in message)) return undefined;
  const { token, why } = (message.error.data ?? {}) as { readonly token?: unknown; readonly why?: TaskError['data'] };
  if (token !== TOKEN) return undefined;
  return new TaskError('RESULT_TOO_LARGE', message.error.message, why === undefined ? {} : { data: why });
}

/** Returns the id of the request that a message outline answers; `undefined` when it is no response, or its id is unknown. */
export function readAnswered(outline: unknown): string | number | undefined {
  if (outline === null || typeof outline !== 'object' || 'method' in outline) return undefined;
  const { id } = outline as { readonly id?: unknown };
  return typeof id === 'string' || typeof id === 'number' ? id : undefined;
}
