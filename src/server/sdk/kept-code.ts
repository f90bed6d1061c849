/**
 * Keeps -32002 what it is.
 *
 * The SDK sends this number as -32602, because it once meant a resource that is not there. With tasks it means "not ready,
 * come again", and a tool may choose it too: those errors carry a mark through the SDK, by which they get it back.
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

/** The failure as the SDK wants it. */
export function toMarked({ code, message, data }: RpcFailure): ProtocolError {
  if (code !== REPLACED) return new ProtocolError(code, message, data);
  const mark: Mark = { data };
  marks.add(mark);
  return new ProtocolError(code, message, mark);
}

/** Gives the errors of a server their number back as they leave. */
export function keepCodes(server: Server): void {
  rewriteOutgoing(server, toUnmarked);
}

function toUnmarked(message: JSONRPCMessage): JSONRPCMessage {
  const mark = 'error' in message ? message.error.data : undefined;
  if (!('error' in message) || typeof mark !== 'object' || mark === null || !marks.has(mark)) return message;
  const { data } = mark as Mark;
  const error = { code: REPLACED, message: message.error.message, ...(data !== undefined && { data }) };
  return { ...message, error };
}
