import { ProtocolError } from '@modelcontextprotocol/server';
import { toPublicMessage } from '../../dialects/shared/outcomes/public-error.ts';
import { RpcFailure } from '../../dialects/shared/outcomes/rpc-failure.ts';
import { isTaskError, TaskError, toTaskError } from '../../errors.ts';
import { isRpcError } from '../../rpc-codes.ts';
import type { Json } from '../../task/json.ts';
import type { ServerCore } from '../server-parts.ts';
import type { Connection } from './connection.ts';
import { createProtocolError } from './preserve-error-code.ts';

/** Converts an error for a peer: named failures keep their text, bugs have none. */
export function toProtocolError(error: unknown): ProtocolError {
  if (error instanceof ProtocolError) return error;
  if (error instanceof RpcFailure) return createProtocolError(error);
  if (isRpcError(error))
    return createProtocolError(new RpcFailure(error.code, error.message, error.data as Json | undefined));
  const { traits, message, data, code } = toTaskError(error);
  return new ProtocolError(traits.rpc, message, { ...data, code });
}

/**
 * Like `toProtocolError`, for a client that may not have started this process: file details are removed, and the full
 * error is reported to the log.
 */
export function toConnectionError(
  error: unknown,
  {
    connection,
    parts,
  }: { readonly connection: Pick<Connection, 'isLocal'>; readonly parts: Pick<ServerCore, 'report'> },
): ProtocolError {
  if (connection.isLocal || !isTaskError(error)) return toProtocolError(error);
  const message = toPublicMessage(error);
  if (message === error.message) return toProtocolError(error);
  parts.report(error);
  return toProtocolError(new TaskError(error.code, message, { cause: error }));
}
