/**
 * Preserves error code -32002.
 *
 * The SDK sends it as -32602, because it once meant a missing resource. With tasks it means "not ready, poll again",
 * and a tool may use it too: such errors carry a mark through the SDK, by which their code is restored.
 */

import { type JSONRPCMessage, ProtocolError, type Server } from '@modelcontextprotocol/server';
import type { RpcFailure } from '../../dialects/shared/outcomes/rpc-failure.ts';
import { RPC_CODES } from '../../rpc-codes.ts';
import { rewriteOutgoing } from './outgoing.ts';

const REPLACED = RPC_CODES.NOT_READY;

interface Mark {
  readonly data: unknown;
}

const marks = new WeakSet<object>();

/** Converts a failure to the SDK's error, with a mark if its code needs one. */
export function createProtocolError({ code, message, data }: RpcFailure): ProtocolError {
  if (code !== REPLACED) return new ProtocolError(code, message, data);
  const mark: Mark = { data };
  marks.add(mark);
  return new ProtocolError(code, message, mark);
}

/** Restores the codes of marked errors as they leave the server. */
export function preserveErrorCode(server: Server): void {
  rewriteOutgoing(server, restoreErrorCode);
}

function restoreErrorCode(message: JSONRPCMessage): JSONRPCMessage {
  const mark = 'error' in message ? message.error.data : undefined;
  if (!('error' in message) || typeof mark !== 'object' || mark === null || !marks.has(mark)) return message;
  const { data } = mark as Mark;
  const error = { code: REPLACED, message: message.error.message, ...(data !== undefined && { data }) };
  return { ...message, error };
}
