import { ProtocolError } from '@modelcontextprotocol/server';
import type { RpcError } from '../dialects/ending.ts';
import { RpcFailure } from '../dialects/rpc-failure.ts';
import { toTaskError } from '../errors.ts';
import { toMarked } from './kept-code.ts';

/** The error a peer gets: named failures in their own words, bugs without any. */
export function toProtocolError(error: unknown): ProtocolError {
  if (error instanceof ProtocolError) return error;
  if (error instanceof RpcFailure) return toMarked(error);
  const { traits, message, data, code } = toTaskError(error);
  return new ProtocolError(traits.rpc, message, { ...data, code });
}

export function fromRpcError({ code, message, data }: RpcError): RpcFailure {
  return new RpcFailure(code, message, data);
}

export function invalidParams(message: string): RpcFailure {
  return new RpcFailure(-32602, message);
}
