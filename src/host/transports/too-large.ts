/**
 * What takes the place of an answer that is longer than we take.
 *
 * It goes the way of the answer, as an error of JSON-RPC, so that whoever waits for it is told and nobody else is. A
 * token that no server knows says that it comes from here.
 */

import { randomUUID } from 'node:crypto';
import type { JSONRPCMessage } from '@modelcontextprotocol/client';
import { TaskError } from '../../errors.ts';
import { RPC_CODES } from '../../rpc-codes.ts';

const TOKEN = randomUUID();
const INTERNAL_ERROR = RPC_CODES.INTERNAL_ERROR;

export interface OversizedAnswer {
  /** As many as were seen. */
  readonly bytes: number;
  readonly maxBytes: number;
  /** Its end was seen, or its length was said. @default true */
  readonly isWhole?: boolean;
}

export function tooLargeError({ bytes, maxBytes, isWhole = true }: OversizedAnswer): TaskError {
  const size = `${isWhole ? '' : 'more than '}${bytes} bytes`;
  const message = `the answer of the server has ${size}; expected ${maxBytes} (maxAnswerBytes)`;
  return new TaskError('RESULT_TOO_LARGE', message, { data: { bytes, maxAnswerBytes: maxBytes } });
}

/** Says so to whoever waits for the answer with this id. */
export function toTooLargeReply(id: string | number, answer: OversizedAnswer): JSONRPCMessage {
  return toRefusedMessage(id, tooLargeError(answer));
}

/** Takes the place of an answer that is not taken, and says why. */
export function toRefusedMessage(id: string | number, { message, data }: TaskError): JSONRPCMessage {
  return { jsonrpc: '2.0', id, error: { code: INTERNAL_ERROR, message, data: { token: TOKEN, why: data } } };
}

/** What such a message says; nothing for one that a server sent. */
export function readTooLarge(message: JSONRPCMessage): TaskError | undefined {
  if (!('error' in message)) return undefined;
  const { token, why } = (message.error.data ?? {}) as { readonly token?: unknown; readonly why?: TaskError['data'] };
  if (token !== TOKEN) return undefined;
  return new TaskError('RESULT_TOO_LARGE', message.error.message, why === undefined ? {} : { data: why });
}

/** The request that an outline of a message answers; nothing when it is no answer, or none can be seen. */
export function readAnswered(outline: unknown): string | number | undefined {
  if (outline === null || typeof outline !== 'object' || 'method' in outline) return undefined;
  const { id } = outline as { readonly id?: unknown };
  return typeof id === 'string' || typeof id === 'number' ? id : undefined;
}
